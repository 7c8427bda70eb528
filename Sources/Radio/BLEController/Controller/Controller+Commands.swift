import BLEWire

/// The handling of the host's packets. The controller answers a command that it does not support with Unknown HCI Command (Vol 1, Part F, 2.1).
extension Controller {
    /// Takes one H4 packet from the host.
    mutating func receive(_ packet: Span<UInt8>, _ medium: inout Medium) {
        guard let packet = try? H4.Packet(decoding: packet) else { return }
        switch packet {
        case .command(let command): receive(command.opcode, command.parameters, &medium)
        case .acl(let data): shared.connections.sendData(data, &shared.radio, &shared.host, &medium)
        case .event, .other: break
        }
        if shared.radio.isReleased { reuseRadio(&medium) }
    }

    private mutating func receive(_ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium) {
        guard shared.capabilities.supports(opcode) else {
            return shared.host.answer(opcode, status: .unknownHCICommand)
        }
        do throws(HCI.ErrorCode) {
            try choose(CommandFamily(opcode))
            if try shared.capabilities.handle(opcode, parameters, &shared.host) { return }
            if try handleGeneral(opcode, parameters, &medium) { return }
            if try advertising.handle(opcode, parameters, &shared, &medium) { return }
            if try discovery.handleScanning(opcode, parameters, &shared, &medium) { return }
            if try discovery.handleInitiating(opcode, parameters, &shared, &medium) { return }
            if try discovery.syncs.handle(opcode, parameters, &shared, &medium) { return }
            if try shared.acceptList.handle(opcode, parameters, isInUse: isAcceptListInUse, &shared.host) { return }
            if try shared.privacy.handle(
                opcode, parameters, hasActiveRole: hasActiveRole || discovery.syncs.request != nil, shared.cryptography,
                &shared.radio, &shared.host,
                &medium)
            {
                return
            }
            if try cryptographicFunctions.handle(opcode, parameters, shared.cryptography, &shared.host) { return }
            if try handleTransfer(opcode, parameters, &medium) { return }
            if try shared.connections.handle(opcode, parameters, &shared.radio, &shared.host, &medium) {
                if opcode == .leSetHostChannelClassification {
                    advertising.useChannels(shared.connections.defaults.channelClassification)
                }
                return
            }
            shared.host.answer(opcode, status: .unknownHCICommand)
        } catch {
            refuse(opcode, parameters, error)
        }
    }

    private mutating func choose(_ family: CommandFamily?) throws(HCI.ErrorCode) {
        guard let family else { return }
        guard shared.commandFamily ?? family == family else { throw .commandDisallowed }
        shared.commandFamily = family
    }

    private mutating func refuse(_ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ status: HCI.ErrorCode) {
        if Self.answeredByStatus.contains(opcode) {
            shared.host.answer(opcode, status: status)
        } else if Self.answeredWithHandle.contains(opcode), parameters.count >= 2 {
            // The connection handle follows the status after an error as well (Vol 4, Part E, 4.5).
            shared.host.complete(opcode, status, handle: (UInt16(parameters[0]) | UInt16(parameters[1]) << 8) & 0x0FFF)
        } else if Self.answeredWithAdvertisingHandle.contains(opcode), parameters.count >= 1 {
            shared.host.complete(opcode, status, advertisingHandle: parameters[0])
        } else {
            shared.host.complete(opcode, status)
        }
    }

    /// The commands whose return parameters contain an advertising handle after the status.
    private static let answeredWithAdvertisingHandle: [HCI.Opcode] = [
        .leSetPeriodicAdvertisingParametersV2, .leSetPeriodicAdvertisingSubeventData,
    ]

    /// The commands whose return parameters contain a connection handle or a sync handle after the status.
    private static let answeredWithHandle: [HCI.Opcode] = [
        .readTransmitPowerLevel, .readRSSI, .leReadChannelMap, .leRemoteConnectionParameterRequestReply,
        .leRemoteConnectionParameterRequestNegativeReply, .leSetDataLength, .leReadPHY, .leLongTermKeyRequestReply,
        .leLongTermKeyRequestNegativeReply, .readAuthenticatedPayloadTimeout, .writeAuthenticatedPayloadTimeout,
        .leEnhancedReadTransmitPowerLevel, .leSetPathLossReportingParameters, .leSetPathLossReportingEnable,
        .leSetTransmitPowerReportingEnable,
        .lePeriodicAdvertisingSyncTransfer, .lePeriodicAdvertisingSetInfoTransfer,
        .leSetPeriodicAdvertisingSyncTransferParameters, .leSetPeriodicAdvertisingResponseData,
        .leSetPeriodicSyncSubevent,
    ]

    /// The commands that complete with Command Status (Vol 4, Part E, 7.7.15).
    private static let answeredByStatus: [HCI.Opcode] = [
        .disconnect, .readRemoteVersionInformation, .leCreateConnection, .leConnectionUpdate, .leReadRemoteFeatures,
        .leSetPHY, .leEnableEncryption, .leReadLocalP256PublicKey, .leGenerateDHKey, .leGenerateDHKeyV2,
        .leExtendedCreateConnection, .leRequestPeerSCA, .leSubrateRequest, .lePeriodicAdvertisingCreateSync,
        .leReadRemoteTransmitPowerLevel,
    ]

    private mutating func handleGeneral(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .reset:
            _ = try HCI.Reset(from: parameters)
            reset(&medium)
            shared.host.complete(opcode, .success)
        case .setEventMask:
            shared.host.eventMask = try HCI.SetEventMask(from: parameters).mask
            shared.host.complete(opcode, .success)
        case .setEventMaskPage2:
            shared.host.eventMaskPage2 = try HCI.SetEventMaskPage2(from: parameters).mask
            shared.host.complete(opcode, .success)
        case .leSetEventMask:
            shared.host.leEventMask = try HCI.LESetEventMask(from: parameters).mask
            shared.host.complete(opcode, .success)
        case .leSetRandomAddress:
            let address = try HCI.LESetRandomAddress(from: parameters).address
            // The address must not change while a role uses it (Vol 4, Part E, 7.8.4).
            // Sets of the extended commands have addresses of their own.
            guard
                !hasActiveRole
                    || shared.commandFamily == .extended && !discovery.scanning.isEnabled
                        && !discovery.initiating.isEnabled
            else {
                throw .commandDisallowed
            }
            shared.privacy.randomAddress = address.value
            shared.host.complete(opcode, .success)
        case .vendorWriteBDADDR:
            let address = try HCI.VendorWriteBDADDR(from: parameters).address
            guard !hasActiveRole, shared.connections.links.openSlots.isEmpty else { throw .commandDisallowed }
            shared.capabilities.set(publicAddress: address)
            shared.privacy.publicAddress = address
            shared.host.complete(opcode, .success)
        case .vendorWriteSleepClock:
            let command = try HCI.VendorWriteSleepClock(from: parameters)
            guard let clock = ClockSetting(error: Int(command.error), announcing: command.accuracy) else {
                throw .invalidHCICommandParameters
            }
            use(clock, &medium)
            shared.host.complete(opcode, .success)
        default: return false
        }
        return true
    }

    private var hasActiveRole: Bool {
        advertising.isEnabled || discovery.scanning.isEnabled || discovery.initiating.isEnabled
    }

    /// Whether an active role filters by the list.
    private var isAcceptListInUse: Bool {
        advertising.usesAcceptList
            || (discovery.scanning.isEnabled && discovery.scanning.settings.filterPolicy.usesAcceptList)
            || (discovery.initiating.isEnabled && discovery.initiating.request.filterPolicy == .acceptList)
    }
}
