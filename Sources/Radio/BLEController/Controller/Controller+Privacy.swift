import BLEWire

/// Link layer privacy: private addresses of this device and of its peers (Vol 6, Part B, 6).
extension Controller {
    mutating func chooseTarget() {
        let (type, peer) = (advertising.parameters.ownAddressType, advertising.parameters.peerAddress)
        advertising.target = peer
        guard advertising.isDirected, let key = privacy.targetKey(type, of: peer) else { return }
        advertising.target = crypto.makeResolvableAddress(key)
    }

    // MARK: Time

    /// Changes the private addresses. Advertising uses the new ones from its next event on.
    mutating func rotateAddresses(_ medium: inout Medium) {
        var crypto = crypto
        let haveChanged = privacy.resolvingList.handleTimeout(at: medium.now, using: &crypto)
        self.crypto = crypto
        if haveChanged, advertising.isEnabled { chooseTarget() }
        armRotation(&medium)
    }

    private mutating func armRotation(_ medium: inout Medium) {
        if let deadline = privacy.resolvingList.deadline {
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
            privacy.resolvingList.removeAll()
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
            privacy.resolvesAddresses = enable
            host.complete(opcode, .success)
        case .leSetResolvablePrivateAddressTimeout:
            let seconds = try HCI.LESetResolvablePrivateAddressTimeout(decoding: parameters).timeout
            guard ResolvingList.intervals.contains(seconds) else {
                host.complete(opcode, .invalidHCICommandParameters)
                return true
            }
            privacy.resolvingList.setInterval(.seconds(Int(seconds)), at: medium.now)
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
            let address = privacy.resolvingList.index(of: identity).flatMap {
                privacy.resolvingList.entries[$0].peerAddress
            }
            host.complete(HCI.LEReadPeerResolvableAddress.self, Self.resolvable(address))
        case .leReadLocalResolvableAddress:
            let identity = try HCI.LEReadLocalResolvableAddress(decoding: parameters).identity
            host.complete(
                HCI.LEReadLocalResolvableAddress.self,
                Self.resolvable(privacy.resolvingList.localAddress(for: identity)))
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
            try privacy.resolvingList.add(entry, at: medium.now, using: &crypto)
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
        return change(&privacy.resolvingList)
    }

    private var hasActiveRole: Bool { advertising.isEnabled || scanning.isEnabled || initiating.isEnabled }

    /// Whether the list must not change, because a role resolves addresses with it (Vol 4, Part E, 7.8.38).
    private var isListInUse: Bool { privacy.resolvesAddresses && hasActiveRole }
}

extension HCI.ScanFilterPolicy {
    var usesAcceptList: Bool { self == .acceptList || self == .acceptListExtended }
    var isExtended: Bool { self == .everyoneExtended || self == .acceptListExtended }
}

extension LL.FeatureSet {
    /// The features that a controller reports to its host, and not to peers (Vol 6, Part B, 4.6).
    static let hostOnly: LL.FeatureSet = [.privacy, .extendedScanFilterPolicies]
}
