#if !canImport(Darwin)
internal import BLERuntime
internal import BLEWire
import BLEAdapter
import CoreFoundation
import Foundation

// Called on the adapter's executor. All that a delegate's method announces is done in the delivered body, just before the
// call, so that in a callback every property has the value of that callback.
extension CentralCore: CentralObserver {
    func adapterStateChanged(_ state: AdapterState) {
        let state = CBManagerState(rawValue: state.rawValue) ?? .unknown
        delivery.post { [self] in
            awaitStart()
            guard let manager else { return }
            tellRestoredState(manager)
            let (isNews, lost, isRestoring) = guarded.withLock { core in
                let isNews = !core.isStateKnown || core.state != state
                core.isStateKnown = true
                core.state = state
                // What is to be restored has not begun, so nothing of it is lost.
                let isRestoring = core.restoring != nil
                guard state != .poweredOn, !isRestoring else { return (isNews, [CBPeripheral](), isRestoring) }
                core.scan = nil
                let lost = core.peripherals.values.compactMap { $0.object }
                if state.invalidatesObjects { core.peripherals = [:] }
                return (isNews, lost, false)
            }
            if state == .poweredOn { resumeRestored() } else if !isRestoring { restorer?.forget() }
            for peripheral in lost { peripheral.linkLost(isInvalidated: state.invalidatesObjects) }
            if isNews { delegate?.centralManagerDidUpdateState(manager) }
        }
    }

    func discovered(_ discovery: Discovery) {
        delivery.postUnlessFull { [self] in
            // What was on its way when the scan ended or became another one is not wanted any more.
            let (manager, delegate, scan) = guarded.withLock { ($0.manager, $0.delegate, $0.scan) }
            guard let manager, let delegate, scan?.wants(discovery) == true else { return }
            let peripheral = peripheral(for: discovery.peer)
            let advertisement = AdvertisementDictionary(discovery)
            peripheral.advertised(discovery.peer.name, services: advertisement.services)
            delegate.centralManager(
                manager, didDiscover: peripheral, advertisementData: advertisement.dictionary,
                rssi: NSNumber(value: Int(discovery.rssi)))
        }
    }

    func connected(_ peer: PeerRecord) {
        delivery.post { [self] in
            guard let manager, let peripheral = existingPeripheral(peer.identifier) else { return }
            guard peripheral.linkEstablished(name: peer.name) else { return }
            delegate?.centralManager(manager, didConnect: peripheral)
            report(.peerConnected, of: peripheral, by: manager)
        }
    }

    func connectionFailed(_ peer: PeerIdentifier, _ failure: LinkFailure) {
        let timestamp = CFAbsoluteTimeGetCurrent()
        delivery.post { [self] in
            guard let manager, let peripheral = existingPeripheral(peer) else { return }
            switch peripheral.attemptFailed() {
            case .ignored: break
            case .failed:
                restorer?.connectionEnded(peer)
                delegate?.centralManager(manager, didFailToConnect: peripheral, error: CBError(failure))
            case .cancelled:
                delegate?.centralManager(
                    manager, didDisconnectPeripheral: peripheral, timestamp: timestamp, isReconnecting: false,
                    error: nil)
            }
        }
    }

