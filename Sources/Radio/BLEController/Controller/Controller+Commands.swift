import BLEWire

/// The handling of the host's packets. The controller answers a command that it does not support with Unknown HCI Command (Vol 1, Part F, 2.1).
extension Controller {
    /// Takes one H4 packet from the host.
    mutating func receive(_ packet: Span<UInt8>, _ medium: inout Medium) {
        guard let packet = try? H4.Packet(decoding: packet) else { return }
        switch packet {
        case .command(let command): receive(command.opcode, command.parameters, &medium)
        case .acl(let data): connections.sendData(data, &radio, &host, &medium)
        case .event, .other: break
        }
        if radio.isReleased { reuseRadio(&medium) }
    }

    private mutating func receive(_ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium) {
        guard capabilities.supports(opcode) else { return host.answer(opcode, status: .unknownHCICommand) }
        do throws(HCI.ErrorCode) {
            try choose(CommandFamily(opcode))
            if try capabilities.handle(opcode, parameters, &host) { return }
            if try handleGeneral(opcode, parameters, &medium) { return }
            if try handleAdvertising(opcode, parameters, &medium) { return }
            if try handleScanning(opcode, parameters, &medium) { return }
            if try handleInitiating(opcode, parameters, &medium) { return }
            if try acceptList.handle(opcode, parameters, isInUse: isAcceptListInUse, &host) { return }
            if try privacy.handle(
                opcode, parameters, hasActiveRole: hasActiveRole, cryptography, &radio, &host, &medium)
            {
                return
            }
            if try cryptographicFunctions.handle(opcode, parameters, cryptography, &host) { return }
            if try connections.handle(opcode, parameters, &radio, &host, &medium) { return }
            host.answer(opcode, status: .unknownHCICommand)
        } catch {
            refuse(opcode, parameters, error)
        }
    }

    private mutating func choose(_ family: CommandFamily?) throws(HCI.ErrorCode) {
        guard let family else { return }
        guard commandFamily ?? family == family else { throw .commandDisallowed }
        commandFamily = family
    }

    private mutating func refuse(_ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ status: HCI.ErrorCode) {
        if Self.answeredByStatus.contains(opcode) {
            host.answer(opcode, status: status)
        } else if Self.answeredWithHandle.contains(opcode), parameters.count >= 2 {
            // The connection handle follows the status after an error as well (Vol 4, Part E, 4.5).
            host.complete(opcode, status, handle: (UInt16(parameters[0]) | UInt16(parameters[1]) << 8) & 0x0FFF)
        } else {
            host.complete(opcode, status)
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
        .leExtendedCreateConnection,
    ]

    private mutating func handleGeneral(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .reset:
            _ = try HCI.Reset(from: parameters)
            reset(&medium)
            host.complete(opcode, .success)
        case .setEventMask:
            host.eventMask = try HCI.SetEventMask(from: parameters).mask
            host.complete(opcode, .success)
        case .setEventMaskPage2:
            host.eventMaskPage2 = try HCI.SetEventMaskPage2(from: parameters).mask
            host.complete(opcode, .success)
        case .leSetEventMask:
            host.leEventMask = try HCI.LESetEventMask(from: parameters).mask
            host.complete(opcode, .success)
        case .leSetRandomAddress:
            let address = try HCI.LESetRandomAddress(from: parameters).address
            // The address must not change while a role uses it (Vol 4, Part E, 7.8.4).
            // Sets of the extended commands have addresses of their own.
            guard !hasActiveRole || commandFamily == .extended && !scanning.isEnabled && !initiating.isEnabled else {
                throw .commandDisallowed
            }
            privacy.randomAddress = address.value
            host.complete(opcode, .success)
        default: return false
        }
        return true
    }

    private var hasActiveRole: Bool { advertising.isEnabled || scanning.isEnabled || initiating.isEnabled }

    /// Whether an active role filters by the list.
    private var isAcceptListInUse: Bool {
        advertising.usesAcceptList
            || (scanning.isEnabled && scanning.settings.filterPolicy.usesAcceptList)
            || (initiating.isEnabled && initiating.request.filterPolicy == .acceptList)
    }
}
