import BLEWire
import Testing

/// The numbers of the specification, by hand from its tables: both ends of this stack use the same names, so only these tables notice a
/// wrong number.
struct CodeTableTests {
    /// Vol 1, Part F, 1.3, in the order of the numbers from 0x00; nil for those that are reserved or unused on LE.
    @Test func errorCodesHaveTheirNumbers() {
        let codes: [HCI.ErrorCode?] = [
            .success, .unknownHCICommand, .unknownConnectionIdentifier, .hardwareFailure, .pageTimeout,
            .authenticationFailure, .pinOrKeyMissing, .memoryCapacityExceeded, .connectionTimeout,
            .connectionLimitExceeded, .synchronousConnectionLimitToADeviceExceeded, .connectionAlreadyExists,
            .commandDisallowed, .connectionRejectedDueToLimitedResources, .connectionRejectedDueToSecurityReasons,
            .connectionRejectedDueToUnacceptableBDADDR, .connectionAcceptTimeoutExceeded,
            .unsupportedFeatureOrParameterValue, .invalidHCICommandParameters, .remoteUserTerminatedConnection,
            .remoteDeviceTerminatedConnectionDueToLowResources, .remoteDeviceTerminatedConnectionDueToPowerOff,
            .connectionTerminatedByLocalHost, .repeatedAttempts, .pairingNotAllowed, .unknownLMPPDU,
            .unsupportedRemoteFeature, .scoOffsetRejected, .scoIntervalRejected, .scoAirModeRejected,
            .invalidLLParameters, .unspecifiedError, .unsupportedLLParameterValue, .roleChangeNotAllowed,
            .llResponseTimeout, .llProcedureCollision, .lmpPDUNotAllowed, .encryptionModeNotAcceptable,
            .linkKeyCannotBeChanged, .requestedQoSNotSupported, .instantPassed, .pairingWithUnitKeyNotSupported,
            .differentTransactionCollision, nil, .qosUnacceptableParameter, .qosRejected,
            .channelClassificationNotSupported, .insufficientSecurity, .parameterOutOfMandatoryRange, nil,
            .roleSwitchPending, nil, .reservedSlotViolation, .roleSwitchFailed, .extendedInquiryResponseTooLarge,
            .secureSimplePairingNotSupportedByHost, .hostBusyPairing, .connectionRejectedDueToNoSuitableChannelFound,
            .controllerBusy, .unacceptableConnectionParameters, .advertisingTimeout,
            .connectionTerminatedDueToMICFailure, .connectionFailedToBeEstablished, .macConnectionFailed,
            .coarseClockAdjustmentRejected, .type0SubmapNotDefined, .unknownAdvertisingIdentifier, .limitReached,
            .operationCancelledByHost, .packetTooLong, .tooLate, .tooEarly, .insufficientChannels,
        ]
        #expect(codes.count == 0x49)
        for (number, code) in codes.enumerated() {
            #expect(code.map { $0.rawValue == UInt8(number) } ?? true, "\(number)")
        }
    }

