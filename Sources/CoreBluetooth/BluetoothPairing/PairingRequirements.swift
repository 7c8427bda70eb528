internal import BLESecurity

/// The requirements of this host on pairings. They apply to every program that uses the same host.
///
/// ```swift
/// var requirements = PairingRequirements()
/// requirements.allowsJustWorks = false       // refuse pairings without authentication
/// PairingManager().setRequirements(requirements)
/// ```
public struct PairingRequirements: Hashable, Sendable {
    /// Whether devices can pair with this host at all.
    public var isPairable = true
    /// Whether pairings without authentication are allowed ("just works"). Such keys protect against listeners, but not
    /// against a device in the middle.
    public var allowsJustWorks = true
    /// Whether pairings without LE Secure Connections are allowed, as devices before Bluetooth 4.2 use them. A sniffer that
    /// records such a pairing can compute its keys.
    public var allowsLegacyPairing = true
    /// Whether only authenticated LE Secure Connections with keys of 16 octets are allowed (Vol 3, Part C, 10.2.4).
    public var requiresSecureConnections = false
    /// The shortest allowed encryption key in octets, 7 to 16.
    public var minimumKeySize = 16

    /// Creates the default requirements: every pairing with a key of 16 octets is allowed.
    public init() {}

    var policy: PairingPolicy {
        var policy = PairingPolicy()
        policy.isPairable = isPairable
        policy.allowsJustWorks = allowsJustWorks && !requiresSecureConnections
        policy.requiresManInTheMiddle = !allowsJustWorks || requiresSecureConnections
        policy.allowsLegacy = allowsLegacyPairing && !requiresSecureConnections
        policy.secureConnectionsOnly = requiresSecureConnections
        policy.minimumKeySize = UInt8(min(16, max(7, minimumKeySize)))
        return policy
    }
}
