import BLEWire

/// The transfer of trains on links (Vol 6, Part B, 5.1.13; Vol 4, Part E, 7.8.89 to 7.8.92).
extension Controller {
    mutating func handleTransfer(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .lePeriodicAdvertisingSyncTransfer:
            let command = try HCI.LEPeriodicAdvertisingSyncTransfer(from: parameters)
            let link = try shared.connections.slot(of: command.connectionHandle)
            guard let entry = try discovery.syncs[discovery.syncs.slot(of: command.syncHandle)] else {
                throw .unknownAdvertisingIdentifier
            }
            try shared.connections.transfer(
                PeriodicSyncTransfer(entry.sync, at: medium.now), command.serviceData, link, &shared.radio,
                &shared.host, &medium)
            shared.host.complete(opcode, .success, handle: command.connectionHandle)
        case .lePeriodicAdvertisingSetInfoTransfer:
            let command = try HCI.LEPeriodicAdvertisingSetInfoTransfer(from: parameters)
            let link = try shared.connections.slot(of: command.connectionHandle)
            let set = try advertising.slot(of: command.advertisingHandle)
            // The address does not change during an event.
            if !advertising[set].isInEvent { advertising.chooseAddress(of: set, shared) }
            guard let train = advertising[set].periodic,
                let transfer = PeriodicSyncTransfer(train, of: advertising[set].addresses.own)
            else { throw .commandDisallowed }
            try shared.connections.transfer(
                transfer, command.serviceData, link, &shared.radio, &shared.host, &medium)
            shared.host.complete(opcode, .success, handle: command.connectionHandle)
        case .leSetPeriodicAdvertisingSyncTransferParameters:
            let command = try HCI.LESetPeriodicAdvertisingSyncTransferParameters(from: parameters)
            let link = try shared.connections.slot(of: command.connectionHandle)
            shared.connections.links[link].syncTransfer.reception = try .ofTransfers(
                command.mode, skip: command.skip, timeout: command.syncTimeout,
                excluded: command.excludedToneExtensions)
            shared.host.complete(opcode, .success, handle: command.connectionHandle)
        case .leSetDefaultPeriodicAdvertisingSyncTransferParameters:
            let command = try HCI.LESetDefaultPeriodicAdvertisingSyncTransferParameters(from: parameters)
            shared.connections.defaults.syncTransfer = try .ofTransfers(
                command.mode, skip: command.skip, timeout: command.syncTimeout,
                excluded: command.excludedToneExtensions)
            shared.host.complete(opcode, .success)
        default: return false
        }
        return true
    }

    /// Begins to receive the trains that peers have told of. The controller ignores one that it receives already, and one without a free slot.
    mutating func takeTransfers(_ medium: inout Medium) {
        for received in shared.connections.transfers {
            let (transfer, responses) = (received.transfer.sync, received.transfer.responses)
            guard
                let advertiser = shared.privacy.identify(
                    transfer.advertiserAddress, using: shared.cryptography.provider),
                !discovery.syncs.contains(advertiser, setID: transfer.advertiserInfo.setID),
                let sync = PeriodicSync(
                    transfer, responses, on: received.link, of: advertiser, supported: shared.capabilities.phys,
                    received.reception, accuracy: shared.capabilities.configuration.clock.accuracy,
                    expectsDrift: !medium.clocks.isEmpty, now: medium.now)
            else { continue }
            let origin = PeriodicSyncs.Origin.transfer(
                connection: received.connection, serviceData: transfer.identifier)
            _ = discovery.syncs.receive(sync, origin, &shared, &medium)
        }
        shared.connections.transfers.removeAll(keepingCapacity: true)
    }
}