    /// The group and the command of Vol 4, Part E, 7, and the bit of Read Local Supported Commands (6.27).
    @Test func commandsHaveTheirOpcodesAndBits() {
        let commands: [(HCI.Opcode, UInt16, Int, UInt8)] = [
            (.disconnect, 0x0406, 0, 5), (.readRemoteVersionInformation, 0x041D, 2, 7), (.setEventMask, 0x0C01, 5, 6),
            (.reset, 0x0C03, 5, 7), (.readTransmitPowerLevel, 0x0C2D, 10, 2),
            (.setControllerToHostFlowControl, 0x0C31, 10, 5), (.hostBufferSize, 0x0C33, 10, 6),
            (.hostNumberOfCompletedPackets, 0x0C35, 10, 7), (.setEventMaskPage2, 0x0C63, 22, 2),
            (.readLEHostSupport, 0x0C6C, 24, 5), (.writeLEHostSupport, 0x0C6D, 24, 6),
            (.readAuthenticatedPayloadTimeout, 0x0C7B, 32, 4), (.writeAuthenticatedPayloadTimeout, 0x0C7C, 32, 5),
            (.readLocalVersionInformation, 0x1001, 14, 3), (.readLocalSupportedFeatures, 0x1003, 14, 5),
            (.readLocalExtendedFeatures, 0x1004, 14, 6), (.readBufferSize, 0x1005, 14, 7), (.readBDADDR, 0x1009, 15, 1),
            (.readRSSI, 0x1405, 15, 5), (.leSetEventMask, 0x2001, 25, 0), (.leReadBufferSize, 0x2002, 25, 1),
            (.leReadLocalSupportedFeatures, 0x2003, 25, 2), (.leSetRandomAddress, 0x2005, 25, 4),
            (.leSetAdvertisingParameters, 0x2006, 25, 5), (.leReadAdvertisingPhysicalChannelTxPower, 0x2007, 25, 6),
            (.leSetAdvertisingData, 0x2008, 25, 7), (.leSetScanResponseData, 0x2009, 26, 0),
            (.leSetAdvertisingEnable, 0x200A, 26, 1), (.leSetScanParameters, 0x200B, 26, 2),
            (.leSetScanEnable, 0x200C, 26, 3), (.leCreateConnection, 0x200D, 26, 4),
            (.leCreateConnectionCancel, 0x200E, 26, 5), (.leReadFilterAcceptListSize, 0x200F, 26, 6),
            (.leClearFilterAcceptList, 0x2010, 26, 7), (.leAddDeviceToFilterAcceptList, 0x2011, 27, 0),
            (.leRemoveDeviceFromFilterAcceptList, 0x2012, 27, 1), (.leConnectionUpdate, 0x2013, 27, 2),
            (.leSetHostChannelClassification, 0x2014, 27, 3), (.leReadChannelMap, 0x2015, 27, 4),
            (.leReadRemoteFeatures, 0x2016, 27, 5), (.leEncrypt, 0x2017, 27, 6), (.leRand, 0x2018, 27, 7),
            (.leEnableEncryption, 0x2019, 28, 0), (.leLongTermKeyRequestReply, 0x201A, 28, 1),
            (.leLongTermKeyRequestNegativeReply, 0x201B, 28, 2), (.leReadSupportedStates, 0x201C, 28, 3),
            (.leRemoteConnectionParameterRequestReply, 0x2020, 33, 4),
            (.leRemoteConnectionParameterRequestNegativeReply, 0x2021, 33, 5), (.leSetDataLength, 0x2022, 33, 6),
            (.leReadSuggestedDefaultDataLength, 0x2023, 33, 7), (.leWriteSuggestedDefaultDataLength, 0x2024, 34, 0),
            (.leReadLocalP256PublicKey, 0x2025, 34, 1), (.leGenerateDHKey, 0x2026, 34, 2),
            (.leAddDeviceToResolvingList, 0x2027, 34, 3), (.leRemoveDeviceFromResolvingList, 0x2028, 34, 4),
            (.leClearResolvingList, 0x2029, 34, 5), (.leReadResolvingListSize, 0x202A, 34, 6),
            (.leReadPeerResolvableAddress, 0x202B, 34, 7), (.leReadLocalResolvableAddress, 0x202C, 35, 0),
            (.leSetAddressResolutionEnable, 0x202D, 35, 1), (.leSetResolvablePrivateAddressTimeout, 0x202E, 35, 2),
            (.leReadMaximumDataLength, 0x202F, 35, 3), (.leReadPHY, 0x2030, 35, 4), (.leSetDefaultPHY, 0x2031, 35, 5),
            (.leSetPHY, 0x2032, 35, 6), (.leSetAdvertisingSetRandomAddress, 0x2035, 36, 1),
            (.leSetExtendedAdvertisingParameters, 0x2036, 36, 2), (.leSetExtendedAdvertisingData, 0x2037, 36, 3),
            (.leSetExtendedScanResponseData, 0x2038, 36, 4), (.leSetExtendedAdvertisingEnable, 0x2039, 36, 5),
            (.leReadMaximumAdvertisingDataLength, 0x203A, 36, 6),
            (.leReadNumberOfSupportedAdvertisingSets, 0x203B, 36, 7), (.leRemoveAdvertisingSet, 0x203C, 37, 0),
            (.leClearAdvertisingSets, 0x203D, 37, 1), (.leSetExtendedScanParameters, 0x2041, 37, 5),
            (.leSetExtendedScanEnable, 0x2042, 37, 6), (.leExtendedCreateConnection, 0x2043, 37, 7),
            (.leReadTransmitPower, 0x204B, 38, 7), (.leSetPrivacyMode, 0x204E, 39, 2),
            (.leGenerateDHKeyV2, 0x205E, 41, 2), (.leReadBufferSizeV2, 0x2060, 41, 5),
            (.leRequestPeerSCA, 0x206D, 43, 2),
            (.leSetHostFeature, 0x2074, 44, 1), (.leEnhancedReadTransmitPowerLevel, 0x2076, 44, 3),
            (.leReadRemoteTransmitPowerLevel, 0x2077, 44, 4), (.leSetPathLossReportingParameters, 0x2078, 44, 5),
            (.leSetPathLossReportingEnable, 0x2079, 44, 6), (.leSetTransmitPowerReportingEnable, 0x207A, 44, 7),
            (.leSetDefaultSubrate, 0x207D, 46, 0),
            (.leSubrateRequest, 0x207E, 46, 1), (.leSetExtendedAdvertisingParametersV2, 0x207F, 46, 2),
            (.leSetPeriodicAdvertisingParameters, 0x203E, 37, 2),
            (.leSetPeriodicAdvertisingData, 0x203F, 37, 3),
            (.leSetPeriodicAdvertisingEnable, 0x2040, 37, 4),
            (.lePeriodicAdvertisingCreateSync, 0x2044, 38, 0),
            (.lePeriodicAdvertisingCreateSyncCancel, 0x2045, 38, 1),
            (.lePeriodicAdvertisingTerminateSync, 0x2046, 38, 2),
            (.leAddDeviceToPeriodicAdvertiserList, 0x2047, 38, 3),
            (.leRemoveDeviceFromPeriodicAdvertiserList, 0x2048, 38, 4),
            (.leClearPeriodicAdvertiserList, 0x2049, 38, 5),
            (.leReadPeriodicAdvertiserListSize, 0x204A, 38, 6),
            (.leSetPeriodicAdvertisingReceiveEnable, 0x2059, 40, 5),
            (.lePeriodicAdvertisingSyncTransfer, 0x205A, 40, 6),
            (.lePeriodicAdvertisingSetInfoTransfer, 0x205B, 40, 7),
            (.leSetPeriodicAdvertisingSyncTransferParameters, 0x205C, 41, 0),
            (.leSetDefaultPeriodicAdvertisingSyncTransferParameters, 0x205D, 41, 1),
            (.leSetPeriodicAdvertisingSubeventData, 0x2082, 46, 5),
            (.leSetPeriodicAdvertisingResponseData, 0x2083, 46, 6),
            (.leSetPeriodicSyncSubevent, 0x2084, 46, 7),
            (.leSetPeriodicAdvertisingParametersV2, 0x2086, 47, 1),
        ]
        for (opcode, number, octet, bit) in commands {
            #expect(opcode.rawValue == number, "\(opcode)")
            let position = opcode.supportedCommandBit
            #expect(position?.octet == octet && position?.mask == 1 << bit, "\(opcode)")
            #expect(opcode.group == UInt8(number >> 10) && opcode.command == number & 0x3FF)
            #expect(HCI.Opcode(group: UInt8(number >> 10), command: number & 0x3FF) == opcode)
            #expect(!opcode.description.contains("0x"))
        }
        // Read Local Supported Commands has no bit of its own.
        #expect(HCI.Opcode.readLocalSupportedCommands.rawValue == 0x1002)
        #expect(HCI.Opcode.readLocalSupportedCommands.supportedCommandBit == nil)
        #expect(HCI.Opcode(group: 0xFF, command: 0xFFFF).rawValue == 0xFFFF && HCI.Opcode.none.rawValue == 0)
    }

