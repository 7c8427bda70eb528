import BLEWire

/// The handling of the host's packets. The controller answers every command in `supported`, with a resolving list also those in
/// `privacyCommands`, and every other one with Unknown HCI Command (Vol 1, Part F, 2.1).
extension Controller {
    static let supported: [HCI.Opcode] = [
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
        .leGenerateDHKeyV2,
    ]
    private static let supportedCommands = HCI.SupportedCommands(supported)
    private static let supportedCommandsWithPrivacy = HCI.SupportedCommands(supported + privacyCommands)

    private func supports(_ opcode: HCI.Opcode) -> Bool {
        Self.supported.contains(opcode) || privacy.hasResolvingList && Self.privacyCommands.contains(opcode)
    }

    /// Takes one H4 packet from the host.
    mutating func receive(_ packet: Span<UInt8>, _ medium: inout Medium) {
        guard let packet = try? H4.Packet(decoding: packet) else { return }
        switch packet {
        case .command(let command): receive(command.opcode, command.parameters, &medium)
        case .acl(let data): sendData(data, &medium)
        case .event, .other: break
        }
    }

    private mutating func receive(_ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium) {
        guard supports(opcode) else { return host.answer(opcode, status: .unknownHCICommand) }
        do throws(DecodeError) {
            if try handleGeneral(opcode, parameters, &medium) { return }
            if try handleAdvertising(opcode, parameters, &medium) { return }
            if try handleScanning(opcode, parameters, &medium) { return }
            if try handlePrivacy(opcode, parameters, &medium) { return }
            if try handleConnections(opcode, parameters, &medium) { return }
            if try handleEncryption(opcode, parameters, &medium) { return }
            if try handleCryptography(opcode, parameters) { return }
            if try handleLinkTuning(opcode, parameters, &medium) { return }
            host.answer(opcode, status: .unknownHCICommand)
        } catch {
            if Self.answeredByStatus.contains(opcode) {
                host.answer(opcode, status: .invalidHCICommandParameters)
            } else if Self.answeredWithHandle.contains(opcode), parameters.count >= 2 {
                // The connection handle follows the status after an error as well (Vol 4, Part E, 4.5).
                let handle = (UInt16(parameters[0]) | UInt16(parameters[1]) << 8) & 0x0FFF
                host.complete(opcode, .invalidHCICommandParameters, handle: handle)
            } else {
                host.complete(opcode, .invalidHCICommandParameters)
            }
        }
    }

    /// The commands whose return parameters contain a connection handle after the status.
    private static let answeredWithHandle: [HCI.Opcode] = [
        .readTransmitPowerLevel, .readRSSI, .leReadChannelMap, .leRemoteConnectionParameterRequestReply,
        .leRemoteConnectionParameterRequestNegativeReply, .leSetDataLength, .leReadPHY, .leLongTermKeyRequestReply,
        .leLongTermKeyRequestNegativeReply, .readAuthenticatedPayloadTimeout, .writeAuthenticatedPayloadTimeout,
    ]

    /// The commands that complete with Command Status (Vol 4, Part E, 7.7.15).
    private static let answeredByStatus: [HCI.Opcode] = [
        .disconnect, .readRemoteVersionInformation, .leCreateConnection, .leConnectionUpdate, .leReadRemoteFeatures,
        .leSetPHY, .leEnableEncryption, .leReadLocalP256PublicKey, .leGenerateDHKey, .leGenerateDHKeyV2,
    ]

