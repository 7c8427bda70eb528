extension HCI {
    /// The first-page events that the host enables (Vol 4, Part E, 7.3.1). Bit n stands for event code n + 1.
    package struct EventMask: OptionSet, Hashable, Sendable {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        package static let disconnectionComplete = EventMask(rawValue: 1 << 4)
        package static let encryptionChange = EventMask(rawValue: 1 << 7)
        package static let readRemoteVersionInformationComplete = EventMask(rawValue: 1 << 11)
        package static let hardwareError = EventMask(rawValue: 1 << 15)
        package static let dataBufferOverflow = EventMask(rawValue: 1 << 25)
        package static let encryptionKeyRefreshComplete = EventMask(rawValue: 1 << 47)
        package static let leMeta = EventMask(rawValue: 1 << 61)

        /// The mask after a reset. It does not include LE Meta.
        package static let `default` = EventMask(rawValue: 0x0000_1FFF_FFFF_FFFF)

        /// Whether the first page allows the controller to send this event. Command Complete, Command Status and Number
        /// Of Completed Packets cannot be turned off, nor can events without a bit in the page.
        package func allows(_ event: HCI.EventCode) -> Bool {
            switch event {
            case .commandComplete, .commandStatus, .numberOfCompletedPackets: true
            default: event.rawValue == 0 || event.rawValue > 64 || rawValue >> UInt64(event.rawValue - 1) & 1 == 1
            }
        }
    }

    /// The second-page events that the host enables (Vol 4, Part E, 7.3.69). The mask is empty after a reset.
    package struct EventMaskPage2: OptionSet, Hashable, Sendable {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        package static let authenticatedPayloadTimeoutExpired = EventMaskPage2(rawValue: 1 << 23)
        package static let encryptionChangeV2 = EventMaskPage2(rawValue: 1 << 25)
    }

    /// The LE events that the host enables (Vol 4, Part E, 7.8.1). Bit n stands for subevent code n + 1.
    package struct LEEventMask: OptionSet, Hashable, Sendable {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        package static let connectionComplete = LEEventMask(rawValue: 1 << 0)
        package static let advertisingReport = LEEventMask(rawValue: 1 << 1)
        package static let connectionUpdateComplete = LEEventMask(rawValue: 1 << 2)
        package static let readRemoteFeaturesComplete = LEEventMask(rawValue: 1 << 3)
        package static let longTermKeyRequest = LEEventMask(rawValue: 1 << 4)
        package static let remoteConnectionParameterRequest = LEEventMask(rawValue: 1 << 5)
        package static let dataLengthChange = LEEventMask(rawValue: 1 << 6)
        package static let enhancedConnectionComplete = LEEventMask(rawValue: 1 << 9)
        package static let directedAdvertisingReport = LEEventMask(rawValue: 1 << 10)
        package static let phyUpdateComplete = LEEventMask(rawValue: 1 << 11)
        package static let extendedAdvertisingReport = LEEventMask(rawValue: 1 << 12)
        package static let periodicAdvertisingSyncEstablished = LEEventMask(rawValue: 1 << 13)
        package static let periodicAdvertisingReport = LEEventMask(rawValue: 1 << 14)
        package static let periodicAdvertisingSyncLost = LEEventMask(rawValue: 1 << 15)
        package static let scanTimeout = LEEventMask(rawValue: 1 << 16)
        package static let advertisingSetTerminated = LEEventMask(rawValue: 1 << 17)
        package static let scanRequestReceived = LEEventMask(rawValue: 1 << 18)
        package static let channelSelectionAlgorithm = LEEventMask(rawValue: 1 << 19)
        package static let periodicAdvertisingSyncTransferReceived = LEEventMask(rawValue: 1 << 23)
        package static let requestPeerSCAComplete = LEEventMask(rawValue: 1 << 30)
        package static let pathLossThreshold = LEEventMask(rawValue: 1 << 31)
        package static let transmitPowerReporting = LEEventMask(rawValue: 1 << 32)
        package static let subrateChange = LEEventMask(rawValue: 1 << 34)
        package static let periodicAdvertisingSyncEstablishedV2 = LEEventMask(rawValue: 1 << 35)
        package static let periodicAdvertisingReportV2 = LEEventMask(rawValue: 1 << 36)
        package static let periodicAdvertisingSyncTransferReceivedV2 = LEEventMask(rawValue: 1 << 37)
        package static let periodicAdvertisingSubeventDataRequest = LEEventMask(rawValue: 1 << 38)
        package static let periodicAdvertisingResponseReport = LEEventMask(rawValue: 1 << 39)

        /// The mask after a reset: the first five events.
        package static let `default` = LEEventMask(rawValue: 0x1F)

        /// Whether the controller may send this event.
        package func allows(_ event: HCI.LESubeventCode) -> Bool {
            (1...64).contains(event.rawValue) && rawValue >> UInt64(event.rawValue - 1) & 1 == 1
        }
    }

    /// LE features, page 0: those of the controller, or those of the peer from a feature exchange (Vol 6, Part B, 4.6).
    package struct LEFeatures: OptionSet, Hashable, Sendable {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        package static let encryption = LEFeatures(rawValue: 1 << 0)
        package static let connectionParametersRequest = LEFeatures(rawValue: 1 << 1)
        package static let extendedRejectIndication = LEFeatures(rawValue: 1 << 2)
        package static let peripheralInitiatedFeaturesExchange = LEFeatures(rawValue: 1 << 3)
        package static let ping = LEFeatures(rawValue: 1 << 4)
        package static let dataPacketLengthExtension = LEFeatures(rawValue: 1 << 5)
        package static let privacy = LEFeatures(rawValue: 1 << 6)
        package static let extendedScannerFilterPolicies = LEFeatures(rawValue: 1 << 7)
        package static let phy2M = LEFeatures(rawValue: 1 << 8)
        package static let stableModulationIndexTransmitter = LEFeatures(rawValue: 1 << 9)
        package static let stableModulationIndexReceiver = LEFeatures(rawValue: 1 << 10)
        package static let phyCoded = LEFeatures(rawValue: 1 << 11)
        package static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)
        package static let periodicAdvertising = LEFeatures(rawValue: 1 << 13)
        package static let channelSelectionAlgorithm2 = LEFeatures(rawValue: 1 << 14)
        package static let powerClass1 = LEFeatures(rawValue: 1 << 15)
        package static let minimumNumberOfUsedChannels = LEFeatures(rawValue: 1 << 16)
        package static let periodicSyncTransferSender = LEFeatures(rawValue: 1 << 24)
        package static let periodicSyncTransferRecipient = LEFeatures(rawValue: 1 << 25)
        package static let clockAccuracyUpdates = LEFeatures(rawValue: 1 << 26)
        /// Two bits, which are equal.
        package static let powerControl = LEFeatures(rawValue: 3 << 33)
        package static let pathLossMonitoring = LEFeatures(rawValue: 1 << 35)
        package static let periodicAdvertisingADI = LEFeatures(rawValue: 1 << 36)
        package static let subrating = LEFeatures(rawValue: 1 << 37)
        package static let subratingHostSupport = LEFeatures(rawValue: 1 << 38)
        package static let channelClassification = LEFeatures(rawValue: 1 << 39)
        package static let advertisingCodingSelection = LEFeatures(rawValue: 1 << 40)
        package static let advertisingCodingSelectionHostSupport = LEFeatures(rawValue: 1 << 41)
        package static let periodicAdvertisingWithResponsesAdvertiser = LEFeatures(rawValue: 1 << 43)
        package static let periodicAdvertisingWithResponsesScanner = LEFeatures(rawValue: 1 << 44)
    }

    /// The first page of LMP features (Vol 2, Part C, 3.3). An LE-only controller has few of them.
    package struct LMPFeatures: OptionSet, Hashable, Sendable {
        package let rawValue: UInt64
        package init(rawValue: UInt64) { self.rawValue = rawValue }

        package static let brEDRNotSupported = LMPFeatures(rawValue: 1 << 37)
        package static let leSupportedController = LMPFeatures(rawValue: 1 << 38)
    }

    /// The 37 data channels in use; bit n is channel index n (Vol 4, Part E, 7.8.19).
    package struct ChannelMap: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt64
        /// Uses only the low 37 bits.
        package init(rawValue: UInt64) { self.rawValue = rawValue & 0x1F_FFFF_FFFF }

        package static let all = ChannelMap(rawValue: 0x1F_FFFF_FFFF)

        package func contains(_ channel: Int) -> Bool {
            (0..<37).contains(channel) && rawValue >> UInt64(channel) & 1 == 1
        }

        /// The number of channels in use.
        package var count: Int { rawValue.nonzeroBitCount }
    }
}
