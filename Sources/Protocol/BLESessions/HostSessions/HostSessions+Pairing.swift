import BLEAdapter
import BLEHost
import BLESecurity
import BLEWire

/// Calls of pairing sessions.
extension HostSessions {
    /// Makes a session the agent, or ends that. The session that called this last is asked.
    package mutating func setAgent(_ capability: PairingAgentCapability?, session: Int, at now: Instant) {
        pairings.setAgent(capability, session: session, &context, at: now)
    }

    package mutating func setPairingPolicy(_ policy: PairingPolicy) { pairings.setPolicy(policy, &context) }

    /// Brings the link with a peer to a security level. `completed` follows.
    package mutating func pair(_ peer: PeerIdentifier, minimum: LinkSecurity.Level, at now: Instant) {
        pairings.pair(peer, minimum: minimum, &context, at: now)
    }

    package mutating func cancelPairing(with peer: PeerIdentifier, at now: Instant) {
        pairings.cancel(with: peer, &context, at: now)
    }

    /// Passes an answer to the pairing that asked. Has no effect if the question is answered or dismissed, or another
    /// session has it.
    package mutating func answer(
        _ number: PairingQuestionNumber, _ answer: AgentAnswer, session: Int, at now: Instant
    ) {
        pairings.answer(number, answer, session: session, &context, at: now)
    }

    /// Sets the out-of-band data of a peer. Has no effect for an identifier that this host did not create.
    package mutating func setOutOfBandData(_ block: OutOfBandBlock?, of peer: PeerIdentifier?) {
        pairings.setOutOfBandData(block, of: peer, &context)
    }

    /// Forgets the keys of a peer and ends its links, as the keys of a removed bond must not protect them any longer.
    package mutating func unpair(_ peer: PeerIdentifier, at now: Instant) {
        pairings.unpair(peer, &context, at: now)
    }

    /// The bonds, oldest first.
    package var bondRecords: [BondRecord] { context.host.bonds.bonds.map { pairings.record(of: $0, context) } }
}
