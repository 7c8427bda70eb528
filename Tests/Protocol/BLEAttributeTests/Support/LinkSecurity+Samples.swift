import BLEWire

extension LinkSecurity {
    /// Not encrypted, with a key from an earlier pairing.
    static let keyAvailable = LinkSecurity(
        keySize: 0, isAuthenticated: false, isSecureConnections: false, isBonded: true)
    /// Encrypted after Just Works.
    static let encrypted = LinkSecurity(
        keySize: 16, isAuthenticated: false, isSecureConnections: true, isBonded: true)
    /// Encrypted with a key that is protected against a man in the middle.
    static let authenticated = LinkSecurity(
        keySize: 16, isAuthenticated: true, isSecureConnections: true, isBonded: true)
}
