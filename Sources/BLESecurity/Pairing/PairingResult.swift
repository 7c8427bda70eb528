import BLEWire

/// A pairing that succeeded.
package struct PairingResult: Hashable, Sendable {
    package let security: LinkSecurity
    package let model: AssociationModel
    /// Nil unless both devices bond.
    package let bond: Bond?
}
