extension HCI {
    /// The commands that a controller supports: 64 octets with a bit for each (Vol 4, Part E, 6.27).
    package struct SupportedCommands: Sendable {
        package var octets: InlineArray<64, UInt8>

        package init(octets: InlineArray<64, UInt8>) { self.octets = octets }

        /// No command.
        package init() { octets = InlineArray(repeating: 0) }

        /// Sets the bits of these commands. Commands without a known bit are left out.
        package init(_ commands: [HCI.Opcode]) {
            self.init()
            for command in commands { insert(command) }
        }

        /// Whether the command's bit is set; false if the command has no known bit.
        package func contains(_ command: HCI.Opcode) -> Bool {
            guard let bit = command.supportedCommandBit else { return false }
            return octets[bit.octet] & bit.mask != 0
        }

        package mutating func insert(_ command: HCI.Opcode) {
            guard let bit = command.supportedCommandBit else { return }
            octets[bit.octet] |= bit.mask
        }

        package mutating func remove(_ command: HCI.Opcode) {
            guard let bit = command.supportedCommandBit else { return }
            octets[bit.octet] &= ~bit.mask
        }
    }

    /// The position of a command in the 64 octets.
    package struct SupportedCommandBit: Hashable, Sendable {
        package let octet: Int
        package let mask: UInt8

        fileprivate init(_ octet: Int, _ bit: UInt8) {
            self.octet = octet
            mask = 1 << bit
        }
    }
}

extension HCI.SupportedCommands: Hashable {
    package static func == (left: Self, right: Self) -> Bool {
        left.octets.span.elementsEqual(right.octets.span)
    }

    package func hash(into hasher: inout Hasher) {
        for index in octets.indices { hasher.combine(octets[index]) }
    }
}

