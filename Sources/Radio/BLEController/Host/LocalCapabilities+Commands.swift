import BLEWire

/// The commands that a controller supports, and those that read constants.
extension LocalCapabilities {
    private static let supported: [HCI.Opcode] = [
        .disconnect, .readRemoteVersionInformation, .setEventMask, .reset, .readTransmitPowerLevel, .setEventMaskPage2,
        .readLocalVersionInformation, .readLocalSupportedCommands, .readLocalSupportedFeatures, .readBufferSize,
        .readBDADDR, .readRSSI, .readAuthenticatedPayloadTimeout, .writeAuthenticatedPayloadTimeout, .leSetEventMask,
        .leReadBufferSize, .leReadLocalSupportedFeatures, .leSetRandomAddress,
        .leSetAdvertisingParameters, .leReadAdvertisingPhysicalChannelTxPower, .leSetAdvertisingData,
        .leSetScanResponseData, .leSetAdvertisingEnable, .leSetScanParameters, .leSetScanEnable, .leCreateConnection,
        .leCreateConnectionCancel, .leReadFilterAcceptListSize, .leClearFilterAcceptList,
        .leAddDeviceToFilterAcceptList, .leRemoveDeviceFromFilterAcceptList, .leConnectionUpdate,
        .leSetHostChannelClassification, .leReadChannelMap, .leReadRemoteFeatures, .leEncrypt, .leRand,
        .leEnableEncryption, .leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply, .leReadSupportedStates,
        .leRemoteConnectionParameterRequestReply, .leRemoteConnectionParameterRequestNegativeReply, .leSetDataLength,
        .leReadSuggestedDefaultDataLength, .leWriteSuggestedDefaultDataLength, .leReadMaximumDataLength, .leReadPHY,
        .leSetDefaultPHY, .leSetPHY, .leReadTransmitPower, .leReadLocalP256PublicKey, .leGenerateDHKey,
        .leGenerateDHKeyV2, .leRequestPeerSCA, .leSetHostFeature, .leEnhancedReadTransmitPowerLevel,
        .leReadRemoteTransmitPowerLevel, .leSetPathLossReportingParameters, .leSetPathLossReportingEnable,
        .leSetTransmitPowerReportingEnable, .leSetDefaultSubrate, .leSubrateRequest, .vendorWriteBDADDR,
        .vendorWriteTransmitPower, .vendorWriteSleepClock,
    ]

    func supports(_ opcode: HCI.Opcode) -> Bool {
        if opcode == .leSetExtendedAdvertisingParametersV2 { return features.contains(.advertisingCodingSelection) }
        return Self.supported.contains(opcode) || hasResolvingList && LinkLayerPrivacy.commands.contains(opcode)
            || configuration.supportsExtendedAdvertising && CommandFamily.extendedCommands.contains(opcode)
            || features.contains(.periodicAdvertising) && CommandFamily.periodicCommands.contains(opcode)
    }

    private var supportedCommands: HCI.SupportedCommands {
        HCI.SupportedCommands(
            (Self.supported + LinkLayerPrivacy.commands + CommandFamily.extendedCommands
                + CommandFamily.periodicCommands).filter { supports($0) })
    }

    /// Answers a command that reads a constant. Returns false for another command.
    func handle(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ host: inout HostInterface
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .readLocalVersionInformation:
            try host.answer(
                HCI.ReadLocalVersionInformation.self, parameters,
                .init(
                    status: .success, hciVersion: .v5_4, hciSubversion: 1, lmpVersion: .v5_4,
                    companyIdentifier: 0xFFFF, lmpSubversion: 1))
        case .readLocalSupportedCommands:
            try host.answer(
                HCI.ReadLocalSupportedCommands.self, parameters,
                .init(status: .success, supportedCommands: supportedCommands))
        case .readLocalSupportedFeatures:
            // An LE-only controller (Vol 2, Part C, 3.3).
            try host.answer(
                HCI.ReadLocalSupportedFeatures.self, parameters,
                .init(status: .success, features: [.brEDRNotSupported, .leSupportedController]))
        case .readBufferSize:
            try host.answer(
                HCI.ReadBufferSize.self, parameters,
                .init(
                    status: .success, aclDataPacketLength: 0, synchronousDataPacketLength: 0, totalACLDataPackets: 0,
                    totalSynchronousDataPackets: 0))
        case .readBDADDR:
            let address = DeviceAddress(kind: .public, value: configuration.publicAddress?.value ?? 0)
            try host.answer(HCI.ReadBDADDR.self, parameters, .init(status: .success, address: address))
        default: return try handleLE(opcode, parameters, &host)
        }
        return true
    }

    private func handleLE(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ host: inout HostInterface
    ) throws(HCI.ErrorCode) -> Bool {
        let power = configuration.transmitPower
        switch opcode {
        case .leReadBufferSize:
            try host.answer(
                HCI.LEReadBufferSize.self, parameters,
                .init(
                    status: .success, leACLDataPacketLength: configuration.aclDataLength,
                    totalLEACLDataPackets: configuration.aclBufferCount))
        case .leReadLocalSupportedFeatures:
            let features = HCI.LEFeatures(rawValue: features.rawValue).union(.remotePublicKeyValidation)
            try host.answer(
                HCI.LEReadLocalSupportedFeatures.self, parameters, .init(status: .success, features: features))
        case .leReadSupportedStates:
            // All combinations of advertising, scanning, initiating and connected states (Vol 4, Part E, 7.8.27).
            try host.answer(
                HCI.LEReadSupportedStates.self, parameters, .init(status: .success, states: 0x0000_03FF_FFFF_FFFF))
        case .leReadTransmitPower:
            try host.answer(
                HCI.LEReadTransmitPower.self, parameters,
                .init(status: .success, minimum: powers.lowerBound, maximum: power))
        case .leReadAdvertisingPhysicalChannelTxPower:
            try host.answer(
                HCI.LEReadAdvertisingPhysicalChannelTxPower.self, parameters,
                .init(status: .success, transmitPowerLevel: power))
        case .leReadFilterAcceptListSize:
            try host.answer(
                HCI.LEReadFilterAcceptListSize.self, parameters,
                .init(status: .success, size: configuration.acceptListSize))
        case .leReadResolvingListSize:
            try host.answer(
                HCI.LEReadResolvingListSize.self, parameters,
                .init(status: .success, size: configuration.resolvingListSize))
        case .leReadMaximumDataLength:
            try host.answer(
                HCI.LEReadMaximumDataLength.self, parameters,
                .init(
                    status: .success, maximumTxOctets: length.octets, maximumTxTime: length.time,
                    maximumRxOctets: length.octets, maximumRxTime: length.time))
        case .leReadMaximumAdvertisingDataLength:
            try host.answer(
                HCI.LEReadMaximumAdvertisingDataLength.self, parameters,
                .init(status: .success, maximumLength: UInt16(LL.maximumExtendedAdvertisingData)))
        default: return false
        }
        return true
    }
}
