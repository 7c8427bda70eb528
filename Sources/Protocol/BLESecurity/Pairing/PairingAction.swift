import BLEWire

/// An action of a pairing's owner. Actions are performed in order.
package enum PairingAction: Hashable, Sendable {
    case send(SMP.Packet)
    case ask(AgentRequest)
    /// Withdraws the agent's current request.
    case dismissAgent
    /// The central encrypts the link with this key. EDIV and Rand are zero.
    case startEncryption(LongTermKey)
    /// The peripheral answers the controller's LTK request with this key. EDIV and Rand are zero.
    case provideKey(LongTermKey)
    /// The central encrypts the link with the key of the bond, as the peripheral requested.
    case encryptWithBond
    /// The peer's user pressed a key.
    case keypress(SMP.KeypressNotification.Kind)
    case completed(PairingResult)
    case failed(PairingProcedureError)
}

/// A question or a message to the user of this device.
package enum AgentRequest: Hashable, Sendable {
    /// Answered with `.accept`.
    case accept(PairingProposal)
    /// Needs no answer.
    case display(Passkey)
    /// Answered with `.passkey`.
    case enterPasskey
    /// Answered with `.accept`: true if the other device shows the same six digits.
    case compare(ComparisonValue)
}

/// The user's answer.
package enum AgentAnswer: Hashable, Sendable {
    case accept(Bool)
    case passkey(Passkey)
    /// A key pressed before the passkey is complete.
    case keypress(SMP.KeypressNotification.Kind)
    /// Ends the pairing.
    case cancel
}

/// A pairing that the agent may accept.
package struct PairingProposal: Hashable, Sendable {
    package let peer: DeviceAddress
    package let model: AssociationModel
    package let security: LinkSecurity
    /// The bond that the pairing would replace.
    package let replaces: LinkSecurity?

    package init(peer: DeviceAddress, model: AssociationModel, security: LinkSecurity, replaces: LinkSecurity?) {
        (self.peer, self.model, self.security, self.replaces) = (peer, model, security, replaces)
    }
}

/// Six decimal digits. Descriptions hide them; `digits` returns them for display to the user.
package struct Passkey: SecretKey {
    package let value: UInt128
    /// Takes the value modulo one million.
    package init(value: UInt128) { self.value = value % 1_000_000 }
    package var digits: String { sixDigits(UInt32(value)) }
}

/// The six digits that both devices of a numeric comparison display.
package struct ComparisonValue: Hashable, Sendable {
    package let value: UInt32
    /// Takes the value modulo one million.
    package init(value: UInt32) { self.value = value % 1_000_000 }
    package var digits: String { sixDigits(value) }
}

private func sixDigits(_ value: UInt32) -> String {
    let text = String(value)
    return String(repeating: "0", count: 6 - text.count) + text
}

/// The reason why a pairing failed.
package enum PairingProcedureError: Error, Hashable, Sendable {
    /// This device ended the pairing for this reason.
    case local(SMP.FailureReason)
    /// The peer ended the pairing for this reason.
    case remote(SMP.FailureReason)
    /// 30 s passed. No pairing is possible before the devices connect again (Vol 3, Part H, 3.4).
    case timeout
    /// The controller did not encrypt the link, or the encryption ended before the keys were distributed.
    case encryption
    /// The peer has no keys of the bond. It reset itself, or another device has its address.
    case keyMissing
    case disconnected
}
