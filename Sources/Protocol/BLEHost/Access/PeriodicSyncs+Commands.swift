import BLEWire

extension PeriodicSyncs {
    /// Queues a command.
    static func enqueue<Purpose>(
        _ command: Command, for purpose: Purpose, timeout: TimeSpan, _ queue: inout CommandQueue<Purpose>
    ) {
        switch command {
        case .create(let train, let parameters):
            var options = parameters.options
            if train == nil { options.insert(.usesList) }
            queue.enqueue(
                HCI.LEPeriodicAdvertisingCreateSync(
                    options: options, advertisingSID: train?.sid ?? 0,
                    advertiserAddress: train?.address ?? DeviceAddress(kind: .public, value: 0), skip: parameters.skip,
                    syncTimeout: parameters.timeout),
                timeout: timeout, purpose: purpose)
        case .cancel:
            queue.enqueue(HCI.LEPeriodicAdvertisingCreateSyncCancel(), timeout: timeout, purpose: purpose)
        case .terminate(let handle):
            queue.enqueue(
                HCI.LEPeriodicAdvertisingTerminateSync(syncHandle: handle), timeout: timeout, purpose: purpose)
        case .list(let train):
            queue.enqueue(
                HCI.LEAddDeviceToPeriodicAdvertiserList(advertiserAddress: train.address, advertisingSID: train.sid),
                timeout: timeout, purpose: purpose)
        case .unlist(let train):
            queue.enqueue(
                HCI.LERemoveDeviceFromPeriodicAdvertiserList(
                    advertiserAddress: train.address, advertisingSID: train.sid),
                timeout: timeout, purpose: purpose)
        case .setReception(let handle, let enable):
            queue.enqueue(
                HCI.LESetPeriodicAdvertisingReceiveEnable(syncHandle: handle, enable: enable), timeout: timeout,
                purpose: purpose)
        case .transfer(let transfer): enqueue(transfer, for: purpose, timeout: timeout, &queue)
        }
    }

    private static func enqueue<Purpose>(
        _ transfer: Transfer, for purpose: Purpose, timeout: TimeSpan, _ queue: inout CommandQueue<Purpose>
    ) {
        switch transfer {
        case .sync(let handle, let link, let serviceData):
            queue.enqueue(
                HCI.LEPeriodicAdvertisingSyncTransfer(
                    connectionHandle: link, serviceData: serviceData, syncHandle: handle),
                timeout: timeout, purpose: purpose)
        case .set(let set, let link, let serviceData):
            queue.enqueue(
                HCI.LEPeriodicAdvertisingSetInfoTransfer(
                    connectionHandle: link, serviceData: serviceData, advertisingHandle: set.handle),
                timeout: timeout, purpose: purpose)
        case .accept(let parameters, let link):
            // The other parameters of a mode that ignores trains do not count, but must be in their ranges.
            let wanted = parameters ?? PeriodicSyncParameters()
            queue.enqueue(
                HCI.LESetPeriodicAdvertisingSyncTransferParameters(
                    connectionHandle: link, mode: parameters == nil ? .ignore : wanted.transferMode,
                    skip: wanted.skip, syncTimeout: wanted.timeout),
                timeout: timeout, purpose: purpose)
        }
    }
}
