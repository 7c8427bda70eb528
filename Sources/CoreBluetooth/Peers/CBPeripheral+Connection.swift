#if !canImport(Darwin)
internal import BLEWire
import Foundation

// The life of the connection. Calls of the program change the state at once, events of the adapter in the delivered body.
extension CBPeripheral {
    enum ConnectionStart { case started, pending, connected, invalid }

    func beginConnecting(reconnectsAutomatically: Bool) -> ConnectionStart {
        let start = startConnecting()
        if start == .started {
            core.restorer?.connectionWanted(peer, reconnectsAutomatically: reconnectsAutomatically)
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

    /// Whether there is something to cancel.
    func beginDisconnecting() -> Bool {
        let isCancelled = guarded.withLock { state in
            guard state.link == .connecting || state.link == .connected else { return false }
            state.link = .disconnecting
            state.wantsConnection = false
            state.isCancelling = true
            return true
        }
        if isCancelled { core.restorer?.connectionEnded(peer) }
        return isCancelled
    }

    var wantsConnection: Bool { guarded.withLock { $0.wantsConnection } }

    /// Whether this is news: not if the program has cancelled meanwhile.
    func linkEstablished(name: String?) -> Bool {
        guarded.withLock { state in
            guard state.link == .connecting, !state.isCancelling else { return false }
            state.link = .connected
            state.canSendWriteWithoutResponse = true
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

    struct LinkNews {
        /// Whether the program cancelled it.
        let isCancelled: Bool
        let isReconnecting: Bool
    }

    /// Forgets what belonged to the link. Nil if that is no news to the program.
    ///
    /// - Parameter isCancelled: the adapter answers a cancellation. One that this object did not ask for was asked for by an
    ///   earlier object of this peer, which is gone.
    func linkEnded(isCancelled: Bool, isReconnecting: Bool) -> LinkNews? {
        let (end, old) = guarded.withLock { state -> (LinkNews?, [CBAttribute]) in
            let wasCancelling = state.isCancelling
            if isCancelled && !wasCancelling { return (nil, []) }
            guard state.link != .disconnected else { return (nil, []) }
            state.isCancelling = false
            // A cancellation may have crossed the end that the peer or the radio brought; to the program it is its own. It may
            // also have asked for a new connection since.
            let isReconnecting = isReconnecting && !wasCancelling
            if wasCancelling {
                state.link = state.wantsConnection ? .connecting : .disconnected
            } else {
                state.link = isReconnecting ? .connecting : .disconnected
                state.wantsConnection = isReconnecting
            }
            return (LinkNews(isCancelled: wasCancelling, isReconnecting: isReconnecting), state.forgetAttributes())
        }
        endSubscriptions(in: old)
        return end
    }

    /// The adapter is gone, or the manager: no callback tells of it.
    func linkLost(isInvalidated: Bool) {
        let old = guarded.withLock { state in
            state.link = .disconnected
            state.wantsConnection = false
            state.isCancelling = false
            if isInvalidated { state.isValid = false }
            return state.forgetAttributes()
        }
        endSubscriptions(in: old)
    }

    private func endSubscriptions(in attributes: [CBAttribute]) {
        for case let characteristic as CBCharacteristic in attributes {
            characteristic.storage.withLock { $0.isNotifying = false }
        }
    }

    func advertised(_ name: String?, services: [BluetoothUUID]) {
        guarded.withLock { state in
            if let name { state.name = name }
            if !services.isEmpty { state.advertisedServices = services }
        }
    }

    func rename(_ name: String?) {
        let isNews = guarded.withLock { state in
            defer { state.name = name }
            return state.name != name
        }
        if isNews { delegate?.peripheralDidUpdateName(self) }
    }

    func isKnownToHave(_ service: BluetoothUUID) -> Bool {
        let (advertised, services) = guarded.withLock { ($0.advertisedServices, $0.services) }
        return advertised.contains(service) || services?.contains { $0.uuid.value == service } == true
    }
}

extension CBPeripheral.State {
    /// Empties what was discovered and hands it out, so that no object ends under the lock.
    fileprivate mutating func forgetAttributes() -> [CBAttribute] {
        let old = Array(attributes.values) + Array(retired.values)
        attributes = [:]
        retired = [:]
        services = nil
        canSendWriteWithoutResponse = false
        return old
    }
}
#endif