    /// Vol 4, Part E, 7.7, and the bits of 7.3.1, 7.3.69 and 7.8.1: bit n stands for code n + 1, on the second page for code n + 64.
    @Test func eventsHaveTheirCodesAndBits() {
        let events: [(HCI.EventCode, UInt8, HCI.EventMask?)] = [
            (.disconnectionComplete, 0x05, .disconnectionComplete), (.encryptionChange, 0x08, .encryptionChange),
            (.readRemoteVersionInformationComplete, 0x0C, .readRemoteVersionInformationComplete),
            (.commandComplete, 0x0E, nil), (.commandStatus, 0x0F, nil), (.hardwareError, 0x10, .hardwareError),
            (.numberOfCompletedPackets, 0x13, nil), (.dataBufferOverflow, 0x1A, .dataBufferOverflow),
            (.encryptionKeyRefreshComplete, 0x30, .encryptionKeyRefreshComplete), (.leMeta, 0x3E, .leMeta),
            (.authenticatedPayloadTimeoutExpired, 0x57, nil), (.encryptionChangeV2, 0x59, nil),
            (.vendorSpecific, 0xFF, nil),
        ]
        for (event, number, mask) in events {
            #expect(event.rawValue == number && !event.description.contains("0x"), "\(event)")
            if let mask {
                #expect(mask.rawValue == 1 << UInt64(number - 1), "\(event)")
                #expect(!HCI.EventMask(rawValue: ~mask.rawValue).allows(event) && mask.allows(event))
            } else {
                #expect(HCI.EventMask([]).allows(event))
            }
        }
        #expect(HCI.EventMask.default.rawValue == 0x0000_1FFF_FFFF_FFFF)
        #expect(HCI.EventMaskPage2.authenticatedPayloadTimeoutExpired.rawValue == 1 << (0x57 - 64))
        #expect(HCI.EventMaskPage2.encryptionChangeV2.rawValue == 1 << (0x59 - 64))
        // The last code of the first page, and the codes around it.
        #expect(HCI.EventMask(rawValue: 1 << 63).allows(HCI.EventCode(rawValue: 64)))
        #expect(!HCI.EventMask([]).allows(HCI.EventCode(rawValue: 64)))
        #expect(!HCI.EventMask([]).allows(HCI.EventCode(rawValue: 1)))
        #expect(HCI.EventMask([]).allows(HCI.EventCode(rawValue: 65)))
        #expect(HCI.EventMask([]).allows(HCI.EventCode(rawValue: 0)))
    }

