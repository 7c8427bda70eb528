import BLEWire

/// An LTK with the numbers that name it. With Secure Connections both are zero (Vol 3, Part H, 2.4.4).
package struct StoredKey: Hashable, Sendable {
    package let key: LongTermKey
    package let diversifier: UInt16
    package let random: UInt64

    package init(key: LongTermKey, diversifier: UInt16, random: UInt64) {
        self.key = key
        self.diversifier = diversifier
        self.random = random
    }
}

/// The keys that outlive a link.
package struct Bond: Hashable, Sendable {
    /// The peer's identity address if it distributed one, else the address of the link.
    package let peer: DeviceAddress
    package let security: LinkSecurity
    /// The keys came from a debug key pair: a sniffer can read what they protect.
    package let usesDebugKeys: Bool
    /// Answers the LTK requests of a controller whose device is the peripheral.
    package let localKey: StoredKey?
    /// Starts the encryption of a device that is the central.
    package let peerKey: StoredKey?
    /// Nil if the peer distributed none; all zeros if the peer has no resolvable private address.
    package let peerIdentityKey: IdentityResolvingKey?
    package let localSignatureKey: SignatureKey?
    package let peerSignatureKey: SignatureKey?
    package let linkKey: ClassicLinkKey?
}
