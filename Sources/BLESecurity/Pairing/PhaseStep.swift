import BLEWire

/// What a phase of a pairing makes of an input.
enum PhaseStep<Product> {
    case wait([PairingAction])
    /// The phase is over.
    case done(Product, [PairingAction])
    /// The pairing fails.
    case fail(SMP.FailureReason)

    /// The input is not expected in this state. The specification names no reason for it, so Unspecified Reason applies.
    static var unexpected: PhaseStep { .fail(.unspecified) }
}

/// What a phase reacts to.
enum PhaseInput {
    case start
    case packet(SMP.Packet)
    case answer(AgentAnswer)
}