    @Test func eventsOfLEHaveTheirCodesAndBits() {
        let events: [(HCI.LESubeventCode, UInt8, HCI.LEEventMask?)] = [
            (.connectionComplete, 0x01, .connectionComplete), (.advertisingReport, 0x02, .advertisingReport),
            (.connectionUpdateComplete, 0x03, .connectionUpdateComplete),
            (.readRemoteFeaturesComplete, 0x04, .readRemoteFeaturesComplete),
            (.longTermKeyRequest, 0x05, .longTermKeyRequest),
            (.remoteConnectionParameterRequest, 0x06, .remoteConnectionParameterRequest),
            (.dataLengthChange, 0x07, .dataLengthChange),
            (.readLocalP256PublicKeyComplete, 0x08, .readLocalP256PublicKeyComplete),
            (.generateDHKeyComplete, 0x09, .generateDHKeyComplete),
            (.enhancedConnectionComplete, 0x0A, .enhancedConnectionComplete),
            (.directedAdvertisingReport, 0x0B, .directedAdvertisingReport),
            (.phyUpdateComplete, 0x0C, .phyUpdateComplete),
            (.extendedAdvertisingReport, 0x0D, .extendedAdvertisingReport), (.scanTimeout, 0x11, .scanTimeout),
            (.advertisingSetTerminated, 0x12, .advertisingSetTerminated),
            (.scanRequestReceived, 0x13, .scanRequestReceived),
            (.channelSelectionAlgorithm, 0x14, .channelSelectionAlgorithm),
            (.requestPeerSCAComplete, 0x1F, .requestPeerSCAComplete), (.pathLossThreshold, 0x20, .pathLossThreshold),
            (.transmitPowerReporting, 0x21, .transmitPowerReporting), (.subrateChange, 0x23, .subrateChange),
            (.periodicAdvertisingSyncEstablished, 0x0E, .periodicAdvertisingSyncEstablished),
            (.periodicAdvertisingReport, 0x0F, .periodicAdvertisingReport),
            (.periodicAdvertisingSyncLost, 0x10, .periodicAdvertisingSyncLost),
            (.periodicAdvertisingSyncTransferReceived, 0x18, .periodicAdvertisingSyncTransferReceived),
            (.periodicAdvertisingSyncEstablishedV2, 0x24, .periodicAdvertisingSyncEstablishedV2),
            (.periodicAdvertisingReportV2, 0x25, .periodicAdvertisingReportV2),
            (.periodicAdvertisingSyncTransferReceivedV2, 0x26, .periodicAdvertisingSyncTransferReceivedV2),
            (.periodicAdvertisingSubeventDataRequest, 0x27, .periodicAdvertisingSubeventDataRequest),
            (.periodicAdvertisingResponseReport, 0x28, .periodicAdvertisingResponseReport),
        ]
        for (event, number, mask) in events {
            #expect(event.rawValue == number && !event.description.contains("0x"), "\(event)")
            #expect(mask.map { $0.rawValue == 1 << UInt64(number - 1) } ?? true, "\(event)")
            let others = HCI.LEEventMask(rawValue: ~(1 << UInt64(number - 1)))
            #expect(!others.allows(event) && HCI.LEEventMask(rawValue: ~others.rawValue).allows(event))
        }
        #expect(HCI.LEEventMask.default.rawValue == 0x1F)
        #expect(HCI.LEEventMask(rawValue: 1 << 63).allows(HCI.LESubeventCode(rawValue: 64)))
        #expect(!HCI.LEEventMask(rawValue: .max).allows(HCI.LESubeventCode(rawValue: 65)))
    }

