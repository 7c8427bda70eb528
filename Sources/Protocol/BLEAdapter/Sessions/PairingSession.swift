import BLESecurity
import BLEWire

/// Pairing and bonds of one adapter, as an agent or a tool uses them.
///
/// Several sessions may be open. Of those with an agent, the one that called `setAgent` last is asked; it answers for
/// the user. Without an agent the adapter pairs as a device without input and output (`noInputNoOutput`).
package protocol PairingSession: AnyObject, Sendable {
    /// Makes this session the agent, or with nil ends that. A change applies to pairings that begin later. Ending the
    /// agent cancels the pairings whose question it has.
    func setAgent(_ agent: PairingAgentCapability?)

    /// Replaces the requirements on pairings of this adapter, for every session. It applies to pairings that begin
    /// later. Bonds stay.
    func setPolicy(_ policy: PairingPolicy)

    /// Encrypts the link with a connected peer to at least `minimum`: with the keys of the bond if they suffice,
    /// otherwise by pairing. `pairingCompleted` follows. As peripheral, the adapter requests that of the central.
    ///
    /// A peer without a link fails with `.disconnected`. A bond of which the peer has no keys fails with `.keyMissing`:
    /// the adapter never pairs again by itself. Call `unpair` first.
    func pair(_ peer: PeerIdentifier, minimum: LinkSecurity.Level)

    /// Ends a running pairing with the peer. `pairingCompleted` follows with the failure.
    func cancelPairing(with peer: PeerIdentifier)

    /// Answers a question. Has no effect if the question is unknown, answered or dismissed, or another session has it.
    func answer(_ question: PairingQuestionNumber, _ answer: AgentAnswer)

    /// Draws this adapter's out-of-band data (Vol 3, Part H, 2.3.5.6.4). New data of Secure Connections replaces earlier data.
    /// `completion` runs on the adapter's executor, with nil if the adapter cannot pair.
    func makeOutOfBandData(
        _ kind: OutOfBandBlock.Kind, completion: @escaping @Sendable (OutOfBandBlock?) -> Void)

    /// Sets the out-of-band data of a peer for pairings that begin later, or removes it. Without a peer, the data applies to
    /// all peers without data of their own.
    func setOutOfBandData(_ block: OutOfBandBlock?, of peer: PeerIdentifier?)

    /// Forgets the keys of a peer and ends its links. `bondRemoved` follows if there was a bond.
    func unpair(_ peer: PeerIdentifier)

    /// The bonds at this moment, oldest first.
    var bonds: [BondRecord] { get }
}

/// What happens to pairings and bonds. Called on the adapter's executor, in order. Every session receives each event,
/// except questions.
package protocol PairingObserver: AnyObject, Sendable {
    /// A question or a message for the user. Only the agent's session receives it. `.display` needs no answer, but
    /// `answer(_:.cancel)` ends the pairing. `.enterPasskey` takes any number of `.keypress` before `.passkey`.
    func asked(_ request: AgentRequest, number: PairingQuestionNumber, by peer: PeerRecord)

    /// The question is void: the pairing ended, or it went on to its next question. A question that was answered is
    /// not dismissed unless it was `.display`.
    func dismissed(_ number: PairingQuestionNumber)

    /// The peer's user pressed a key.
    func keyPressed(_ kind: SMP.KeypressNotification.Kind, by peer: PeerIdentifier)

    /// A pairing ended, whichever side began it, or `pair` is answered: the link's security, or the reason of the
    /// failure.
    func pairingCompleted(_ peer: PeerRecord, _ result: Result<LinkSecurity, PairingProcedureError>)

    /// The keys of the bond are stored, or replaced.
    func bondAdded(_ bond: BondRecord)

    func bondRemoved(_ peer: PeerIdentifier)
}

// A tool implements the events that it needs.
extension PairingObserver {
    package func asked(_ request: AgentRequest, number: PairingQuestionNumber, by peer: PeerRecord) {}
    package func dismissed(_ number: PairingQuestionNumber) {}
    package func keyPressed(_ kind: SMP.KeypressNotification.Kind, by peer: PeerIdentifier) {}
    package func pairingCompleted(_ peer: PeerRecord, _ result: Result<LinkSecurity, PairingProcedureError>) {}
    package func bondAdded(_ bond: BondRecord) {}
    package func bondRemoved(_ peer: PeerIdentifier) {}
}

/// What an agent's user can see and enter.
package struct PairingAgentCapability: Hashable, Sendable {
    package var ioCapability: SMP.IOCapability
    /// Whether the agent decides about each pairing that a peer begins (`AgentRequest.accept`).
    package var acceptsPairings: Bool

    package init(ioCapability: SMP.IOCapability, acceptsPairings: Bool = true) {
        self.ioCapability = ioCapability
        self.acceptsPairings = acceptsPairings
    }
}

/// Numbers a question to an agent. An adapter never uses a number twice.
package struct PairingQuestionNumber: Hashable, Sendable {
    package let rawValue: UInt64
    package init(rawValue: UInt64) { self.rawValue = rawValue }
}

/// A bond without its keys.
package struct BondRecord: Hashable, Sendable {
    package var peer: PeerRecord
    /// The peer's identity address if it distributed one, otherwise the address with which it paired.
    package var address: DeviceAddress
    package var security: LinkSecurity
    /// The keys came from a debug key pair. A sniffer can decrypt the traffic that they protect.
    package var usesDebugKeys: Bool

    package init(peer: PeerRecord, address: DeviceAddress, security: LinkSecurity, usesDebugKeys: Bool = false) {
        self.peer = peer
        self.address = address
        self.security = security
        self.usesDebugKeys = usesDebugKeys
    }
}

/// The session of an adapter without pairing. Every pairing fails with Pairing Not Supported.
package final class UnsupportedPairing: PairingSession {
    private weak let observer: (any PairingObserver)?

    package init(observer: any PairingObserver) { self.observer = observer }

    package func setAgent(_ agent: PairingAgentCapability?) {}
    package func setPolicy(_ policy: PairingPolicy) {}
    package func pair(_ peer: PeerIdentifier, minimum: LinkSecurity.Level) {
        observer?.pairingCompleted(
            PeerRecord(identifier: peer, name: nil), .failure(.local(.pairingNotSupported)))
    }
    package func cancelPairing(with peer: PeerIdentifier) {}
    package func answer(_ question: PairingQuestionNumber, _ answer: AgentAnswer) {}
    package func makeOutOfBandData(
        _ kind: OutOfBandBlock.Kind, completion: @escaping @Sendable (OutOfBandBlock?) -> Void
    ) { completion(nil) }
    package func setOutOfBandData(_ block: OutOfBandBlock?, of peer: PeerIdentifier?) {}
    package func unpair(_ peer: PeerIdentifier) {}
    package var bonds: [BondRecord] { [] }
}
