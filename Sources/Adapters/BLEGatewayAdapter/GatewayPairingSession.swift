import BLEAdapter
import BLESecurity
import BLEWire

/// Pairing over a gateway: the gateway's host has the keys and the policy.
final class GatewayPairingSession: PairingSession {
    private let adapter: GatewayAdapter
    let number: Int

    init(adapter: GatewayAdapter, number: Int) {
        self.adapter = adapter
        self.number = number
    }

    deinit {
        let (adapter, number) = (adapter, number)
        adapter.scheduler.submit { adapter.pairingObservers[number] = nil }
    }

    func setAgent(_ agent: PairingAgentCapability?) {}
    func setPolicy(_ policy: PairingPolicy) {}
    func pair(_ peer: PeerIdentifier, minimum: LinkSecurity.Level) {
        let (adapter, number) = (adapter, number)
        adapter.scheduler.submit { adapter.pair(number, peer) }
    }
    func cancelPairing(with peer: PeerIdentifier) {
        let adapter = adapter
        adapter.scheduler.submit { adapter.cancelPairing(peer) }
    }
    func answer(_ question: PairingQuestionNumber, _ answer: AgentAnswer) {}
    func makeOutOfBandData(
        _ kind: OutOfBandBlock.Kind, completion: @escaping @Sendable (OutOfBandBlock?) -> Void
    ) { completion(nil) }
    func setOutOfBandData(_ block: OutOfBandBlock?, of peer: PeerIdentifier?) {}
    func unpair(_ peer: PeerIdentifier) {
        let adapter = adapter
        adapter.scheduler.submit { adapter.unpair(peer) }
    }
    var bonds: [BondRecord] { [] }
}