    /// Vol 6, Part B, 4.6, in the order of the bits; nil for those that the link layer of this stack does not name.
    @Test func featuresHaveTheirBits() {
        let features: [(HCI.LEFeatures, LL.FeatureSet?)] = [
            (.encryption, .encryption), (.connectionParametersRequest, .connectionParametersRequest),
            (.extendedRejectIndication, .extendedReject),
            (.peripheralInitiatedFeaturesExchange, .peripheralInitiatedFeaturesExchange), (.ping, .ping),
            (.dataPacketLengthExtension, .dataPacketLengthExtension), (.privacy, .privacy),
            (.extendedScannerFilterPolicies, .extendedScanFilterPolicies), (.phy2M, .twoM),
            (.stableModulationIndexTransmitter, nil), (.stableModulationIndexReceiver, nil), (.phyCoded, .coded),
            (.extendedAdvertising, .extendedAdvertising), (.periodicAdvertising, .periodicAdvertising),
            (.channelSelectionAlgorithm2, .channelSelection2), (.powerClass1, nil),
            (.minimumNumberOfUsedChannels, .minimumUsedChannels),
        ]
        for (bit, (feature, ofLinkLayer)) in features.enumerated() {
            #expect(feature.rawValue == 1 << UInt64(bit))
            #expect((ofLinkLayer?.rawValue ?? 1 << UInt64(bit)) == 1 << UInt64(bit))
        }
        let later: [(HCI.LEFeatures, LL.FeatureSet, Int)] = [
            (.periodicSyncTransferSender, .periodicSyncTransferSender, 24),
            (.periodicSyncTransferRecipient, .periodicSyncTransferRecipient, 25),
            (.periodicAdvertisingADI, .periodicAdvertisingADI, 36),
            (.clockAccuracyUpdates, .clockAccuracyUpdates, 26), (.subrating, .subrating, 37),
            (.subratingHostSupport, .subratingHostSupport, 38),
            (.pathLossMonitoring, .pathLossMonitoring, 35), (.channelClassification, .channelClassification, 39),
            (.advertisingCodingSelection, .advertisingCodingSelection, 40),
            (.advertisingCodingSelectionHostSupport, .advertisingCodingSelectionHostSupport, 41),
        ]
        for (feature, ofLinkLayer, bit) in later {
            #expect(feature.rawValue == 1 << UInt64(bit) && ofLinkLayer.rawValue == 1 << UInt64(bit))
        }
        // Two bits with one meaning (Vol 6, Part B, 4.6.31).
        #expect(HCI.LEFeatures.powerControl.rawValue == 3 << 33 && LL.FeatureSet.powerControl.rawValue == 3 << 33)
        #expect(HCI.LEFeatures.remotePublicKeyValidation.rawValue == 1 << 27)
        #expect(HCI.LEFeatures.periodicAdvertisingWithResponsesAdvertiser.rawValue == 1 << 43)
        #expect(HCI.LEFeatures.periodicAdvertisingWithResponsesScanner.rawValue == 1 << 44)
        // Octet 4, bits 5 and 6 (Vol 2, Part C, 3.3).
        #expect(HCI.LMPFeatures.brEDRNotSupported.rawValue == 1 << (4 * 8 + 5))
        #expect(HCI.LMPFeatures.leSupportedController.rawValue == 1 << (4 * 8 + 6))
        #expect([LL.PHYSet.oneM, .twoM, .coded].map(\.rawValue) == [1, 2, 4])
    }

