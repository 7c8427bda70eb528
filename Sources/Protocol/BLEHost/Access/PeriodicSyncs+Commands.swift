import BLEWire

extension PeriodicSyncs {
    enum Command: Hashable, Sendable {
        /// Nil uses the list.
        case create(PeriodicTrainIdentifier?, PeriodicSyncParameters)
        case cancel
        case terminate(UInt16)
        case list(PeriodicTrainIdentifier)
        case unlist(PeriodicTrainIdentifier)
        case setReception(UInt16, HCI.PeriodicReceiveEnable)
        case transfer(Transfer)
    }

    /// A command about the transfer of knowledge over a link (Vol 4, Part E, 7.8.89 to 7.8.91).
    struct Transfer: Hashable, Sendable {
        enum Content: Hashable, Sendable {
            /// Tells of a received train.
            case sync(PeriodicTrainIdentifier, handle: UInt16, serviceData: UInt16)
            /// Tells of the train of an own set.
            case set(AdvertisingSet, serviceData: UInt16)
            /// Accepts trains of which the peer tells; nil ignores them.
            case accept(PeriodicSyncParameters?)
        }

        let content: Content
        let link: LinkIdentifier
        /// The connection handle of the link.
        let handle: UInt16
        /// Of the caller, for the event.
        let token: Int

        /// What events call it.
        var name: PeriodicTransfer {
            switch content {
            case .sync(let train, _, _): .train(train)
            case .set(let set, _): .set(set)
            case .accept: .acceptance
            }
        }
    }

    /// Queues a command.
    static func enqueue(_ command: Command, _ commands: inout CommandPump) {
        switch command {
        case .create(let train, let parameters):
            var options = parameters.options
            if train == nil { options.insert(.usesList) }
            commands.enqueue(
                HCI.LEPeriodicAdvertisingCreateSync(
                    options: options, advertisingSID: train?.sid ?? 0,
                    advertiserAddress: train?.address ?? DeviceAddress(kind: .public, value: 0), skip: parameters.skip,
                    syncTimeout: parameters.timeout),
                for: .syncs)
        case .cancel: commands.enqueue(HCI.LEPeriodicAdvertisingCreateSyncCancel(), for: .syncs)
        case .terminate(let handle):
            commands.enqueue(HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: handle), for: .syncs)
        case .list(let train):
            commands.enqueue(
                HCI.LEAddDeviceToPeriodicAdvertiserList(advertiserAddress: train.address, advertisingSID: train.sid),
                for: .syncs)
        case .unlist(let train):
            commands.enqueue(
                HCI.LERemoveDeviceFromPeriodicAdvertiserList(
                    advertiserAddress: train.address, advertisingSID: train.sid),
                for: .syncs)
        case .setReception(let handle, let enable):
            commands.enqueue(
                HCI.LESetPeriodicAdvertisingReceiveEnable(syncHandle: handle, enable: enable), for: .syncs)
        case .transfer(let transfer): enqueue(transfer, &commands)
        }
    }

    private static func enqueue(_ transfer: Transfer, _ commands: inout CommandPump) {
        let link = transfer.handle
        switch transfer.content {
        case .sync(_, let handle, let serviceData):
            commands.enqueue(
                HCI.LEPeriodicAdvertisingSyncTransfer(
                    connectionHandle: link, serviceData: serviceData, syncHandle: handle),
                for: .syncs)
        case .set(let set, let serviceData):
            commands.enqueue(
                HCI.LEPeriodicAdvertisingSetInfoTransfer(
                    connectionHandle: link, serviceData: serviceData, advertisingHandle: set.handle),
                for: .syncs)
        case .accept(let parameters):
            // The other parameters of a mode that ignores trains do not count, but must be in their ranges.
            let wanted = parameters ?? PeriodicSyncParameters()
            commands.enqueue(
                HCI.LESetPeriodicAdvertisingSyncTransferParameters(
                    connectionHandle: link, mode: parameters == nil ? .ignore : wanted.transferMode,
                    skip: wanted.skip, syncTimeout: wanted.timeout),
                for: .syncs)
        }
    }

    // MARK: Responses

    /// The sync handle of a received train.
    func handle(of train: PeriodicTrainIdentifier) -> UInt16? {
        syncs.first { $0.train == train && !$0.isEnding }?.handle
    }

    /// Whether another response may wait.
    mutating func beginResponse() -> Bool {
        guard responses < Self.responseLimit else { return false }
        responses += 1
        return true
    }

    mutating func endResponse() { responses = max(0, responses - 1) }
}
