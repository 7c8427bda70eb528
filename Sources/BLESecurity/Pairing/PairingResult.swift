import BLEWire

/// The result of a successful pairing.
package struct PairingResult: Hashable, Sendable {
    package let security: LinkSecurity
    package let model: AssociationModel
    /// Nil unless both devices bond.
    package let bond: Bond?
}
