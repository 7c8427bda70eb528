import BLEWire

/// The result of an input to a phase of a pairing.
enum PhaseStep<Product> {
    case wait([PairingAction])
    /// The phase is over.
    case done(Product, [PairingAction])
    /// The pairing fails.
    case fail(SMP.FailureReason)

    /// The input is unexpected in this state. The specification defines no reason for it, so Unspecified Reason
    /// applies.
    static var unexpected: PhaseStep { .fail(.unspecified) }
}

/// An input of a phase.
enum PhaseInput {
    case start
    case packet(SMP.Packet)
    case answer(AgentAnswer)
}
