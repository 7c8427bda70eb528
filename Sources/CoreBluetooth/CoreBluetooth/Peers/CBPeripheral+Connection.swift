internal import BLEWire
import Foundation

// The state of the connection. Calls of the program change it at once. Events of the adapter change it in the dispatched body.
extension CBPeripheral {
    enum ConnectionStart { case started, pending, connected, invalid }

    func beginConnecting(reconnectsAutomatically: Bool) -> ConnectionStart {
        let start = startConnecting()
        if start == .started {
            owner.connectionRequested(self, reconnectsAutomatically: reconnectsAutomatically)
        }
        return start
    }

    private func startConnecting() -> ConnectionStart {
        guarded.withLock { state in
            guard state.isValid else { return .invalid }
            switch state.link {
            case .connected: return .connected
            case .connecting: return .pending
            default:
                state.link = .connecting
                state.wantsConnection = true
                return .started
            }
        }
    }

    /// Marks the connection or the attempt as cancelled. Returns false if there is none.
    func beginDisconnecting() -> Bool {
        let isCancelled = guarded.withLock { state in
            guard state.link == .connecting || state.link == .connected else { return false }
            state.link = .disconnecting
            state.wantsConnection = false
            state.isCancelling = true
            return true
        }
        if isCancelled { owner.connectionEnded(peer) }
        return isCancelled
    }

    var wantsConnection: Bool { guarded.withLock { $0.wantsConnection } }

    /// Whether the program uses the peripheral: it has a link, or the program requested one.
    var isInUse: Bool { guarded.withLock { $0.link != .disconnected || $0.wantsConnection || $0.isCancelling } }

    /// Marks the link as established. Returns false if the program has cancelled the attempt since.
    func linkEstablished(name: String?, canSend: Bool) -> Bool {
        guarded.withLock { state in
            guard state.link == .connecting, !state.isCancelling else { return false }
            state.link = .connected
            state.canSendWriteWithoutResponse = canSend
            state.writeCommandLimit = 20
            if let name { state.name = name }
            return true
        }
    }

    enum AttemptEnd { case failed, cancelled, ignored }

    func attemptFailed() -> AttemptEnd {
        guarded.withLock { state in
            if state.isCancelling {
                state.isCancelling = false
                state.link = state.wantsConnection ? .connecting : .disconnected
                return .cancelled
            }
            guard state.link == .connecting else { return .ignored }
            state.link = .disconnected
            state.wantsConnection = false
            return .failed
        }
    }

    struct EndedLink {
        /// Whether the program cancelled the link.
        let isCancelled: Bool
        let isReconnecting: Bool
    }

    /// Clears the state of the link. Returns nil if the program must not receive a callback.
    ///
    /// - Parameter isCancelled: Whether the adapter confirms a cancellation. If this object did not request it, a released object
    ///   of the same peer did.
    func linkEnded(isCancelled: Bool, isReconnecting: Bool) -> EndedLink? {
        let (end, old) = guarded.withLock { state -> (EndedLink?, [CBAttribute]) in
            let wasCancelling = state.isCancelling
            if isCancelled && !wasCancelling { return (nil, []) }
            guard state.link != .disconnected else { return (nil, []) }
            state.isCancelling = false
            // If a cancellation crossed the end of the link, the program receives the end as its own. The program may have
            // requested a new connection since.
            let isReconnecting = isReconnecting && !wasCancelling
            if !wasCancelling { state.wantsConnection = false }
            state.link = state.wantsConnection ? .connecting : .disconnected
            return (EndedLink(isCancelled: wasCancelling, isReconnecting: isReconnecting), state.forgetAttributes())
        }
        invalidate(old)
        return end
    }

    /// The host tries to renew the link that has ended.
    func continueConnecting() {
        guarded.withLock { state in
            guard state.isValid, state.link == .disconnected else { return }
            state.link = .connecting
            state.wantsConnection = true
        }
    }

    /// Clears the state of the link after the loss of the adapter or the manager's release. No callback follows.
    func linkLost(isInvalidated: Bool) {
        let old = guarded.withLock { state in
            state.link = .disconnected
            state.wantsConnection = false
            state.isCancelling = false
            if isInvalidated { state.isValid = false }
            return state.forgetAttributes()
        }
        invalidate(old)
    }

    /// Ends the subscriptions of attributes that are no longer valid, and the references between services: the peer can include services in a
    /// circle, whose objects would keep each other.
    func invalidate(_ attributes: [CBAttribute]) {
        for attribute in attributes {
            switch attribute {
            case let characteristic as CBCharacteristic: characteristic.endSubscription()
            case let service as CBService:
                let included = service.storage.withLock { $0.includedServices.take() }
                withExtendedLifetime(included) {}
            default: break
            }
        }
    }

    func advertised(_ name: String?, services: [BluetoothUUID]) {
        if !services.isEmpty { guarded.withLock { $0.advertisedServices = services } }
        if let name { rename(name) }
    }

    func rename(_ name: String?) {
        let isChanged = guarded.withLock { state in
            defer { state.name = name }
            return state.name != name
        }
        if isChanged { delegate?.peripheralDidUpdateName(self) }
    }

    func isKnownToHave(_ service: BluetoothUUID) -> Bool {
        let (advertised, services) = guarded.withLock { ($0.advertisedServices, $0.services) }
        return advertised.contains(service) || services?.contains { $0.uuid.value == service } == true
    }
}

extension CBPeripheral.State {
    /// Clears the discovered attributes and returns them, so that their release happens outside the lock.
    mutating func forgetAttributes() -> [CBAttribute] {
        let old = (attributes.entries + retired.entries).map(\.attribute)
        attributes = AttributeTable()
        retired = AttributeTable()
        serviceDiscoveries = ServiceDiscoveries()
        commands = CommandOrder()
        services = nil
        canSendWriteWithoutResponse = false
        writeCommandLimit = 20
        return old
    }
}
