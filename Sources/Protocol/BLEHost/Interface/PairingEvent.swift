import BLESecurity
import BLEWire

/// An event of a link's Security Manager.
///
/// Each pairing and each call of `HostStack.secure` ends in one of `secured`, `completed` and `failed`. One procedure
/// runs at a time, so its end answers all calls before it.
package enum PairingEvent: Hashable, Sendable {
    /// A question or a message to the user. The driver answers with `HostStack.answerPairing`.
    case asked(AgentRequest)
    /// Withdraws the latest question.
    case dismissed
    /// The peer's user pressed a key.
    case keypress(SMP.KeypressNotification.Kind)
    /// The controller encrypted the link, refreshed its key, or ended the encryption.
    case securityChanged(LinkSecurity)
    /// The link has the requested security without a pairing: from before, or with the keys of the bond.
    case secured(LinkSecurity)
    /// The pairing succeeded. The host has stored the bond, if the result contains one.
    case completed(PairingResult)
    case failed(PairingProcedureError)
}

/// The settings of a host's pairings.
package struct PairingSettings: Hashable, Sendable {
    package var ioCapability = SMP.IOCapability.noInputNoOutput
    package var policy = PairingPolicy()
    /// The IRK that this host distributes with its identity address; nil if it distributes none.
    package var identityKey: IdentityResolvingKey?

    package init() {}
}
