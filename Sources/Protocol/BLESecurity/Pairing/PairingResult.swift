import BLEWire

/// The result of a successful pairing.
package struct PairingResult: Hashable, Sendable {
    package let security: LinkSecurity
    package let model: AssociationModel
    /// Nil unless both devices bond.
    package let bond: Bond?

    package init(security: LinkSecurity, model: AssociationModel, bond: Bond?) {
        self.security = security
        self.model = model
        self.bond = bond
    }
}
