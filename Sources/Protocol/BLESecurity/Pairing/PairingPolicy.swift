import BLEWire

/// The requirements of a device on a pairing.
package struct PairingPolicy: Hashable, Sendable {
    /// The handling of a pairing that would replace the keys of a bond with weaker ones, or by just works on a link that
    /// those keys do not encrypt: any device may use the address of the peer.
    package enum WeakerBonds: Hashable, Sendable {
        /// The pairing fails.
        case refuse
        /// The agent decides.
        case ask
    }

    /// Whether pairing is possible. False refuses every pairing with Pairing Not Supported.
    package var isPairable = true
    /// Whether every pairing is refused with Busy, for example while an agent handles another one.
    package var isBusy = false
    package var bonding = true
    /// Whether keys without protection against a man in the middle are refused.
    package var requiresManInTheMiddle = false
    /// Whether this device requests protection against a man in the middle. If the IO capabilities do not allow it, the
    /// devices pair without it.
    package var prefersManInTheMiddle = false
    package var allowsSecureConnections = true
    package var allowsLegacy = true
    package var allowsJustWorks = true
    /// Whether only security level 4 is accepted (Vol 3, Part C, 10.2.4): Secure Connections, authenticated, a key of
    /// 16 octets.
    package var secureConnectionsOnly = false
    /// In octets, 7 to 16.
    package var minimumKeySize: UInt8 = 16
    /// In octets, 7 to 16.
    package var maximumKeySize: UInt8 = 16
    /// Whether a responder asks its agent before it answers a Pairing Request.
    package var asksBeforePairing = false
    package var weakerBonds = WeakerBonds.refuse
    /// The keys that this device distributes if both bond.
    package var localKeys: SMP.KeyDistribution = .encryptionAndIdentity
    /// The keys that this device accepts if both bond.
    package var peerKeys: SMP.KeyDistribution = .encryptionAndIdentity
    /// Whether a BR/EDR link key is derived from the LTK if the peer also requests it.
    package var derivesLinkKey = false
    package var sendsKeypresses = false
    /// Whether the debug key pair is used and accepted from a peer. For sniffers only.
    package var usesDebugKeys = false

    package init() {}

    /// Bits of AuthReq.
    var requirements: SMP.AuthenticationRequirements {
        var result: SMP.AuthenticationRequirements = []
        if bonding { result.insert(.bonding) }
        if requiresManInTheMiddle || prefersManInTheMiddle || secureConnectionsOnly {
            result.insert(.manInTheMiddle)
        }
        if allowsSecureConnections || secureConnectionsOnly { result.insert(.secureConnections) }
        if sendsKeypresses { result.insert(.keypress) }
        if derivesLinkKey { result.insert(.crossTransport) }
        return result
    }
}

/// A device whose keys are stored.
package struct KnownBond: Hashable, Sendable {
    package let identity: DeviceAddress
    package let security: LinkSecurity

    package init(identity: DeviceAddress, security: LinkSecurity) {
        self.identity = identity
        self.security = security
    }
}

/// The identity address of this device and its IRK.
package struct LocalIdentity: Hashable, Sendable {
    package let address: DeviceAddress
    package let key: IdentityResolvingKey

    package init(address: DeviceAddress, key: IdentityResolvingKey) {
        self.address = address
        self.key = key
    }
}

/// The roles, addresses and policy of all pairings on one link.
package struct PairingParameters: Sendable {
    package let role: PairingRole
    /// The addresses with which the link was established. Resolvable private addresses are unresolved.
    package let localAddress: DeviceAddress
    package let peerAddress: DeviceAddress
    /// The identity of `peerAddress`: the result of its resolution, or the address itself if it is an identity address.
    package var peerIdentity: DeviceAddress?
    package var ioCapability: SMP.IOCapability
    package var policy: PairingPolicy
    /// Nil if this device distributes no identity.
    package var localIdentity: LocalIdentity?
    // The data is apart, so that a link without it does not pay for it.
    private indirect enum OutOfBandStorage: Sendable {
        case data(OutOfBandData)
    }
    private var outOfBandStorage: OutOfBandStorage?
    package var outOfBand: OutOfBandData {
        get { if case .data(let data)? = outOfBandStorage { data } else { OutOfBandData() } }
        set { outOfBandStorage = newValue.isEmpty ? nil : .data(newValue) }
    }
    package var knownBonds: [KnownBond]
    /// Whether the keys of the bond encrypt the link, so that the peer has proved its identity. Other keys prove nothing.
    package var isEncrypted = false

    package init(
        role: PairingRole, localAddress: DeviceAddress, peerAddress: DeviceAddress, ioCapability: SMP.IOCapability,
        policy: PairingPolicy = PairingPolicy()
    ) {
        self.role = role
        self.localAddress = localAddress
        self.peerAddress = peerAddress
        self.ioCapability = ioCapability
        self.policy = policy
        knownBonds = []
    }

    var initiator: DeviceAddress { role == .initiator ? localAddress : peerAddress }
    var responder: DeviceAddress { role == .responder ? localAddress : peerAddress }

    /// The security of the bond with `identity`, or with the peer of the link.
    func knownSecurity(of identity: DeviceAddress? = nil) -> LinkSecurity? {
        let identity = identity ?? peerIdentity ?? peerAddress
        return knownBonds.first { $0.identity == identity }?.security
    }
}
