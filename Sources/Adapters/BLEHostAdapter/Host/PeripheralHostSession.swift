import BLEAdapter
import BLEWire

/// A peripheral session on the library's own host.
final class PeripheralHostSession: PeripheralSession {
    private let adapter: HostAdapter
    private let number: Int

    init(adapter: HostAdapter, number: Int) {
        self.adapter = adapter
        self.number = number
    }

    deinit {
        let number = self.number
        adapter.submit { $0.closePeripheral(number) }
    }

    func add(_ service: ServiceDefinition, token: Int) {
        adapter.submit { [number] in $0.sessions.add(service, token: token, session: number, at: $0.now) }
    }

    func remove(token: Int) {
        adapter.submit { [number] in $0.sessions.removeServices(of: number, at: $0.now) { $0 == token } }
    }

    func removeAll() {
        adapter.submit { [number] in $0.sessions.removeServices(of: number, at: $0.now) { _ in true } }
    }

    func startAdvertising(_ advertisement: Advertisement) {
        adapter.submit { [number] in $0.sessions.startAdvertising(advertisement, session: number, at: $0.now) }
    }

    func stopAdvertising() {
        adapter.submit { [number] in $0.sessions.stopAdvertising(session: number, at: $0.now) }
    }

    func respond(to request: RequestIdentifier, error: UInt8, value: [UInt8]?) {
        if adapter.runAtOnce({ $0.sessions.respond(to: request, error: error, value: value, at: $0.now) }) { return }
        adapter.submit { $0.sessions.respond(to: request, error: error, value: value, at: $0.now) }
    }

    func update(_ value: Span<UInt8>, of characteristic: CharacteristicReference, centrals: [PeerIdentifier]?) -> Bool {
        var targets = adapter.snapshot.subscribers(to: characteristic, session: number)
        if let centrals { targets.removeAll { !centrals.contains($0) } }
        guard !targets.isEmpty else { return true }
        guard let (receivers, lost) = adapter.admission.admitUpdate(to: targets, session: number) else { return false }
        for peer in lost {
            adapter.store.log.warning(
                "The subscribed client \(peer) has not taken \(TransmitAdmission.updateBound) values. Further ones are dropped until it has."
            )
        }
        guard !receivers.isEmpty else { return true }
        let octets = [UInt8](value)
        adapter.submit { [number] in
            $0.sessions.update(
                octets.span, of: characteristic, session: number, targets: receivers, at: $0.now)
        }
        return true
    }

    func publishChannel(requiresEncryption: Bool) {
        adapter.submit { [number] in $0.sessions.publishChannel(requiresEncryption: requiresEncryption, session: number)
        }
    }

    func unpublishChannel(psm: UInt16) {
        adapter.submit { [number] in $0.sessions.unpublishChannel(psm, session: number, at: $0.now) }
    }

    func setLatency(_ latency: RequestedLatency, of central: PeerIdentifier) {
        adapter.submit { $0.sessions.setLatency(latency, of: central, at: $0.now) }
    }
}
