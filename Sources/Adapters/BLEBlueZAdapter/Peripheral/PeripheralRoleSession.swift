import BLEAdapter
import BLEWire

/// A session of the peripheral role over bluetoothd.
final class PeripheralRoleSession: PeripheralSession {
    private let role: PeripheralRole
    private let number: Int
    private let updates: UpdateQueue

    init(of role: PeripheralRole, number: Int, updates: UpdateQueue) {
        self.role = role
        self.number = number
        self.updates = updates
    }

    deinit { submit { $0.close($1) } }

    private func submit(_ body: @escaping @Sendable (PeripheralRole, Int) -> Void) {
        role.scheduler.submit { [role, number] in body(role, number) }
    }

    func add(_ service: ServiceDefinition, token: Int) { submit { $0.add(service, token: token, session: $1) } }
    func remove(token: Int) { submit { $0.remove(of: $1) { $0 == token } } }
    func removeAll() { submit { $0.remove(of: $1) { _ in true } } }

    func startAdvertising(_ advertisement: Advertisement) { submit { $0.advertising.start(advertisement, $1) } }
    func stopAdvertising() { submit { $0.advertising.stop($1) } }

    func respond(to request: RequestIdentifier, error: UInt8, value: [UInt8]?) {
        submit { $0.respond(to: request, error: error, value: value, session: $1) }
    }

    func update(_ value: Span<UInt8>, of characteristic: CharacteristicReference, centrals: [PeerIdentifier]?) -> Bool {
        switch updates.add(value, characteristic, centrals) {
        case .unwanted: return true
        case .refused: return false
        case .queued(let mustFlush):
            if mustFlush { submit { $0.flush($1) } }
            return true
        }
    }

    func setLatency(_ latency: RequestedLatency, of central: PeerIdentifier) { submit { role, _ in role.setLatency() } }

    func publishChannel(requiresEncryption: Bool) {
        submit { $0.publishChannel(requiresEncryption: requiresEncryption, session: $1) }
    }
    func unpublishChannel(psm: UInt16) { submit { $0.unpublishChannel(psm, session: $1) } }
}
