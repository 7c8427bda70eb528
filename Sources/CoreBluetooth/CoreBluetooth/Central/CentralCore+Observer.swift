internal import BLERuntime
internal import BLEWire
import BLEAdapter
import CoreFoundation
import Foundation

// The adapter's executor calls these methods. Each change of a property happens in the dispatched body, just before the delegate's
// method that announces it, so that every property has the value of the current callback.
extension CentralCore: CentralObserver {
    func adapterStateChanged(_ state: AdapterState) {
        postState(state) { [self] state in
            waitForSession()
            guard let manager else { return }
            reportRestoredState(manager)
            let (isChanged, lost, isRestoring) = guarded.withLock { core in
                let isChanged = !core.isStateKnown || core.state != state
                core.isStateKnown = true
                core.state = state
                // The restored scan and connections have not begun, so a loss of power does not end them.
                let isRestoring = core.restoring != nil
                guard state != .poweredOn, !isRestoring else { return (isChanged, [CBPeripheral](), isRestoring) }
                core.scan = nil
                // The result holds the kept objects, too.
                let lost = core.peripherals.objects
                _ = state.invalidatesObjects ? core.peripherals.removeAll() : core.peripherals.dropAll()
                return (isChanged, lost, false)
            }
            if state == .poweredOn { resumeRestored() } else if !isRestoring { restorer?.forget() }
            for peripheral in lost { peripheral.linkLost(isInvalidated: state.invalidatesObjects) }
            if isChanged { delegate?.centralManagerDidUpdateState(manager) }
        }
    }

    func discovered(_ discovery: Discovery) { dispatcher.postUnlessFull([discovery]) }

    func discovered(_ discoveries: ArraySlice<Discovery>) { dispatcher.postUnlessFull(discoveries) }

    func connected(_ peer: PeerRecord) {
        dispatcher.post { [self] in
            guard let manager, let peripheral = existingPeripheral(peer.identifier) else { return }
            let canSend = dispatcher.adapter.callbackRules.connectsReadyToWrite
            guard peripheral.linkEstablished(name: peer.name, canSend: canSend) else { return }
            delegate?.centralManager(manager, didConnect: peripheral)
            report(.peerConnected, of: peripheral, by: manager)
        }
    }

    func connectionFailed(_ peer: PeerIdentifier, _ failure: ConnectionError) {
        let timestamp = CFAbsoluteTimeGetCurrent()
        dispatcher.post { [self] in
            guard let manager, let peripheral = existingPeripheral(peer) else { return }
            switch peripheral.attemptFailed() {
            case .ignored: break
            case .failed:
                restorer?.connectionEnded(peer)
                delegate?.centralManager(manager, didFailToConnect: peripheral, error: CBError(failure))
            case .cancelled: reportDisconnection(of: peripheral, timestamp, isReconnecting: false, nil, by: manager)
            }
        }
    }

    func disconnected(_ peer: PeerIdentifier, _ linkEnd: LinkEnd, isReconnecting: Bool) {
        let timestamp = CFAbsoluteTimeGetCurrent()
        dispatcher.post { [self] in
            guard let manager, let peripheral = existingPeripheral(peer) else { return }
            // The manager's state alone announces the loss of the adapter.
            guard linkEnd != .failed(.adapterLost) else { return }
            guard
                let end = peripheral.linkEnded(isCancelled: linkEnd == .cancelled, isReconnecting: isReconnecting)
            else { return }
            var error: CBError?
            if case .failed(let failure) = linkEnd, !end.isCancelled { error = CBError(failure) }
            reportDisconnection(
                of: peripheral, timestamp, isReconnecting: end.isReconnecting, error, by: manager)
            if !peripheral.wantsConnection { restorer?.connectionEnded(peer) }
            report(.peerDisconnected, of: peripheral, by: manager)
        }
    }

    /// Calls the method with three arguments, which the delegate need not have, and the one with five arguments if it has not: a delegate with both
    /// gets the first one on iOS 17 and later, and its connections are not renewed. Before iOS 17, the one with five arguments does not exist.
    private func reportDisconnection(
        of peripheral: CBPeripheral, _ timestamp: CFAbsoluteTime, isReconnecting: Bool, _ error: CBError?,
        by manager: CBCentralManager
    ) {
        guarded.withLock { $0.lacksShortDisconnection = false }
        delegate?.centralManager(manager, didDisconnectPeripheral: peripheral, error: error)
        let hasLong = dispatcher.adapter.callbackRules.hasTimedDisconnections
        let isLong = hasLong && guarded.withLock { $0.lacksShortDisconnection }
        if isReconnecting {
            if isLong {
                peripheral.continueConnecting()
            } else if !peripheral.wantsConnection {
                session?.cancelConnection(peripheral.peer)
                if hasLong { explainDisconnection() }
            }
        }
        guard isLong else { return }
        delegate?.centralManager(
            manager, didDisconnectPeripheral: peripheral, timestamp: timestamp, isReconnecting: isReconnecting,
            error: error)
    }