    private mutating func handleGeneral(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(DecodeError) -> Bool {
        switch opcode {
        case .reset:
            _ = try HCI.Reset(decoding: parameters)
            reset(&medium)
            host.complete(opcode, .success)
        case .setEventMask:
            host.eventMask = try HCI.SetEventMask(decoding: parameters).mask
            host.complete(opcode, .success)
        case .setEventMaskPage2:
            host.eventMaskPage2 = try HCI.SetEventMaskPage2(decoding: parameters).mask
            host.complete(opcode, .success)
        case .leSetEventMask:
            host.leEventMask = try HCI.LESetEventMask(decoding: parameters).mask
            host.complete(opcode, .success)
        case .leSetRandomAddress:
            let address = try HCI.LESetRandomAddress(decoding: parameters).address
            // The address must not change while a role uses it (Vol 4, Part E, 7.8.4).
            guard advertising.state == .off, !scanning.isEnabled, !initiating.isEnabled else {
                host.complete(opcode, .commandDisallowed)
                return true
            }
            privacy.randomAddress = address.value
            host.complete(opcode, .success)
        default: return try readConstant(opcode, parameters)
        }
        return true
    }

    /// Commands that read constant values.
    private mutating func readConstant(_ opcode: HCI.Opcode, _ parameters: Span<UInt8>) throws(DecodeError) -> Bool {
        switch opcode {
        case .readLocalVersionInformation:
            _ = try HCI.ReadLocalVersionInformation(decoding: parameters)
            host.complete(
                HCI.ReadLocalVersionInformation.self,
                .init(
                    status: .success, hciVersion: .v5_4, hciSubversion: 1, lmpVersion: .v5_4,
                    companyIdentifier: 0xFFFF, lmpSubversion: 1))
        case .readLocalSupportedCommands:
            _ = try HCI.ReadLocalSupportedCommands(decoding: parameters)
            host.complete(
                HCI.ReadLocalSupportedCommands.self,
                .init(
                    status: .success,
                    supportedCommands: privacy.hasResolvingList
                        ? Self.supportedCommandsWithPrivacy : Self.supportedCommands))
        case .readLocalSupportedFeatures:
            _ = try HCI.ReadLocalSupportedFeatures(decoding: parameters)
            host.complete(
                HCI.ReadLocalSupportedFeatures.self,
                // An LE-only controller (Vol 2, Part C, 3.3).
                .init(status: .success, features: [.brEDRNotSupported, .leSupportedController]))
        case .readBufferSize:
            _ = try HCI.ReadBufferSize(decoding: parameters)
            host.complete(
                HCI.ReadBufferSize.self,
                .init(
                    status: .success, aclDataPacketLength: 0, synchronousDataPacketLength: 0, totalACLDataPackets: 0,
                    totalSynchronousDataPackets: 0))
        case .readBDADDR:
            _ = try HCI.ReadBDADDR(decoding: parameters)
            host.complete(HCI.ReadBDADDR.self, .init(status: .success, address: publicAddress))
        case .leReadBufferSize:
            _ = try HCI.LEReadBufferSize(decoding: parameters)
            host.complete(
                HCI.LEReadBufferSize.self,
                .init(
                    status: .success, leACLDataPacketLength: configuration.aclDataLength,
                    totalLEACLDataPackets: configuration.aclBufferCount))
        case .leReadLocalSupportedFeatures:
            _ = try HCI.LEReadLocalSupportedFeatures(decoding: parameters)
            host.complete(
                HCI.LEReadLocalSupportedFeatures.self,
                .init(
                    status: .success,
                    features: HCI.LEFeatures(rawValue: capabilities.features.rawValue).union(.remotePublicKeyValidation)
                ))
        case .leReadSupportedStates:
            _ = try HCI.LEReadSupportedStates(decoding: parameters)
            // All combinations of advertising, scanning, initiating and connected states (Vol 4, Part E, 7.8.27).
            host.complete(HCI.LEReadSupportedStates.self, .init(status: .success, states: 0x0000_03FF_FFFF_FFFF))
        case .leReadTransmitPower:
            _ = try HCI.LEReadTransmitPower(decoding: parameters)
            host.complete(
                HCI.LEReadTransmitPower.self,
                .init(
                    status: .success, minimum: configuration.transmitPower, maximum: configuration.transmitPower))
        default: return false
        }
        return true
    }
}