    /// Each list is in the order of its values in Vol 4, Part E.
    @Test func smallCodesHaveTheirNumbers() {
        // 7.8.5, 7.7.65.2, 7.8.10 and 7.8.12.
        let own: [HCI.OwnAddressType] = [.public, .random, .resolvableOrPublic, .resolvableOrRandom]
        #expect(own.map(\.rawValue) == [0, 1, 2, 3])
        let advertising: [HCI.AdvertisingType] = [
            .connectableUndirected, .connectableDirectedHighDutyCycle, .scannableUndirected, .nonconnectableUndirected,
            .connectableDirectedLowDutyCycle,
        ]
        #expect(advertising.map(\.rawValue) == [0, 1, 2, 3, 4])
        let reports: [HCI.AdvertisingEventType] = [
            .connectableUndirected, .connectableDirected, .scannableUndirected, .nonconnectableUndirected,
            .scanResponse,
        ]
        #expect(reports.map(\.rawValue) == [0, 1, 2, 3, 4])
        let channels: [HCI.AdvertisingChannelMap] = [.channel37, .channel38, .channel39, .all]
        #expect(channels.map(\.rawValue) == [1, 2, 4, 7])
        let policies: [HCI.AdvertisingFilterPolicy] = [
            .everyone, .scanFromAcceptList, .connectFromAcceptList, .bothFromAcceptList,
        ]
        #expect(policies.map(\.rawValue) == [0, 1, 2, 3])
        #expect([HCI.ScanType.passive, .active].map(\.rawValue) == [0, 1])
        let scanning: [HCI.ScanFilterPolicy] = [.everyone, .acceptList, .everyoneExtended, .acceptListExtended]
        #expect(scanning.map(\.rawValue) == [0, 1, 2, 3])
        #expect([HCI.InitiatorFilterPolicy.peerAddress, .acceptList].map(\.rawValue) == [0, 1])
        // 7.8.53, 7.8.54, 7.8.65 and 7.7.65.13.
        let properties: [HCI.AdvertisingEventProperties] = [
            .connectable, .scannable, .directed, .highDutyCycle, .legacy, .anonymous, .includesTxPower,
        ]
        #expect(properties.map(\.rawValue) == [1, 2, 4, 8, 16, 32, 64])
        let operations: [HCI.DataOperation] = [.intermediate, .first, .last, .complete, .unchanged]
        #expect(operations.map(\.rawValue) == [0, 1, 2, 3, 4])
        #expect([HCI.DuplicateFilter.off, .on, .onPerPeriod].map(\.rawValue) == [0, 1, 2])
        let types: [HCI.ExtendedAdvertisingEventType] = [.connectable, .scannable, .directed, .scanResponse, .legacy]
        #expect(types.map(\.rawValue) == [1, 2, 4, 8, 16])
        var type: HCI.ExtendedAdvertisingEventType = [.connectable, .legacy]
        for (status, raw) in zip(
            [.complete, .moreToCome, .truncated] as [HCI.ExtendedAdvertisingEventType.DataStatus], [0x11, 0x31, 0x51])
        {
            type.dataStatus = status
            #expect(type.rawValue == UInt16(raw) && type.dataStatus == status && type.isComplete == (raw == 0x11))
        }
        // 7.7.65.1, 7.8.47 to 7.8.49 and 7.3.35.
        #expect([HCI.Role.central, .peripheral].map(\.rawValue) == [0, 1])
        let accuracies: [HCI.ClockAccuracy] = [.ppm500, .ppm250, .ppm150, .ppm100, .ppm75, .ppm50, .ppm30, .ppm20]
        #expect(accuracies.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 6, 7])
        #expect([HCI.PHY.le1M, .le2M, .leCoded].map(\.rawValue) == [1, 2, 3])
        #expect([HCI.PHYMask.le1M, .le2M, .leCoded].map(\.rawValue) == [1, 2, 4])
        #expect([HCI.PHYPreference.noTxPreference, .noRxPreference].map(\.rawValue) == [1, 2])
        #expect([HCI.TransmitPowerLevelKind.current, .maximum].map(\.rawValue) == [0, 1])
        // Assigned Numbers, 2.1: 4.0 is 6, and each later version is the next number.
        let versions: [HCI.CoreVersion] = [.v4_0, .v4_1, .v4_2, .v5_0, .v5_1, .v5_2, .v5_3, .v5_4, .v6_0]
        #expect(versions.map(\.rawValue) == [6, 7, 8, 9, 10, 11, 12, 13, 14])
        // 7.8.77, 7.7.65.13, Part A, 2, and 5.4.2.
        #expect([PrivacyMode.network, .device].map(\.rawValue) == [0, 1])
        let extended: [HCI.ExtendedAdvertisingEventType] = [
            .connectable, .scannable, .directed, .scanResponse, .legacy,
        ]
        #expect(extended.map(\.rawValue) == [1, 2, 4, 8, 16])
        #expect([H4.PacketType.command, .acl, .synchronous, .event, .iso].map(\.rawValue) == [1, 2, 3, 4, 5])
        let boundaries: [HCI.ACLHeader.Boundary] = [.firstNonFlushable, .continuing, .firstFlushable]
        #expect(boundaries.map(\.rawValue) == [0, 1, 2] && boundaries.map(\.isFirst) == [true, false, true])
    }

