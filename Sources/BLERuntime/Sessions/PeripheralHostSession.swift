import BLEAdapter
import BLEWire

/// A peripheral session on our own host.
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
        adapter.submit { [number] in $0.add(service, token: token, session: number) }
    }

    func remove(token: Int) {
        adapter.submit { [number] in $0.removeServices(of: number) { $0 == token } }
    }

    func removeAll() {
        adapter.submit { [number] in $0.removeServices(of: number) { _ in true } }
    }

    func startAdvertising(_ advertisement: Advertisement) {
        adapter.submit { [number] in $0.startAdvertising(advertisement, session: number) }
    }

    func stopAdvertising() {
        adapter.submit { [number] in $0.stopAdvertising(session: number) }
    }

    func respond(to request: RequestIdentifier, error: UInt8, value: [UInt8]?) {
        adapter.carryOut { $0.respond(to: request, error: error, value: value) }
    }

    func update(_ value: Span<UInt8>, of characteristic: CharacteristicReference, centrals: [PeerIdentifier]?) -> Bool {
        let targets: [PeerIdentifier]? = adapter.board.content.withLock { content in
            guard let subscription = content.subscriptionIndex(number, characteristic) else { return [] }
            var targets = content.subscriptions[subscription].peers
            if let centrals { targets.removeAll { !centrals.contains($0) } }
            let full = content.clients.filter { $0.isFull && targets.contains($0.peer) }
            guard full.isEmpty else {
                content.await(full.map(\.peer), session: number)
                return nil
            }
            for index in content.clients.indices where targets.contains(content.clients[index].peer) {
                content.clients[index].queued += 1
                if content.clients[index].queued >= SharedBoard.queueLimit { content.clients[index].isFull = true }
            }
            return targets
        }
        guard let targets else { return false }
        guard !targets.isEmpty else { return true }
        let octets = [UInt8](value)
        adapter.submit { [number] in $0.update(octets.span, of: characteristic, session: number, targets: targets) }
        return true
    }

    func publishChannel(requiresEncryption: Bool) {
        adapter.submit { [number] in $0.publishChannel(requiresEncryption: requiresEncryption, session: number) }
    }

    func unpublishChannel(psm: UInt16) {
        adapter.submit { [number] in $0.unpublishChannel(psm, session: number) }
    }

    func setLatency(_ latency: RequestedLatency, of central: PeerIdentifier) {
        adapter.submit { $0.setLatency(latency, of: central) }
    }
}