extension HCI.Opcode {
    /// The command's bit in Read Local Supported Commands; nil if it has none or is unknown.
    package var supportedCommandBit: HCI.SupportedCommandBit? {
        switch self {
        case .disconnect: .init(0, 5)
        case .readRemoteVersionInformation: .init(2, 7)
        case .setEventMask: .init(5, 6)
        case .reset: .init(5, 7)
        case .readTransmitPowerLevel: .init(10, 2)
        case .setControllerToHostFlowControl: .init(10, 5)
        case .hostBufferSize: .init(10, 6)
        case .hostNumberOfCompletedPackets: .init(10, 7)
        case .setEventMaskPage2: .init(22, 2)
        case .readLEHostSupport: .init(24, 5)
        case .writeLEHostSupport: .init(24, 6)
        case .readAuthenticatedPayloadTimeout: .init(32, 4)
        case .writeAuthenticatedPayloadTimeout: .init(32, 5)
        case .readLocalVersionInformation: .init(14, 3)
        case .readLocalSupportedFeatures: .init(14, 5)
        case .readLocalExtendedFeatures: .init(14, 6)
        case .readBufferSize: .init(14, 7)
        case .readBDADDR: .init(15, 1)
        case .readRSSI: .init(15, 5)
        case .leSetEventMask: .init(25, 0)
        case .leReadBufferSize: .init(25, 1)
        case .leReadLocalSupportedFeatures: .init(25, 2)
        case .leSetRandomAddress: .init(25, 4)
        case .leSetAdvertisingParameters: .init(25, 5)
        case .leReadAdvertisingPhysicalChannelTxPower: .init(25, 6)
        case .leSetAdvertisingData: .init(25, 7)
        case .leSetScanResponseData: .init(26, 0)
        case .leSetAdvertisingEnable: .init(26, 1)
        case .leSetScanParameters: .init(26, 2)
        case .leSetScanEnable: .init(26, 3)
        case .leCreateConnection: .init(26, 4)
        case .leCreateConnectionCancel: .init(26, 5)
        case .leReadFilterAcceptListSize: .init(26, 6)
        case .leClearFilterAcceptList: .init(26, 7)
        case .leAddDeviceToFilterAcceptList: .init(27, 0)
        case .leRemoveDeviceFromFilterAcceptList: .init(27, 1)
        case .leConnectionUpdate: .init(27, 2)
        case .leSetHostChannelClassification: .init(27, 3)
        case .leReadChannelMap: .init(27, 4)
        case .leReadRemoteFeatures: .init(27, 5)
        case .leEncrypt: .init(27, 6)
        case .leRand: .init(27, 7)
        case .leEnableEncryption: .init(28, 0)
        case .leLongTermKeyRequestReply: .init(28, 1)
        case .leLongTermKeyRequestNegativeReply: .init(28, 2)
        case .leReadSupportedStates: .init(28, 3)
        case .leRemoteConnectionParameterRequestReply: .init(33, 4)
        case .leRemoteConnectionParameterRequestNegativeReply: .init(33, 5)
        case .leSetDataLength: .init(33, 6)
        case .leReadSuggestedDefaultDataLength: .init(33, 7)
        case .leWriteSuggestedDefaultDataLength: .init(34, 0)
        case .leReadLocalP256PublicKey: .init(34, 1)
        case .leGenerateDHKey: .init(34, 2)
        case .leAddDeviceToResolvingList: .init(34, 3)
        case .leRemoveDeviceFromResolvingList: .init(34, 4)
        case .leClearResolvingList: .init(34, 5)
        case .leReadResolvingListSize: .init(34, 6)
        case .leReadPeerResolvableAddress: .init(34, 7)
        case .leReadLocalResolvableAddress: .init(35, 0)
        case .leSetAddressResolutionEnable: .init(35, 1)
        case .leSetResolvablePrivateAddressTimeout: .init(35, 2)
        case .leReadMaximumDataLength: .init(35, 3)
        case .leReadPHY: .init(35, 4)
        case .leSetDefaultPHY: .init(35, 5)
        case .leSetPHY: .init(35, 6)
        case .leSetAdvertisingSetRandomAddress: .init(36, 1)
        case .leSetExtendedAdvertisingParameters: .init(36, 2)
        case .leSetExtendedAdvertisingData: .init(36, 3)
        case .leSetExtendedScanResponseData: .init(36, 4)
        case .leSetExtendedAdvertisingEnable: .init(36, 5)
        case .leReadMaximumAdvertisingDataLength: .init(36, 6)
        case .leReadNumberOfSupportedAdvertisingSets: .init(36, 7)
        case .leRemoveAdvertisingSet: .init(37, 0)
        case .leClearAdvertisingSets: .init(37, 1)
        case .leSetPeriodicAdvertisingParameters: .init(37, 2)
        case .leSetPeriodicAdvertisingData: .init(37, 3)
        case .leSetPeriodicAdvertisingEnable: .init(37, 4)
        case .leSetExtendedScanParameters: .init(37, 5)
        case .leSetExtendedScanEnable: .init(37, 6)
        case .leExtendedCreateConnection: .init(37, 7)
        case .lePeriodicAdvertisingCreateSync: .init(38, 0)
        case .lePeriodicAdvertisingCreateSyncCancel: .init(38, 1)
        case .lePeriodicAdvertisingTerminateSync: .init(38, 2)
        case .leAddDeviceToPeriodicAdvertiserList: .init(38, 3)
        case .leRemoveDeviceFromPeriodicAdvertiserList: .init(38, 4)
        case .leClearPeriodicAdvertiserList: .init(38, 5)
        case .leReadPeriodicAdvertiserListSize: .init(38, 6)
        case .leReadTransmitPower: .init(38, 7)
        case .leSetPrivacyMode: .init(39, 2)
        case .leSetPeriodicAdvertisingReceiveEnable: .init(40, 5)
        case .lePeriodicAdvertisingSyncTransfer: .init(40, 6)
        case .lePeriodicAdvertisingSetInfoTransfer: .init(40, 7)
        case .leSetPeriodicAdvertisingSyncTransferParameters: .init(41, 0)
        case .leSetDefaultPeriodicAdvertisingSyncTransferParameters: .init(41, 1)
        case .leGenerateDHKeyV2: .init(41, 2)
        case .leReadBufferSizeV2: .init(41, 5)
        case .leRequestPeerSCA: .init(43, 2)
        case .leSetHostFeature: .init(44, 1)
        case .leEnhancedReadTransmitPowerLevel: .init(44, 3)
        case .leReadRemoteTransmitPowerLevel: .init(44, 4)
        case .leSetPathLossReportingParameters: .init(44, 5)
        case .leSetPathLossReportingEnable: .init(44, 6)
        case .leSetTransmitPowerReportingEnable: .init(44, 7)
        case .leSetDefaultSubrate: .init(46, 0)
        case .leSubrateRequest: .init(46, 1)
        case .leSetExtendedAdvertisingParametersV2: .init(46, 2)
        case .leSetPeriodicAdvertisingSubeventData: .init(46, 5)
        case .leSetPeriodicAdvertisingResponseData: .init(46, 6)
        case .leSetPeriodicSyncSubevent: .init(46, 7)
        case .leSetPeriodicAdvertisingParametersV2: .init(47, 1)
        default: nil
        }
    }
}
