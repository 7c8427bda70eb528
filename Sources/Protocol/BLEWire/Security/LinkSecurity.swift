/// The security of a link, or of the keys of a bond. The host keeps it for each link. The attribute server and the
/// credit-based channels use it to decide on a peer's access.
package struct LinkSecurity: Hashable, Sendable {
    /// LE security mode 1 (Vol 3, Part C, 10.2.1).
    package enum Level: UInt8, Comparable, Sendable {
        /// No authentication and no encryption.
        case none = 1
        /// Unauthenticated pairing with encryption.
        case unauthenticated = 2
        /// Authenticated pairing with encryption.
        case authenticated = 3
        /// Authenticated LE Secure Connections pairing with encryption by a key of 128 bits.
        case secureConnections = 4

        package static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// The key size in octets, 7 to 16; 0 if the link is not encrypted.
    package var keySize: UInt8
    /// The pairing was protected against a man in the middle.
    package var isAuthenticated: Bool
    /// The key came from LE Secure Connections.
    package var isSecureConnections: Bool
    /// The keys persist after the link. On an unencrypted link: both sides hold a key from an earlier pairing.
    package var isBonded: Bool

    package init(keySize: UInt8, isAuthenticated: Bool, isSecureConnections: Bool, isBonded: Bool) {
        self.keySize = keySize
        self.isAuthenticated = isAuthenticated
        self.isSecureConnections = isSecureConnections
        self.isBonded = isBonded
    }

    package static let none = LinkSecurity(
        keySize: 0, isAuthenticated: false, isSecureConnections: false, isBonded: false)

    package var isEncrypted: Bool { keySize > 0 }

    package var level: Level {
        if !isEncrypted { return .none }
        if !isAuthenticated { return .unauthenticated }
        return isSecureConnections && keySize == 16 ? .secureConnections : .authenticated
    }

    /// Whether these keys lack a property of `other`: authentication, Secure Connections or octets of the key.
    package func isWeaker(than other: LinkSecurity) -> Bool {
        (other.isAuthenticated && !isAuthenticated) || (other.isSecureConnections && !isSecureConnections)
            || keySize < other.keySize
    }
}
