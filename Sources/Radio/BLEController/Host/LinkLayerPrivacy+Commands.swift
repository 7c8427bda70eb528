import BLEWire

extension LinkLayerPrivacy {
    // MARK: Time

    /// Changes the private addresses. Returns whether they have changed.
    mutating func rotateAddresses(
        using cryptography: Cryptography, _ radio: inout ControllerRadio, _ medium: inout Medium
    ) -> Bool {
        let haveChanged = resolvingList.handleTimeout(at: medium.now, using: &cryptography.provider)
        armRotation(&radio, &medium)
        return haveChanged
    }

    private func armRotation(_ radio: inout ControllerRadio, _ medium: inout Medium) {
        if let deadline = resolvingList.deadline {
            radio.arm(.addressRotation, at: deadline, &medium)
        } else {
            radio.cancel(.addressRotation, &medium)
        }
    }

    // MARK: Commands

    /// The commands of a controller with a resolving list.
    static let commands: [HCI.Opcode] = [
        .leAddDeviceToResolvingList, .leRemoveDeviceFromResolvingList, .leClearResolvingList, .leReadResolvingListSize,
        .leReadPeerResolvableAddress, .leReadLocalResolvableAddress, .leSetAddressResolutionEnable,
        .leSetResolvablePrivateAddressTimeout, .leSetPrivacyMode,
    ]

    mutating func handle(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, hasActiveRole: Bool, _ cryptography: Cryptography,
        _ radio: inout ControllerRadio, _ host: inout HostInterface, _ medium: inout Medium
    ) throws(HCI.ErrorCode) -> Bool {
        // The list must not change while a role resolves addresses with it (Vol 4, Part E, 7.8.38).
        let isInUse = resolvesAddresses && hasActiveRole
        switch opcode {
        case .leAddDeviceToResolvingList:
            let command = try HCI.LEAddDeviceToResolvingList(from: parameters)
            guard !isInUse else { throw .commandDisallowed }
            try add(command, at: medium.now, cryptography)
            armRotation(&radio, &medium)
        case .leRemoveDeviceFromResolvingList:
            let identity = try HCI.LERemoveDeviceFromResolvingList(from: parameters).identity
            try checkChange(of: identity, isInUse: isInUse)
            guard resolvingList.remove(identity) else { throw .unknownConnectionIdentifier }
            armRotation(&radio, &medium)
        case .leClearResolvingList:
            _ = try HCI.LEClearResolvingList(from: parameters)
            guard !isInUse else { throw .commandDisallowed }
            resolvingList.removeAll()
            armRotation(&radio, &medium)
        case .leSetPrivacyMode:
            let command = try HCI.LESetPrivacyMode(from: parameters)
            guard command.mode == .network || command.mode == .device else { throw .invalidHCICommandParameters }
            try checkChange(of: command.identity, isInUse: isInUse)
            guard resolvingList.setMode(command.mode, of: command.identity) else { throw .unknownConnectionIdentifier }
        case .leSetAddressResolutionEnable:
            let enable = try HCI.LESetAddressResolutionEnable(from: parameters).enable
            guard !hasActiveRole else { throw .commandDisallowed }
            resolvesAddresses = enable
        case .leSetResolvablePrivateAddressTimeout:
            let seconds = try HCI.LESetResolvablePrivateAddressTimeout(from: parameters).timeout
            guard ResolvingList.intervals.contains(seconds) else { throw .invalidHCICommandParameters }
            resolvingList.setInterval(.seconds(Int(seconds)), at: medium.now)
            armRotation(&radio, &medium)
        case .leReadPeerResolvableAddress:
            let identity = try HCI.LEReadPeerResolvableAddress(from: parameters).identity
            let address = resolvingList.index(of: identity).flatMap { resolvingList.entries[$0].peerAddress }
            host.complete(HCI.LEReadPeerResolvableAddress.self, Self.resolvable(address))
            return true
        case .leReadLocalResolvableAddress:
            let identity = try HCI.LEReadLocalResolvableAddress(from: parameters).identity
            host.complete(
                HCI.LEReadLocalResolvableAddress.self, Self.resolvable(resolvingList.localAddress(for: identity)))
            return true
        default: return false
        }
        host.complete(opcode, .success)
        return true
    }

    /// The answer without an address is Unknown Connection Identifier (Vol 4, Part E, 7.8.42 and 7.8.43).
    private static func resolvable(_ address: DeviceAddress?) -> HCI.ResolvableAddressReturn {
        HCI.ResolvableAddressReturn(
            status: address == nil ? .unknownConnectionIdentifier : .success,
            address: address ?? DeviceAddress(kind: .random, value: 0))
    }

    private mutating func add(
        _ command: HCI.LEAddDeviceToResolvingList, at now: Instant, _ cryptography: Cryptography
    ) throws(HCI.ErrorCode) {
        let entry = ResolvingList.Entry(
            identity: command.identity, peerKey: command.peerKey, localKey: command.localKey)
        do throws(ResolvingList.EntryError) {
            try resolvingList.add(entry, at: now, using: &cryptography.provider)
        } catch {
            throw error == .full ? .memoryCapacityExceeded : .invalidHCICommandParameters
        }
    }

    private func checkChange(of identity: DeviceAddress, isInUse: Bool) throws(HCI.ErrorCode) {
        guard !isInUse else { throw .commandDisallowed }
        guard identity.kind == .public || identity.kind == .random else { throw .invalidHCICommandParameters }
    }
}

extension HCI.ScanFilterPolicy {
    var usesAcceptList: Bool { self == .acceptList || self == .acceptListExtended }
    var isExtended: Bool { self == .everyoneExtended || self == .acceptListExtended }
}
