internal import BLEWire

/// The protection of an encrypted link, or of the keys of a bond.
public struct PairingSecurity: Hashable, Sendable {
    /// LE security mode 1 of the Bluetooth Core Specification (Vol 3, Part C, 10.2.1).
    public enum Level: Int, Comparable, Sendable {
        /// No encryption.
        case unencrypted = 1
        /// Encryption with keys of a pairing that a device in the middle could have manipulated.
        case encrypted = 2
        /// Encryption with keys of a pairing that the users authenticated by a passkey, a comparison or out of band.
        case authenticated = 3
        /// The same with LE Secure Connections and keys of 16 octets.
        case secureConnections = 4

        /// Orders levels by their protection.
        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    /// The level of protection.
    public let level: Level
    /// The size of the encryption key in octets, 7 to 16; 0 on a link without encryption. bluetoothd and gateways do not tell it: there it is 7,
    /// the least.
    public let keySize: Int
    /// Whether the pairing was protected against a device in the middle.
    public let isAuthenticated: Bool
    /// Whether the keys come from LE Secure Connections. A sniffer can compute the keys of a legacy pairing.
    public let usesSecureConnections: Bool
    /// Whether both devices keep the keys after the link.
    public let isBonded: Bool

    init(_ security: LinkSecurity) {
        level = Level(security.level)
        keySize = Int(security.keySize)
        isAuthenticated = security.isAuthenticated
        usesSecureConnections = security.isSecureConnections
        isBonded = security.isBonded
    }
}

extension PairingSecurity.Level {
    init(_ level: LinkSecurity.Level) {
        self =
            switch level {
            case .none: .unencrypted
            case .unauthenticated: .encrypted
            case .authenticated: .authenticated
            case .secureConnections: .secureConnections
            }
    }

    var linkLevel: LinkSecurity.Level {
        switch self {
        case .unencrypted: .none
        case .encrypted: .unauthenticated
        case .authenticated: .authenticated
        case .secureConnections: .secureConnections
        }
    }
}