    /// A command without further arguments has the values that its description recommends or that mean nothing in particular.
    @Test func omittedParametersHaveTheirDefaults() throws {
        #expect(
            try encoded(
                HCI.LERemoteConnectionParameterRequestReply(
                    connectionHandle: 1, intervalMinimum: 6, intervalMaximum: 7, maximumLatency: 8,
                    supervisionTimeout: 10
                )) == octets("01 00 06 00 07 00 08 00 0A 00 00 00 00 00"))
        // Unacceptable Connection Parameters.
        #expect(
            try encoded(HCI.LERemoteConnectionParameterRequestNegativeReply(connectionHandle: 1)) == octets("01 00 3B"))
        #expect(
            try encoded(
                HCI.LEConnectionUpdate(
                    connectionHandle: 1, intervalMinimum: 6, intervalMaximum: 7, maximumLatency: 8,
                    supervisionTimeout: 10
                )) == octets("01 00 06 00 07 00 08 00 0A 00 00 00 00 00"))
        // 1.28 s, ADV_IND, public, all channels, everyone (7.8.5).
        #expect(
            try encoded(HCI.LESetAdvertisingParameters()) == octets("00 08 00 08 00 00 00 00 00 00 00 00 00 07 00"))
        // Passive, 10 ms, public, everyone (7.8.10).
        #expect(try encoded(HCI.LESetScanParameters()) == octets("00 10 00 10 00 00 00"))
        #expect(try encoded(HCI.LESetDefaultPHY(txPHYs: .le1M, rxPHYs: .le2M)) == octets("00 01 02"))
        #expect(
            try encoded(HCI.LESetPHY(connectionHandle: 1, txPHYs: .le1M, rxPHYs: .leCoded))
                == octets("01 00 00 01 04 00 00"))
        // Remote User Terminated Connection.
        #expect(try encoded(HCI.Disconnect(connectionHandle: 1)) == octets("01 00 13"))
        #expect(try encoded(HCI.DataBufferOverflow()) == octets("01"))
        #expect(
            try encoded(
                HCI.LEConnectionComplete(
                    status: .success, connectionHandle: 1, role: .peripheral,
                    peerAddress: DeviceAddress(kind: .random, value: 2), interval: 3, latency: 4, supervisionTimeout: 5)
            )
                == octets("00 01 00 01 01 02 00 00 00 00 00 03 00 04 00 05 00 00"))
    }

    /// Legacy data has up to 31 octets (7.7.65.2 and 7.8.7).
    @Test(arguments: [0, 1, 30, 31, 32, 255]) func advertisingDataHasUpTo31Octets(count: Int) throws {
        let data = [UInt8](repeating: 7, count: count)
        let report = HCI.AdvertisingReport(
            eventType: .scanResponse, address: DeviceAddress(kind: .random, value: 1), data: data.span, rssi: -1)
        let octets: [UInt8] = [4, 1, 1, 0, 0, 0, 0, 0, UInt8(count)] + data + [0xFF]
        #expect((try? encoded(report)) == (count <= 31 ? octets : nil))
        #expect((try? HCI.AdvertisingReport(decoding: octets.span).data.count) == (count <= 31 ? count : nil))
        #expect(HCI.AdvertisingData(data.span)?.count == (count <= 31 ? count : nil))
        let field = [UInt8(count)] + data + [UInt8](repeating: 0, count: max(0, 31 - count))
        #expect((try? HCI.AdvertisingData(decoding: field.span).count) == (count <= 31 ? count : nil))
        let whole = [UInt8(count)] + data + [UInt8](repeating: 0, count: max(0, 31 - count))
        #expect(HCI.AdvertisingData(data.span).flatMap { try? encoded($0) } == (count <= 31 ? whole : nil))
    }
}
