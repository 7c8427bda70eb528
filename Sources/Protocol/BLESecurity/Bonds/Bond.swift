import BLEWire

/// An LTK with the numbers that identify it. With Secure Connections both are zero (Vol 3, Part H, 2.4.4).
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

/// The keys that persist after a link.
package struct Bond: Hashable, Sendable {
    /// The peer's identity address if it distributed one, otherwise the address of the link.
    package let peer: DeviceAddress
    package let security: LinkSecurity
    /// The keys came from a debug key pair. A sniffer can decrypt the traffic that they protect.
    package let usesDebugKeys: Bool
    /// Answers LTK requests of the controller if this device is the peripheral.
    package let localKey: StoredKey?
    /// Starts the encryption if this device is the central.
    package let peerKey: StoredKey?
    /// Nil if the peer distributed none; all zeros if the peer has no resolvable private address.
    package let peerIdentityKey: IdentityResolvingKey?
    package let localSignatureKey: SignatureKey?
    package let peerSignatureKey: SignatureKey?
    package let linkKey: ClassicLinkKey?

    package init(
        peer: DeviceAddress, security: LinkSecurity, usesDebugKeys: Bool, localKey: StoredKey?, peerKey: StoredKey?,
        peerIdentityKey: IdentityResolvingKey?, localSignatureKey: SignatureKey?, peerSignatureKey: SignatureKey?,
        linkKey: ClassicLinkKey?
    ) {
        self.peer = peer
        self.security = security
        self.usesDebugKeys = usesDebugKeys
        self.localKey = localKey
        self.peerKey = peerKey
        self.peerIdentityKey = peerIdentityKey
        self.localSignatureKey = localSignatureKey
        self.peerSignatureKey = peerSignatureKey
        self.linkKey = linkKey
    }
}
