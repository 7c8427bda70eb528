import BLEWire
import Testing

/// Octets by hand from the parameter tables of Vol 4, Part E, 7.1 to 7.8.
@Suite struct CommandTests {
    @Test func linkControlCommandsRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.Disconnect.self, "40 00 13", .fixed)
        checkPDU(HCI.ReadRemoteVersionInformation.self, "40 00", .fixed)
        let disconnect = try HCI.Disconnect(decoding: octets("01 0E 16").span)
        #expect(disconnect == .init(connectionHandle: 0x0E01, reason: .connectionTerminatedByLocalHost))
    }

    @Test func reservedBitsOfAConnectionHandleAreIgnored() throws {
        checkPDU(HCI.ReadRSSI.self, "40 F0", .fixed, normalForm: "40 00")
    }

    @Test func basebandCommandsRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.SetEventMask.self, "FF FF FF FF FF 1F 00 20", .fixed)
        checkPDU(HCI.Reset.self, "", .fixed)
        checkPDU(HCI.ReadTransmitPowerLevel.self, "40 00 01", .fixed)
        checkPDU(HCI.ReadTransmitPowerLevel.ReturnParameters.self, "00 40 00 F8", .fixed)
        checkPDU(HCI.SetControllerToHostFlowControl.self, "01", .fixed)
        checkPDU(HCI.HostBufferSize.self, "FB 00 FF 14 00 00 00", .fixed)
        checkPDU(HCI.SetEventMaskPage2.self, "00 00 80 00 00 00 00 00", .fixed)
        checkPDU(HCI.ReadLEHostSupport.self, "", .fixed)
        checkPDU(HCI.ReadLEHostSupport.ReturnParameters.self, "00 01 00", .fixed)
        checkPDU(HCI.WriteLEHostSupport.self, "01 00", .fixed)
        checkPDU(HCI.ReadAuthenticatedPayloadTimeout.self, "40 00", .fixed)
        checkPDU(HCI.ReadAuthenticatedPayloadTimeout.ReturnParameters.self, "00 40 00 B8 0B", .fixed)
        checkPDU(HCI.WriteAuthenticatedPayloadTimeout.self, "40 00 B8 0B", .fixed)
        checkPDU(HCI.StatusReturn.self, "0C", .fixed)
        checkPDU(HCI.ConnectionReturn.self, "02 40 00", .fixed)
        let power = try HCI.ReadTransmitPowerLevel.ReturnParameters(decoding: octets("00 40 00 F8").span)
        #expect(power.transmitPowerLevel == -8)
        let buffers = try HCI.HostBufferSize(decoding: octets("FB 00 FF 14 00 00 00").span)
        #expect(buffers.aclDataPacketLength == 251 && buffers.totalACLDataPackets == 20)
    }

    @Test func informationalCommandsRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.ReadLocalVersionInformation.self, "", .fixed)
        checkPDU(HCI.ReadLocalVersionInformation.ReturnParameters.self, "00 0D 34 12 0D FF FF 78 56", .fixed)
        checkPDU(HCI.ReadLocalSupportedCommands.self, "", .fixed)
        checkPDU(
            HCI.ReadLocalSupportedCommands.ReturnParameters.self,
            [0x00, 0x20] + [UInt8](repeating: 0, count: 24) + [0xF7] + [UInt8](repeating: 0xA5, count: 38), .fixed)
        checkPDU(HCI.ReadLocalSupportedFeatures.self, "", .fixed)
        checkPDU(HCI.ReadLocalSupportedFeatures.ReturnParameters.self, "00 00 00 00 00 60 00 00 00", .fixed)
        checkPDU(HCI.ReadLocalExtendedFeatures.self, "01", .fixed)
        checkPDU(HCI.ReadLocalExtendedFeatures.ReturnParameters.self, "00 01 02 02 00 00 00 00 00 00 00", .fixed)
        checkPDU(HCI.ReadBufferSize.self, "", .fixed)
        checkPDU(HCI.ReadBufferSize.ReturnParameters.self, "00 FB 00 00 08 00 00 00", .fixed)
        checkPDU(HCI.ReadBDADDR.self, "", .fixed)
        checkPDU(HCI.ReadBDADDR.ReturnParameters.self, "00 01 02 03 04 05 C6", .fixed)
        checkPDU(HCI.ReadRSSI.self, "40 00", .fixed)
        checkPDU(HCI.ReadRSSI.ReturnParameters.self, "00 40 00 C4", .fixed)
        let version = try HCI.ReadLocalVersionInformation.ReturnParameters(
            decoding: octets("00 0D 34 12 0D FF FF 78 56").span)
        #expect(
            version
                == .init(
                    status: .success, hciVersion: .v5_4, hciSubversion: 0x1234, lmpVersion: .v5_4,
                    companyIdentifier: 0xFFFF, lmpSubversion: 0x5678))
        let features = try HCI.ReadLocalSupportedFeatures.ReturnParameters(
            decoding: octets("00 00 00 00 00 60 00 00 00").span
        ).features
        #expect(features == [.brEDRNotSupported, .leSupportedController])
        let address = try HCI.ReadBDADDR.ReturnParameters(decoding: octets("00 01 02 03 04 05 C6").span).address
        #expect(address.description == "C6:05:04:03:02:01" && address.kind == .public)
        #expect(try HCI.ReadRSSI.ReturnParameters(decoding: octets("00 40 00 C4").span).rssi == -60)
    }

    @Test func leControllerCommandsRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.LESetEventMask.self, "1F 00 00 00 00 00 00 00", .fixed)
        checkPDU(HCI.LEReadBufferSize.self, "", .fixed)
        checkPDU(HCI.LEReadBufferSize.ReturnParameters.self, "00 1B 00 40", .fixed)
        checkPDU(HCI.LEReadBufferSizeV2.self, "", .fixed)
        checkPDU(HCI.LEReadBufferSizeV2.ReturnParameters.self, "00 FB 00 08 78 00 04", .fixed)
        checkPDU(HCI.LEReadLocalSupportedFeatures.self, "", .fixed)
        checkPDU(HCI.LEReadLocalSupportedFeatures.ReturnParameters.self, "00 20 41 00 00 00 00 00 00", .fixed)
        checkPDU(HCI.LESetRandomAddress.self, "01 02 03 04 05 C6", .fixed)
        checkPDU(HCI.LEReadFilterAcceptListSize.self, "", .fixed)
        checkPDU(HCI.LEReadFilterAcceptListSize.ReturnParameters.self, "00 10", .fixed)
        checkPDU(HCI.LEClearFilterAcceptList.self, "", .fixed)
        checkPDU(HCI.LEAddDeviceToFilterAcceptList.self, "01 01 02 03 04 05 C6", .fixed)
        checkPDU(HCI.LERemoveDeviceFromFilterAcceptList.self, "FF 01 02 03 04 05 C6", .fixed)
        checkPDU(
            HCI.LEEncrypt.self,
            "BF 01 FB 9D 4E F3 BC 36 D8 74 F5 39 41 38 68 4C 13 02 F1 E0 DF CE BD AC 79 68 57 46 35 24 13 02",
            .fixed)
        checkPDU(HCI.LEEncrypt.ReturnParameters.self, "00 66 C6 C2 27 8E 3B 8E 05 3E 7E A3 26 52 1B AD 99", .fixed)
        checkPDU(HCI.LERand.self, "", .fixed)
        checkPDU(HCI.LERand.ReturnParameters.self, "00 01 02 03 04 05 06 07 08", .fixed)
        checkPDU(HCI.LEReadSupportedStates.self, "", .fixed)
        checkPDU(HCI.LEReadSupportedStates.ReturnParameters.self, "00 FF FF FF FF FF 03 00 00", .fixed)
        checkPDU(HCI.LEClearResolvingList.self, "", .fixed)
        checkPDU(HCI.LEReadResolvingListSize.self, "", .fixed)
        checkPDU(HCI.LEReadResolvingListSize.ReturnParameters.self, "00 08", .fixed)
        checkPDU(HCI.LESetAddressResolutionEnable.self, "01", .fixed)
        checkPDU(HCI.LESetResolvablePrivateAddressTimeout.self, "84 03", .fixed)
        let entry = "01 01 02 03 04 05 C6" + (1...32).map { " " + String($0 + 16, radix: 16) }.joined()
        checkPDU(HCI.LEAddDeviceToResolvingList.self, entry, .fixed)
        let added = try HCI.LEAddDeviceToResolvingList(decoding: octets(entry).span)
        #expect(added.peerKey.value == 0x201f_1e1d_1c1b_1a19_1817_1615_1413_1211)
        #expect(added.localKey.value == 0x302f_2e2d_2c2b_2a29_2827_2625_2423_2221)
        checkPDU(HCI.LERemoveDeviceFromResolvingList.self, "00 01 02 03 04 05 06", .fixed)
        checkPDU(HCI.LEReadPeerResolvableAddress.self, "00 01 02 03 04 05 06", .fixed)
        checkPDU(HCI.LEReadPeerResolvableAddress.ReturnParameters.self, "00 AA FB 0D 94 81 70", .fixed)
        checkPDU(HCI.LEReadLocalResolvableAddress.self, "01 01 02 03 04 05 C6", .fixed)
        checkPDU(HCI.LESetPrivacyMode.self, "01 01 02 03 04 05 C6 01", .fixed)
        let address = try HCI.LEReadLocalResolvableAddress.ReturnParameters(
            decoding: octets("00 AA FB 0D 94 81 70").span
        ).address
        #expect(address.isResolvable && address.description == "70:81:94:0D:FB:AA")
        checkPDU(HCI.LEReadTransmitPower.self, "", .fixed)
        checkPDU(HCI.LEReadTransmitPower.ReturnParameters.self, "00 EC 14", .fixed)
        let features = try HCI.LEReadLocalSupportedFeatures.ReturnParameters(
            decoding: octets("00 20 41 00 00 00 00 00 00").span
        ).features
        #expect(features == [.dataPacketLengthExtension, .phy2M, .channelSelectionAlgorithm2])
        let random = try HCI.LESetRandomAddress(decoding: octets("01 02 03 04 05 C6").span).address
        #expect(random == DeviceAddress(kind: .random, value: 0xC605_0403_0201))
        #expect(
            try HCI.LEReadBufferSize.ReturnParameters(decoding: octets("00 1B 00 40").span).totalLEACLDataPackets == 64)
        #expect(try HCI.LEReadTransmitPower.ReturnParameters(decoding: octets("00 EC 14").span).minimum == -20)
    }

    @Test func advertisingCommandsRoundTripAndRejectWrongLengths() throws {
        let parameters = "20 00 30 00 04 01 01 01 02 03 04 05 C6 07 02"
        checkPDU(HCI.LESetAdvertisingParameters.self, parameters, .fixed)
        checkPDU(HCI.LEReadAdvertisingPhysicalChannelTxPower.self, "", .fixed)
        checkPDU(HCI.LEReadAdvertisingPhysicalChannelTxPower.ReturnParameters.self, "00 F4", .fixed)
        let data = octets("03 02 01 06") + [UInt8](repeating: 0, count: 28)
        checkPDU(HCI.LESetAdvertisingData.self, data, .fixed)
        checkPDU(HCI.LESetScanResponseData.self, [31] + [UInt8](1...31), .fixed)
        checkPDU(HCI.LESetAdvertisingEnable.self, "01", .fixed)
        let value = try HCI.LESetAdvertisingParameters(decoding: octets(parameters).span)
        #expect(value.intervalMinimum == 0x20 && value.intervalMaximum == 0x30)
        #expect(value.advertisingType == .connectableDirectedLowDutyCycle && value.ownAddressType == .random)
        #expect(value.peerAddress == DeviceAddress(kind: .random, value: 0xC605_0403_0201))
        #expect(value.channelMap == .all && value.filterPolicy == .connectFromAcceptList)
    }

    @Test func octetsAfterTheAdvertisingDataAreZero() throws {
        let garbage = octets("03 02 01 06") + [UInt8](repeating: 0xEE, count: 28)
        let clean = octets("03 02 01 06") + [UInt8](repeating: 0, count: 28)
        checkPDU(HCI.LESetAdvertisingData.self, garbage, .fixed, normalForm: clean)
        let data = try HCI.LESetAdvertisingData(decoding: garbage.span).data
        #expect([UInt8](data.span) == [2, 1, 6])
        #expect(HCI.AdvertisingData([2, 1, 6].span) == data)
    }

    @Test func moreThan31OctetsOfAdvertisingDataAreRefused() {
        #expect(HCI.AdvertisingData([UInt8](repeating: 1, count: 32).span) == nil)
        #expect(throws: DecodeError.invalidValue) {
            _ = try HCI.LESetAdvertisingData(decoding: ([32] + [UInt8](repeating: 1, count: 31)).span)
        }
    }

    @Test func scanningCommandsRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.LESetScanParameters.self, "01 60 00 30 00 01 00", .fixed)
        checkPDU(HCI.LESetScanEnable.self, "01 00", .fixed)
        let value = try HCI.LESetScanParameters(decoding: octets("01 60 00 30 00 01 00").span)
        #expect(
            value
                == .init(
                    scanType: .active, interval: 0x60, window: 0x30, ownAddressType: .random, filterPolicy: .everyone))
        #expect(throws: DecodeError.invalidValue) {
            _ = try HCI.LESetScanEnable(decoding: octets("02 00").span)
        }
    }

    @Test func commandsOfAdvertisingSetsRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.LESetAdvertisingSetRandomAddress.self, "02 01 02 03 04 05 C6", .fixed)
        let parameters = "02 41 00 20 00 00 FF FF FF 07 01 01 11 12 13 14 15 D6 03 F4 01 02 03 0F 01"
        checkPDU(HCI.LESetExtendedAdvertisingParameters.self, parameters, .fixed)
        checkPDU(HCI.LESetExtendedAdvertisingParameters.ReturnParameters.self, "00 F4", .fixed)
        checkPDU(HCI.LESetExtendedAdvertisingParametersV2.self, parameters + " 03 01", .fixed)
        checkPDU(HCI.LESetExtendedAdvertisingData.self, "02 03 01 03 02 01 06", .fixed)
        checkPDU(HCI.LESetExtendedScanResponseData.self, "02 04 00 00", .fixed)
        checkPDU(HCI.LESetExtendedAdvertisingEnable.self, "01 02 02 E8 03 05 EF 00 00 00", .fixed)
        checkPDU(HCI.LESetExtendedAdvertisingEnable.self, "00 00", .fixed)
        checkPDU(HCI.LEReadMaximumAdvertisingDataLength.ReturnParameters.self, "00 72 06", .fixed)
        checkPDU(HCI.LEReadNumberOfSupportedAdvertisingSets.ReturnParameters.self, "00 10", .fixed)
        checkPDU(HCI.LERemoveAdvertisingSet.self, "02", .fixed)
        checkPDU(HCI.LEClearAdvertisingSets.self, "", .fixed)
        let value = try HCI.LESetExtendedAdvertisingParameters(decoding: octets(parameters).span)
        #expect(
            value
                == .init(
                    advertisingHandle: 2, properties: [.connectable, .includesTxPower], intervalMinimum: 0x20,
                    intervalMaximum: 0xFF_FFFF, ownAddressType: .random,
                    peerAddress: DeviceAddress(kind: .random, value: 0xD615_1413_1211),
                    filterPolicy: .bothFromAcceptList,
                    txPower: -12, secondaryMaximumSkip: 2, secondaryPHY: .leCoded, advertisingSID: 15,
                    reportsScanRequests: true))
        let enable = try HCI.LESetExtendedAdvertisingEnable(decoding: octets("01 01 02 E8 03 05").span)
        #expect(enable.sets == [.init(advertisingHandle: 2, duration: 1000, maximumEvents: 5)])
    }

    /// A fragment has at most 251 octets, an enable command at most 63 sets (Vol 4, Part E, 7.8.54 and 7.8.56): more do not fit into a command.
    @Test func longFragmentsAndListsAreRefused() throws {
        let data = [UInt8](repeating: 1, count: 252)
        let longest = HCI.LESetExtendedAdvertisingData(
            advertisingHandle: 0, operation: .complete, mayFragment: true, data: data.span.extracting(first: 251))
        #expect(longest.encodedCount == 255)
        #expect(try encoded(longest).prefix(4) == [0, 3, 0, 251])
        #expect(throws: EncodeError.fieldTooLong) {
            try encoded(
                HCI.LESetExtendedAdvertisingData(
                    advertisingHandle: 0, operation: .complete, mayFragment: true, data: data.span))
        }
        #expect(throws: DecodeError.invalidLength) {
            _ = try HCI.LESetExtendedAdvertisingData(decoding: ([0, 3, 0, 252] + data).span)
        }
        let sets = (0..<64).map { HCI.LESetExtendedAdvertisingEnable.Entry(advertisingHandle: $0) }
        #expect(
            try encoded(HCI.LESetExtendedAdvertisingEnable(enable: true, sets: Array(sets.prefix(63)))).count == 254)
        #expect(throws: EncodeError.fieldTooLong) {
            try encoded(HCI.LESetExtendedAdvertisingEnable(enable: true, sets: sets))
        }
    }

    /// One entry for each bit of the PHYs, reserved ones included.
    @Test func commandsWithAnEntryForEachPHYRoundTrip() throws {
        checkPDU(HCI.LESetExtendedScanParameters.self, "01 00 05 01 60 00 30 00 00 40 00 40 00", .fixed)
        checkPDU(HCI.LESetExtendedScanParameters.self, "01 00 00", .fixed)
        checkPDU(HCI.LESetExtendedScanParameters.self, "01 00 80 01 60 00 30 00", .fixed)
        checkPDU(HCI.LESetExtendedScanEnable.self, "01 02 E8 03 05 00", .fixed)
        let entry = "60 00 30 00 18 00 28 00 04 00 2A 00 02 00 06 00"
        checkPDU(HCI.LEExtendedCreateConnection.self, "00 01 01 01 02 03 04 05 C6 05" + entry + entry, .fixed)
        let create = try HCI.LEExtendedCreateConnection(decoding: octets("00 01 01 01 02 03 04 05 C6 01" + entry).span)
        #expect(create.peerAddress == DeviceAddress(kind: .random, value: 0xC605_0403_0201))
        #expect(
            create.entries == [
                .init(
                    scanInterval: 0x60, scanWindow: 0x30, intervalMinimum: 0x18, intervalMaximum: 0x28,
                    maximumLatency: 4,
                    supervisionTimeout: 0x2A, minimumConnectionEventLength: 2, maximumConnectionEventLength: 6)
            ])
        let scan = HCI.LESetExtendedScanParameters(ownAddressType: .public, phys: [.le1M, .leCoded], entries: [])
        #expect(throws: EncodeError.fieldTooLong) { try encoded(scan) }
    }

    @Test func eventsOfAdvertisingSetsRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.LEScanTimeout.self, "", .fixed)
        checkPDU(HCI.LEAdvertisingSetTerminated.self, "43 02 40 00 05", .fixed)
        checkPDU(HCI.LEScanRequestReceived.self, "02 01 01 02 03 04 05 C6", .fixed)
        let value = try HCI.LEAdvertisingSetTerminated(decoding: octets("43 02 40 00 05").span)
        #expect(value == .init(status: .limitReached, advertisingHandle: 2, connectionHandle: 0x40, completedEvents: 5))
    }

    @Test func subrateCommandsAndEventsRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.VendorWriteBDADDR.self, "01 02 03 04 05 06", .fixed)
        #expect(HCI.Opcode.vendorWriteBDADDR.rawValue == 0xFC06)
        checkPDU(HCI.LERequestPeerSCA.self, "40 00", .fixed)
        checkPDU(HCI.LERequestPeerSCAComplete.self, "00 40 00 07", .fixed)
        checkPDU(HCI.LESetHostFeature.self, "26 01", .fixed)
        checkPDU(HCI.LESetDefaultSubrate.self, "05 00 0A 00 04 00 03 00 90 01", .fixed)
        checkPDU(HCI.LESubrateRequest.self, "40 00 05 00 0A 00 04 00 03 00 90 01", .fixed)
        checkPDU(HCI.LESubrateChange.self, "00 40 00 0A 00 04 00 03 00 90 01", .fixed)
        let request = try HCI.LESubrateRequest(decoding: octets("40 00 05 00 0A 00 04 00 03 00 90 01").span)
        #expect(
            request
                == .init(
                    connectionHandle: 0x40, factorMinimum: 5, factorMaximum: 10, maximumLatency: 4,
                    continuationNumber: 3, supervisionTimeout: 400))
        let change = try HCI.LESubrateChange(decoding: octets("00 40 00 0A 00 04 00 03 00 90 01").span)
        #expect(
            change
                == .init(
                    status: .success, connectionHandle: 0x40, factor: 10, latency: 4, continuationNumber: 3,
                    supervisionTimeout: 400))
    }

    @Test func powerCommandsAndEventsRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.LEEnhancedReadTransmitPowerLevel.self, "40 00 02", .fixed)
        checkPDU(HCI.LEEnhancedReadTransmitPowerLevel.ReturnParameters.self, "00 40 00 02 F4 08", .fixed)
        checkPDU(HCI.LEReadRemoteTransmitPowerLevel.self, "40 00 04", .fixed)
        checkPDU(HCI.LESetPathLossReportingParameters.self, "40 00 4A 06 37 05 04 01", .fixed)
        checkPDU(HCI.LESetPathLossReportingEnable.self, "40 00 01", .fixed)
        checkPDU(HCI.LESetTransmitPowerReportingEnable.self, "40 00 01 00", .fixed)
        checkPDU(HCI.LEPathLossThreshold.self, "40 00 3C 02", .fixed)
        checkPDU(HCI.LETransmitPowerReporting.self, "00 40 00 02 03 EC 01 FC", .fixed)
        checkPDU(HCI.VendorWriteTransmitPower.self, "02 40 00 F4", .fixed)
        checkPDU(HCI.VendorWriteTransmitPower.ReturnParameters.self, "00 02 40 00 F4", .fixed)
        checkPDU(HCI.VendorWriteSleepClock.self, "0C FE 00", .fixed)
        #expect(
            try HCI.VendorWriteSleepClock(decoding: octets("0C FE 00").span) == .init(error: -500, accuracy: .ppm500))
        let zones = try HCI.LESetPathLossReportingParameters(decoding: octets("40 00 4A 06 37 05 04 01").span)
        #expect(
            zones
                == .init(
                    connectionHandle: 0x40, highThreshold: 74, highHysteresis: 6, lowThreshold: 55, lowHysteresis: 5,
                    minimumTime: 0x104))
        let report = try HCI.LETransmitPowerReporting(decoding: octets("00 40 00 02 03 EC 01 FC").span)
        #expect(
            report
                == .init(
                    status: .success, connectionHandle: 0x40, reason: .remoteRead, phy: .leCodedS8, power: -20,
                    limits: .minimum, delta: -4))
        let loss = try HCI.LEPathLossThreshold(decoding: octets("40 00 3C 02").span)
        #expect(loss == .init(connectionHandle: 0x40, pathLoss: 60, zone: .high))
    }

    @Test func connectionCommandsRoundTripAndRejectWrongLengths() throws {
        let create = "60 00 30 00 00 01 01 02 03 04 05 C6 00 18 00 28 00 04 00 2A 00 02 00 06 00"
        checkPDU(HCI.LECreateConnection.self, create, .fixed)
        checkPDU(HCI.LECreateConnectionCancel.self, "", .fixed)
        checkPDU(HCI.LEConnectionUpdate.self, "40 00 06 00 0C 00 00 00 C8 00 00 00 00 00", .fixed)
        checkPDU(HCI.LESetHostChannelClassification.self, "FF FF FF FF 1F", .fixed)
        checkPDU(HCI.LESetHostChannelClassification.self, "01 00 00 00 FF", .fixed, normalForm: "01 00 00 00 1F")
        checkPDU(HCI.LEReadChannelMap.self, "40 00", .fixed)
        checkPDU(HCI.LEReadChannelMap.ReturnParameters.self, "00 40 00 FF FF FF FF 1F", .fixed)
        checkPDU(HCI.LEReadRemoteFeatures.self, "40 00", .fixed)
        checkPDU(
            HCI.LERemoteConnectionParameterRequestReply.self, "40 00 06 00 0C 00 00 00 C8 00 00 00 00 00", .fixed)
        checkPDU(HCI.LERemoteConnectionParameterRequestNegativeReply.self, "40 00 3B", .fixed)
        let value = try HCI.LECreateConnection(decoding: octets(create).span)
        #expect(value.scanInterval == 0x60 && value.scanWindow == 0x30 && value.filterPolicy == .peerAddress)
        #expect(value.peerAddress == DeviceAddress(kind: .random, value: 0xC605_0403_0201))
        #expect(value.ownAddressType == .public)
        #expect(value.intervalMinimum == 0x18 && value.intervalMaximum == 0x28 && value.maximumLatency == 4)
        #expect(value.supervisionTimeout == 0x2A)
        #expect(value.minimumConnectionEventLength == 2 && value.maximumConnectionEventLength == 6)
        #expect(HCI.ChannelMap.all.count == 37 && !HCI.ChannelMap.all.contains(37) && HCI.ChannelMap.all.contains(36))
    }

    @Test func securityCommandsRoundTripAndRejectWrongLengths() throws {
        let key = "01 02 03 04 05 06 07 08 09 0A 0B 0C 0D 0E 0F 10"
        checkPDU(HCI.LEEnableEncryption.self, "40 00 11 22 33 44 55 66 77 88 34 12 " + key, .fixed)
        checkPDU(HCI.LELongTermKeyRequestReply.self, "40 00 " + key, .fixed)
        checkPDU(HCI.LELongTermKeyRequestNegativeReply.self, "40 00", .fixed)
        let point = (16...79).map { String($0, radix: 16) }.joined(separator: " ")
        checkPDU(HCI.LEReadLocalP256PublicKey.self, "", .fixed)
        checkPDU(HCI.LEGenerateDHKey.self, point, .fixed)
        checkPDU(HCI.LEGenerateDHKeyV2.self, point + " 01", .fixed)
        let generate = try HCI.LEGenerateDHKey(decoding: octets(point).span)
        #expect(generate.remoteKey.x.bigEndianOctet(31) == 16 && generate.remoteKey.y.bigEndianOctet(0) == 79)
        let value = try HCI.LEEnableEncryption(decoding: octets("40 00 11 22 33 44 55 66 77 88 34 12 " + key).span)
        #expect(value.randomNumber == 0x8877_6655_4433_2211 && value.encryptedDiversifier == 0x1234)
        #expect(value.longTermKey[0] == 1 && value.longTermKey[15] == 16)
    }

    @Test func dataLengthAndPHYCommandsRoundTripAndRejectWrongLengths() throws {
        checkPDU(HCI.LESetDataLength.self, "40 00 FB 00 48 08", .fixed)
        checkPDU(HCI.LEReadSuggestedDefaultDataLength.self, "", .fixed)
        checkPDU(HCI.LEReadSuggestedDefaultDataLength.ReturnParameters.self, "00 1B 00 48 01", .fixed)
        checkPDU(HCI.LEWriteSuggestedDefaultDataLength.self, "FB 00 48 08", .fixed)
        checkPDU(HCI.LEReadMaximumDataLength.self, "", .fixed)
        checkPDU(HCI.LEReadMaximumDataLength.ReturnParameters.self, "00 FB 00 48 08 FB 00 48 08", .fixed)
        checkPDU(HCI.LEReadPHY.self, "40 00", .fixed)
        checkPDU(HCI.LEReadPHY.ReturnParameters.self, "00 40 00 01 02", .fixed)
        checkPDU(HCI.LESetDefaultPHY.self, "00 03 02", .fixed)
        checkPDU(HCI.LESetPHY.self, "40 00 01 03 02 00 00", .fixed)
        let value = try HCI.LESetPHY(decoding: octets("40 00 01 03 02 00 00").span)
        #expect(
            value
                == .init(
                    connectionHandle: 0x40, noPreference: .noTxPreference, txPHYs: [.le1M, .le2M], rxPHYs: .le2M,
                    options: 0))
    }
}