    func disconnected(_ peer: PeerIdentifier, _ end: LinkEnd, isReconnecting: Bool) {
        let timestamp = CFAbsoluteTimeGetCurrent()
        delivery.post { [self] in
            guard let manager, let peripheral = existingPeripheral(peer) else { return }
            // The loss of the adapter is told by the manager's state alone.
            guard end != .failed(.adapterLost) else { return }
            guard
                let news = peripheral.linkEnded(isCancelled: end == .cancelled, isReconnecting: isReconnecting)
            else { return }
            var error: CBError?
            if case .failed(let failure) = end, !news.isCancelled { error = CBError(failure) }
            if !peripheral.wantsConnection { restorer?.connectionEnded(peer) }
            delegate?.centralManager(
                manager, didDisconnectPeripheral: peripheral, timestamp: timestamp,
                isReconnecting: news.isReconnecting, error: error)
            report(.peerDisconnected, of: peripheral, by: manager)
        }
    }

    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTFailure>) {
        delivery.post { [self] in
            managedPeripheral(peer)?.complete(operation, result)
        }
    }

    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        let data = value.withUnsafeBufferPointer { Data($0) }
        delivery.postUnlessFull { [self] in
            managedPeripheral(peer)?.receive(data, handle: handle)
        }
    }

    /// The peer hears that its indication was received when the delegate's method has returned.
    func indicated(
        _ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier, confirmation: IndicationConfirmation
    ) {
        let data = value.withUnsafeBufferPointer { Data($0) }
        postWithConfirmation(confirmation) { [self] in
            managedPeripheral(peer)?.receive(data, handle: handle)
        }
    }

    func readyForWriteCommands(to peer: PeerIdentifier) {
        // One that is on its way says the same.
        guard guarded.withLock({ $0.readyPeers.insert(peer).inserted }) else { return }
        delivery.post { [self] in
            guarded.withLock { _ = $0.readyPeers.remove(peer) }
            managedPeripheral(peer)?.becomeReadyForWriteCommands()
        }
    }

    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {
        delivery.post { [self] in modifyServices(range, of: peer) }
    }

    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier, confirmation: IndicationConfirmation) {
        postWithConfirmation(confirmation) { [self] in modifyServices(range, of: peer) }
    }

    /// Releases `confirmation` after `body` has run on the delegate's queue, or when the manager ends.
    private func postWithConfirmation(_ confirmation: IndicationConfirmation, _ body: @escaping () -> Void) {
        // A manager that has ended keeps none.
        let number = guarded.withLock { $0.session == nil ? nil : $0.confirmations.add(confirmation) }
        delivery.post { [self] in
            body()
            guard let number else { return }
            let confirmation = guarded.withLock { $0.confirmations.remove(number) }
            withExtendedLifetime(confirmation) {}
        }
    }

    private func modifyServices(_ range: HandleRange, of peer: PeerIdentifier) {
        guard manager != nil else { return }
        existingPeripheral(peer)?.modifyServices(range)
    }

    func nameChanged(_ name: String?, of peer: PeerIdentifier) {
        delivery.post { [self] in
            guard manager != nil else { return }
            existingPeripheral(peer)?.rename(name)
        }
    }

    func channelOpened(_ result: Result<ChannelHandle, ChannelFailure>, psm: UInt16, of peer: PeerIdentifier) {
        delivery.post { [self] in
            let handle = try? result.get()
            guard manager != nil, let peripheral = existingPeripheral(peer), peripheral.state == .connected,
                let delegate = peripheral.delegate
            else {
                handle?.close()
                return
            }
            let channel = handle.map { CBL2CAPChannel(peer: peripheral, handle: $0, delivery: delivery) }
            var error: (any Error)?
            if case .failure(let failure) = result { error = failure.error }
            delegate.peripheral(peripheral, didOpen: channel, error: error)
        }
    }

    private func report(_ event: CBConnectionEvent, of peripheral: CBPeripheral, by manager: CBCentralManager) {
        guard let filter = guarded.withLock({ $0.connectionEvents }), filter.matches(peripheral) else { return }
        delegate?.centralManager(manager, connectionEventDidOccur: event, for: peripheral)
    }
}

extension ScanRequest {
    fileprivate func wants(_ discovery: Discovery) -> Bool {
        if services.isEmpty { return true }
        let data = discovery.data.span
        let scanResponse = discovery.scanResponse.span
        return services.contains { AD.contains(service: $0, in: data) || AD.contains(service: $0, in: scanResponse) }
            || solicitedServices.contains {
                AD.solicits(service: $0, in: data) || AD.solicits(service: $0, in: scanResponse)
            }
    }
}

extension CBManagerState {
    /// Below `.poweredOff`, what was known of devices and of the database is lost.
    var invalidatesObjects: Bool { rawValue < CBManagerState.poweredOff.rawValue }
}
#endif
