import BLEWire

/// Link layer privacy: private addresses of this device and of its peers (Vol 6, Part B, 6).
extension Controller {
    var hasResolvingList: Bool { configuration.resolvingListSize > 0 }

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
    private func fallbackAddress(_ type: HCI.OwnAddressType) -> DeviceAddress? {
        switch type {
        case .public, .resolvableOrPublic: configuration.publicAddress
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

    /// Whether the target of directed advertising by `peer` is this device. A role that uses private addresses with a peer in
    /// network privacy mode accepts no other (Vol 6, Part B, 6.3 and 6.4).
    mutating func isOwn(_ target: DeviceAddress, _ type: HCI.OwnAddressType, with peer: DeviceAddress) -> Bool {
        if target.isResolvable, resolvesAddresses, let index = resolvingList.index(of: peer),
            resolvingList.isLocal(target, for: index, using: crypto)
        {
            return true
        }
        guard target == fallbackAddress(type) else { return false }
        guard privateAddress(type, with: peer) != nil, let index = resolvingList.index(of: peer) else { return true }
        return resolvingList.entries[index].mode == .device
    }

    // MARK: Addresses of peers

    /// Finds the device of an advertisement's address. Nil for the identity address of a peer that uses private addresses only (network
    /// privacy mode): the controller ignores the PDU (Vol 6, Part B, 4.7), also if it resolves no private addresses, because
    /// LE Set Address Resolution Enable is about private addresses only (Vol 4, Part E, 7.8.44). NimBLE's controller does the same.
    mutating func identify(_ address: DeviceAddress) -> PeerAddress? {
        guard !resolvingList.isEmpty, resolvesAddresses || !address.isResolvable else { return PeerAddress(address) }
        switch resolvingList.resolve(address, using: crypto) {
        case .entry(let index): return PeerAddress(address, identity: resolvingList.entries[index].identity)
        case .unlisted: return PeerAddress(address)
        case .refused: return nil
        }
    }

    /// Finds the device that sent a request to this advertiser. The privacy mode holds while the controller resolves addresses, as in NimBLE's
    /// controller.
    mutating func identifyRequester(_ address: DeviceAddress) -> PeerAddress? {
        resolvesAddresses ? identify(address) : PeerAddress(address)
    }

    /// Whether the filter accept list has the device, by its identity or by the received address (Vol 6, Part B, 4.3.1).
    func acceptsByList(_ peer: PeerAddress) -> Bool {
        acceptList.contains(peer.device) || peer.isResolved && acceptList.contains(peer.onAir)
    }

    /// Chooses the target of directed advertising: a private address if the advertiser uses the resolving list and the peer has an
    /// IRK there (Vol 6, Part B, 6.2.2).
    mutating func chooseTarget() {
        let (type, peer) = (advertising.parameters.ownAddressType, advertising.parameters.peerAddress)
        advertising.target = peer
        guard advertising.isDirected, type == .resolvableOrPublic || type == .resolvableOrRandom,
            let index = resolvingList.index(of: peer)
        else { return }
        let key = resolvingList.entries[index].peerKey
        if key != .none { advertising.target = crypto.makeResolvableAddress(key) }
    }

    // MARK: Time

    /// Changes the private addresses. Advertising uses the new ones from its next event on.
    mutating func rotateAddresses(_ medium: inout Medium) {
        var crypto = crypto
        let haveChanged = resolvingList.handleTimeout(at: medium.now, using: &crypto)
        self.crypto = crypto
        if haveChanged, advertising.isEnabled { chooseTarget() }
        armRotation(&medium)
    }

    private mutating func armRotation(_ medium: inout Medium) {
        if let deadline = resolvingList.deadline {
            timers.arm(.addressRotation, at: deadline, &medium)
        } else {
            timers.cancel(.addressRotation, &medium)
        }
    }

    // MARK: Commands

    /// The commands of a controller with a resolving list.
    static let privacyCommands: [HCI.Opcode] = [
        .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leClearResolvingList, .leReadResolvingListSize,
        .leReadPeerResolvableAddress, .leReadLocalResolvableAddress, .leSetAddressResolutionEnable,
        .leSetResolvablePrivateAddressTimeout, .leSetPrivacyMode,
    ]

    mutating func handlePrivacy(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, _ medium: inout Medium
    ) throws(DecodeError) -> Bool {
        switch opcode {
        case .leAddDeviceToResolvingList:
            host.complete(opcode, add(try HCI.LEAddDeviceToResolvingList(decoding: parameters), &medium))
        case .leRemoveDeviceFromResolvingList:
            let identity = try HCI.LERemoveDeviceFromResolvingList(decoding: parameters).identity
            host.complete(
                opcode,
                changeList(of: identity) { list in list.remove(identity) ? .success : .unknownConnectionIdentifier })
            armRotation(&medium)
        case .leClearResolvingList:
            _ = try HCI.LEClearResolvingList(decoding: parameters)
            guard !isListInUse else {
                host.complete(opcode, .commandDisallowed)
                return true
            }
            resolvingList.removeAll()
            host.complete(opcode, .success)
            armRotation(&medium)
        case .leSetPrivacyMode:
            let command = try HCI.LESetPrivacyMode(decoding: parameters)
            guard command.mode == .network || command.mode == .device else {
                host.complete(opcode, .invalidHCICommandParameters)
                return true
            }
            host.complete(
                opcode,
                changeList(of: command.identity) { list in
                    list.setMode(command.mode, of: command.identity) ? .success : .unknownConnectionIdentifier
                })
        case .leSetAddressResolutionEnable:
            let enable = try HCI.LESetAddressResolutionEnable(decoding: parameters).enable
            guard !hasActiveRole else {
                host.complete(opcode, .commandDisallowed)
                return true
            }
            resolvesAddresses = enable
            host.complete(opcode, .success)
        case .leSetResolvablePrivateAddressTimeout:
            let seconds = try HCI.LESetResolvablePrivateAddressTimeout(decoding: parameters).timeout
            guard ResolvingList.intervals.contains(seconds) else {
                host.complete(opcode, .invalidHCICommandParameters)
                return true
            }
            resolvingList.setInterval(.seconds(Int(seconds)), at: medium.now)
            host.complete(opcode, .success)
            armRotation(&medium)
        default: return try readList(opcode, parameters)
        }
        return true
    }

    private mutating func readList(_ opcode: HCI.Opcode, _ parameters: Span<UInt8>) throws(DecodeError) -> Bool {
        switch opcode {
        case .leReadResolvingListSize:
            _ = try HCI.LEReadResolvingListSize(decoding: parameters)
            host.complete(
                HCI.LEReadResolvingListSize.self, .init(status: .success, size: configuration.resolvingListSize))
        case .leReadPeerResolvableAddress:
            let identity = try HCI.LEReadPeerResolvableAddress(decoding: parameters).identity
            let address = resolvingList.index(of: identity).flatMap { resolvingList.entries[$0].peerAddress }
            host.complete(HCI.LEReadPeerResolvableAddress.self, Self.resolvable(address))
        case .leReadLocalResolvableAddress:
            let identity = try HCI.LEReadLocalResolvableAddress(decoding: parameters).identity
            host.complete(
                HCI.LEReadLocalResolvableAddress.self, Self.resolvable(resolvingList.localAddress(for: identity)))
        default: return false
        }
        return true
    }

    /// The answer without an address is Unknown Connection Identifier (Vol 4, Part E, 7.8.42 and 7.8.43).
    private static func resolvable(_ address: DeviceAddress?) -> HCI.ResolvableAddressReturn {
        HCI.ResolvableAddressReturn(
            status: address == nil ? .unknownConnectionIdentifier : .success,
            address: address ?? DeviceAddress(kind: .random, value: 0))
    }

    private mutating func add(_ command: HCI.LEAddDeviceToResolvingList, _ medium: inout Medium) -> HCI.ErrorCode {
        guard !isListInUse else { return .commandDisallowed }
        let entry = ResolvingList.Entry(
            identity: command.identity, peerKey: command.peerKey, localKey: command.localKey)
        var crypto = crypto
        defer { self.crypto = crypto }
        do throws(ResolvingList.EntryError) {
            try resolvingList.add(entry, at: medium.now, using: &crypto)
        } catch {
            return error == .full ? .memoryCapacityExceeded : .invalidHCICommandParameters
        }
        armRotation(&medium)
        return .success
    }

    /// Changes the entry of `identity`, unless the list is in use.
    private mutating func changeList(
        of identity: DeviceAddress, _ change: (inout ResolvingList) -> HCI.ErrorCode
    ) -> HCI.ErrorCode {
        guard !isListInUse else { return .commandDisallowed }
        guard identity.kind == .public || identity.kind == .random else { return .invalidHCICommandParameters }
        return change(&resolvingList)
    }

    private var hasActiveRole: Bool { advertising.isEnabled || scanning.isEnabled || initiating.isEnabled }

    /// Whether the list must not change, because a role resolves addresses with it (Vol 4, Part E, 7.8.38).
    private var isListInUse: Bool { resolvesAddresses && hasActiveRole }
}

extension HCI.ScanFilterPolicy {
    var usesAcceptList: Bool { self == .acceptList || self == .acceptListExtended }
    var isExtended: Bool { self == .everyoneExtended || self == .acceptListExtended }
}

extension LL.FeatureSet {
    /// The features that a controller reports to its host, and not to peers (Vol 6, Part B, 4.6).
    static let hostOnly: LL.FeatureSet = [.privacy, .extendedScanFilterPolicies]
}
