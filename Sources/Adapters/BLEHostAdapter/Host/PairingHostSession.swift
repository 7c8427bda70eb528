import BLEAdapter
import BLESecurity
import BLEWire

/// A pairing session on the library's own host.
final class PairingHostSession: PairingSession {
    private let adapter: HostAdapter
    private let number: Int

    init(adapter: HostAdapter, number: Int) {
        self.adapter = adapter
        self.number = number
    }

    deinit {
        let number = self.number
        adapter.submit { $0.closePairing(number) }
    }

    func setAgent(_ agent: PairingAgentCapability?) {
        adapter.submit { [number] in $0.sessions.setAgent(agent, session: number, at: $0.now) }
    }

    func setPolicy(_ policy: PairingPolicy) { adapter.submit { $0.sessions.setPairingPolicy(policy) } }

    func pair(_ peer: PeerIdentifier, minimum: LinkSecurity.Level) {
        adapter.submit { $0.sessions.pair(peer, minimum: minimum, at: $0.now) }
    }

    func cancelPairing(with peer: PeerIdentifier) {
        adapter.submit { $0.sessions.cancelPairing(with: peer, at: $0.now) }
    }

    func answer(_ question: PairingQuestionNumber, _ answer: AgentAnswer) {
        adapter.submit { [number] in $0.sessions.answer(question, answer, session: number, at: $0.now) }
    }

    func makeOutOfBandData(
        _ kind: OutOfBandBlock.Kind, completion: @escaping @Sendable (OutOfBandBlock?) -> Void
    ) {
        adapter.submit { completion($0.sessions.host.makeOutOfBandData(kind)) }
    }

    func setOutOfBandData(_ block: OutOfBandBlock?, of peer: PeerIdentifier?) {
        adapter.submit { $0.sessions.setOutOfBandData(block, of: peer) }
    }

    func unpair(_ peer: PeerIdentifier) { adapter.submit { $0.sessions.unpair(peer, at: $0.now) } }

    var bonds: [BondRecord] { adapter.snapshot.bonds }
}