    private func explainDisconnection() {
        let isFirst = guarded.withLock { state in
            defer { state.hasExplainedDisconnection = true }
            return !state.hasExplainedDisconnection
        }
        guard isFirst else { return }
        APIMisuse.warn(
            "The delegate implements centralManager(_:didDisconnectPeripheral:error:). Connections with "
                + "CBConnectPeripheralOptionEnableAutoReconnect are therefore not renewed, as on iOS. Implement only the method with isReconnecting"
        )
    }

    func completed(_ operation: GATTOperation, of peer: PeerIdentifier, _ result: Result<GATTResult, GATTError>) {
        dispatcher.post(result, of: operation, on: peer)
    }

    func read(_ value: Span<UInt8>, of handle: UInt16, from peer: PeerIdentifier) {
        dispatcher.post(WaitingValue(value), readFrom: handle, on: peer)
    }

    func received(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        dispatcher.postUnlessFull(value, handle: handle, from: peer)
    }

    func received(_ values: inout ValueRun) { dispatcher.postUnlessFull(&values) }

    /// The peer receives the confirmation after the delegate's method has returned (Vol 3, Part F, 3.4.7.3).
    func indicated(
        _ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier, confirmation: IndicationConfirmation
    ) {
        let octets = [UInt8](value)
        postWithConfirmation(confirmation) { [self] in
            managedPeripheral(peer)?.receive(octets.span, handle: handle)
        }
    }

    func readyForWriteCommands(to peer: PeerIdentifier) {
        // A pending callback reports the same.
        guard guarded.withLock({ $0.readyPeers.insert(peer).inserted }) else { return }
        let isTaken = dispatcher.post { [self] in
            guarded.withLock { _ = $0.readyPeers.remove(peer) }
            managedPeripheral(peer)?.becomeReadyForWriteCommands()
        }
        if !isTaken { guarded.withLock { _ = $0.readyPeers.remove(peer) } }
    }

    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier) {
        dispatcher.post { [self] in modifyServices(range, of: peer) }
    }

    func servicesChanged(_ range: HandleRange, of peer: PeerIdentifier, confirmation: IndicationConfirmation) {
        postWithConfirmation(confirmation) { [self] in modifyServices(range, of: peer) }
    }

    /// Releases `confirmation` after `body` has run on the delegate's queue, at once if it is dropped, or at the manager's release.
    private func postWithConfirmation(_ confirmation: IndicationConfirmation, _ body: @escaping () -> Void) {
        // A released manager keeps no confirmations.
        let number = guarded.withLock { $0.session == nil ? nil : $0.confirmations.add(confirmation) }
        let isTaken = dispatcher.post { [self] in
            body()
            releaseConfirmation(number)
        }
        if !isTaken { releaseConfirmation(number) }
    }

    private func releaseConfirmation(_ number: Int?) {
        guard let number else { return }
        let confirmation = guarded.withLock { $0.confirmations.remove(number) }
        withExtendedLifetime(confirmation) {}
    }

    private func modifyServices(_ range: HandleRange, of peer: PeerIdentifier) {
        guard manager != nil else { return }
        existingPeripheral(peer)?.modifyServices(range)
    }

    func nameChanged(_ name: String?, of peer: PeerIdentifier) {
        dispatcher.post { [self] in
            guard manager != nil else { return }
            existingPeripheral(peer)?.rename(name)
        }
    }

    func channelOpened(_ result: Result<ChannelHandle, ChannelError>, psm: UInt16, of peer: PeerIdentifier) {
        dispatcher.post { [self] in
            let handle = try? result.get()
            guard manager != nil, let peripheral = existingPeripheral(peer), peripheral.state == .connected,
                let delegate = peripheral.delegate
            else {
                handle?.close()
                return
            }
            let channel = handle.map { CBL2CAPChannel(peer: peripheral, handle: $0, dispatcher: dispatcher) }
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

extension CBManagerState {
    /// Whether the state invalidates peripherals and services. True below `.poweredOff`.
    var invalidatesObjects: Bool { rawValue < CBManagerState.poweredOff.rawValue }
}
