import BLEWire

/// Link layer privacy: the addresses of this device, and the devices behind the addresses of peers (Vol 6, Part B, 6).
struct LinkLayerPrivacy {
    var publicAddress: DeviceAddress?
    /// The number of entries of the resolving list; 0 for a controller without one.
    let capacity: UInt8
    var randomAddress: UInt64?
    var resolvingList: ResolvingList
    /// Whether the controller resolves the addresses that it receives.
    var resolvesAddresses = false

    init(_ configuration: ControllerConfiguration) {
        publicAddress = configuration.publicAddress
        capacity = configuration.resolvingListSize
        resolvingList = ResolvingList(capacity: Int(capacity))
    }

    var hasResolvingList: Bool { capacity > 0 }

    // MARK: Own addresses

    /// The address of a role in a PDU for `peer`, a device or identity address. Nil if the controller has no public address, or if
    /// the host has not set a random one.
    func ownAddress(_ type: HCI.OwnAddressType, with peer: DeviceAddress) -> DeviceAddress? {
        privateAddress(type, with: peer) ?? fallbackAddress(type)
    }

    /// The private address from the resolving list; nil if the role does not use one, or if the list has no local IRK for `peer`
    /// (Vol 4, Part E, 7.8.5).
    func privateAddress(_ type: HCI.OwnAddressType, with peer: DeviceAddress) -> DeviceAddress? {
        switch type {
        case .resolvableOrPublic, .resolvableOrRandom: resolvingList.localAddress(for: peer)
        default: nil
        }
    }

    /// The address of a role without the resolving list.
    func fallbackAddress(_ type: HCI.OwnAddressType) -> DeviceAddress? {
        switch type {
        case .public, .resolvableOrPublic: publicAddress
        case .random, .resolvableOrRandom: randomAddress.map { DeviceAddress(kind: .random, value: $0) }
        default: nil
        }
    }

    /// Whether a role has an address. `peer` is nil for a role without a single peer.
    func hasOwnAddress(_ type: HCI.OwnAddressType, with peer: DeviceAddress?) -> Bool {
        if fallbackAddress(type) != nil { return true }
        guard type == .resolvableOrPublic || type == .resolvableOrRandom else { return false }
        return resolvingList.entries.contains { $0.localAddress != nil && (peer == nil || $0.identity == peer) }
    }

    /// The target of directed advertising by `peer` for the host if it is this device, otherwise nil. A private address that the controller
    /// resolves is reported as the identity address (Vol 4, Part E, 7.7.65.13). A role that uses private addresses with a peer in
    /// network privacy mode accepts no other (Vol 6, Part B, 6.3 and 6.4).
    mutating func ownTarget(
        _ target: DeviceAddress, _ type: HCI.OwnAddressType, with peer: DeviceAddress, using crypto: any CryptoProvider
    ) -> DeviceAddress? {
        if target.isResolvable, resolvesAddresses, let index = resolvingList.index(of: peer),
            resolvingList.isLocal(target, for: index, using: crypto)
        {
            return (fallbackAddress(type) ?? publicAddress)?.asResolved ?? target
        }
        guard target == fallbackAddress(type) else { return nil }
        guard privateAddress(type, with: peer) != nil, let index = resolvingList.index(of: peer) else { return target }
        return resolvingList.entries[index].mode == .device ? target : nil
    }

    // MARK: Addresses of peers

    /// Finds the device of an advertisement's address. Nil for the identity address of a peer that uses private addresses only (network
    /// privacy mode): the controller ignores the PDU (Vol 6, Part B, 4.7), also if it resolves no private addresses, because
    /// LE Set Address Resolution Enable is about private addresses only (Vol 4, Part E, 7.8.44). NimBLE's controller does the same.
    mutating func identify(_ address: DeviceAddress, using crypto: any CryptoProvider) -> PeerAddress? {
        guard !resolvingList.isEmpty, resolvesAddresses || !address.isResolvable else { return PeerAddress(address) }
        switch resolvingList.resolve(address, using: crypto) {
        case .entry(let index): return PeerAddress(address, identity: resolvingList.entries[index].identity)
        case .unlisted: return PeerAddress(address)
        case .refused: return nil
        }
    }

    /// Finds the device that sent a request to this advertiser. The privacy mode holds while the controller resolves addresses, as in NimBLE's
    /// controller.
    mutating func identifyRequester(_ address: DeviceAddress, using crypto: any CryptoProvider) -> PeerAddress? {
        resolvesAddresses ? identify(address, using: crypto) : PeerAddress(address)
    }

    /// The key of the private addresses of directed advertising to `peer`; nil if the advertiser does not use the resolving list, or if the peer
    /// has no IRK there (Vol 6, Part B, 6.2.2).
    func targetKey(_ type: HCI.OwnAddressType, of peer: DeviceAddress) -> IdentityResolvingKey? {
        guard type == .resolvableOrPublic || type == .resolvableOrRandom, let index = resolvingList.index(of: peer)
        else { return nil }
        let key = resolvingList.entries[index].peerKey
        return key == .none ? nil : key
    }
}
