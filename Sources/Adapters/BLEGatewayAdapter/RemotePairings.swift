import BLEAdapter
import BLEWire

/// The pairings that the gateway was asked for.
///
/// The protocol has no request that ends a pairing: one that was given up stays here until the gateway answers or the link ends.
struct RemotePairings {
    private enum State {
        /// The gateway has not answered yet. Without an answer the pairing counts as failed at the deadline.
        case running(deadline: Instant)
        /// The observers know of the end, and the gateway has not answered yet.
        case givenUp
    }

    /// A device that sends nothing for 30 s ends a pairing (Vol 3, Part H, 3.4). The gateway notices it first.
    private static let timeout = TimeSpan.seconds(40)

    private var states: [PeerIdentifier: State] = [:]

    /// The peers with a pairing.
    var peers: [PeerIdentifier] { Array(states.keys) }

    mutating func begin(_ peer: PeerIdentifier, at now: Instant) {
        states[peer] = .running(deadline: now + Self.timeout)
    }

    /// Ignores the answer of the gateway from now on. Returns whether the pairing was running.
    mutating func giveUp(_ peer: PeerIdentifier) -> Bool {
        guard case .running = states[peer] else { return false }
        states[peer] = .givenUp
        return true
    }

    /// Forgets the pairing of a link that ends. Returns whether it was running.
    mutating func end(_ peer: PeerIdentifier) -> Bool {
        if case .running = states.removeValue(forKey: peer) { true } else { false }
    }

    /// Takes the answer of the gateway to a pairing, which the device may have begun. Returns false if the pairing was given up.
    mutating func complete(_ peer: PeerIdentifier) -> Bool {
        if case .givenUp = states.removeValue(forKey: peer) { false } else { true }
    }

    /// When the next running pairing is late.
    var deadline: Instant? {
        states.values.lazy.compactMap { if case .running(let deadline) = $0 { deadline } else { nil } }.min()
    }

    /// The running pairings whose deadline has passed.
    func late(at now: Instant) -> [PeerIdentifier] {
        states.compactMap { peer, state in
            if case .running(let deadline) = state, deadline <= now { peer } else { nil }
        }
    }
}
