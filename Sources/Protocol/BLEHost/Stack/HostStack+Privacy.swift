import BLESecurity
import BLEWire

/// Private addresses of this host and of its peers (Vol 3, Part C, 10.7).
extension HostStack {
    // MARK: Commands

    /// Begins after the start-up sequence, with the identities of the bonds.
    mutating func beginPrivacy(at now: Instant) {
        guard var crypto else { return }
        if localKey != .none {
            let privacy = makePrivacy()
            privacy.manager.begin(at: now, using: &crypto)
            self.privacy = privacy
            self.crypto = crypto
        }
        updatePrivacy()
    }

    /// All zeros if this host uses its identity address.
    private var localKey: IdentityResolvingKey {
        configuration.privacy.usesPrivateAddress ? pairingSettings.identityKey ?? .none : .none
    }

    private func makePrivacy() -> PrivacyReference {
        PrivacyReference(
            PrivacyManager(
                localKey: localKey, lifetime: configuration.privacy.addressLifetime,
                capacity: capabilities.resolvingListSize, setsModes: capabilities.has(.leSetPrivacyMode),
                limit: BondLimits.bonds))
    }

    /// Gives the privacy manager the identities of the present bonds.
    mutating func updatePrivacy() {
        guard phase == .running, var crypto else { return }
        let mode = configuration.privacy.mode
        let peers = bonds.bonds.filter(\.peer.isIdentity).map {
            PrivacyManager.Peer(identity: $0.peer, key: $0.peerIdentityKey ?? .none, mode: mode)
        }
        if privacy == nil, !peers.contains(where: { $0.key != .none }) { return }
        let privacy = privacy ?? makePrivacy()
        privacy.manager.request(peers, using: &crypto)
        self.privacy = privacy
        self.crypto = crypto
        isPrivacyDue = true
    }

    mutating func rotateAddress(at now: Instant) {
        guard let privacy, let deadline = privacy.manager.deadline, deadline <= now, var crypto else { return }
        privacy.manager.handleTimeout(at: now, using: &crypto)
        self.crypto = crypto
    }

    /// Suspends the roles while the privacy manager has commands for an idle controller, and sends its next command.
    mutating func drivePrivacy() {
        isPrivacyDue = false
        guard let privacy else { return }
        let isSuspended = privacy.manager.needsIdleRoles && phase == .running
        scanner.isSuspended = isSuspended
        advertiser.isSuspended = isSuspended
        initiator.isSuspended = isSuspended
        // Finds the private addresses of requested peers for a controller that does not resolve them.
        scanner.background =
            privacy.manager.hasPeers && initiator.requested.contains { privacy.manager.resolvesInHost($0) }
            ? ScanParameters(isActive: false) : nil
        guard phase == .running else { return }
        let areIdle =
            !scanner.isOn && scanner.isIdle && !advertiser.isOn && advertiser.isIdle && initiator.isIdle
        if let action = privacy.manager.next(rolesAreIdle: areIdle) { send(action) }
    }

    private mutating func send(_ action: PrivacyManager.Action) {
        switch action {
        case .setRandomAddress(let address): enqueue(HCI.LESetRandomAddress(address: address), for: .privacy)
        case .setTimeout(let seconds):
            enqueue(HCI.LESetResolvablePrivateAddressTimeout(timeout: seconds), for: .privacy)
        case .remove(let identity): enqueue(HCI.LERemoveDeviceFromResolvingList(identity: identity), for: .privacy)
        case .add(let peer):
            enqueue(
                HCI.LEAddDeviceToResolvingList(
                    identity: peer.identity, peerKey: peer.key, localKey: privacy?.manager.localKey ?? .none),
                for: .privacy)
        case .setMode(let identity, let mode):
            enqueue(HCI.LESetPrivacyMode(identity: identity, mode: mode), for: .privacy)
        case .setResolution(let enable): enqueue(HCI.LESetAddressResolutionEnable(enable: enable), for: .privacy)
        }
    }

    // MARK: Addresses

    /// The device of an address that the controller reported for a link or an attempt.
    mutating func identify(_ reported: DeviceAddress) -> DeviceAddress {
        guard let privacy, privacy.manager.hasPeers, let crypto else { return reported.asDevice }
        return privacy.manager.resolve(reported, using: crypto) ?? reported.asDevice
    }

    /// The device of an advertiser. Nil for an identity address that network privacy mode ignores.
    mutating func identify(advertiser reported: DeviceAddress) -> DeviceAddress? {
        guard let privacy, privacy.manager.hasPeers, let crypto else { return reported.asDevice }
        guard let device = privacy.manager.resolve(reported, using: crypto) else { return nil }
        if reported.isResolvable, device != reported { renew(device, reported) }
        return device
    }

    /// Connects to the new private address of a requested peer if the controller has an earlier one.
    private mutating func renew(_ peer: DeviceAddress, _ address: DeviceAddress) {
        guard initiator.requested.contains(peer), privacy?.manager.resolvesInHost(peer) == true,
            targetAddress != address,
            listedAddresses[peer] != address
        else { return }
        initiator.addressChanged(of: peer)
        isPrivacyDue = true
    }

    /// The addresses of a new link in its CONNECT_IND.
    func addressesOnAir(_ reported: DeviceAddress, local: DeviceAddress?, peer: DeviceAddress?) -> LinkAddresses {
        func used(_ address: DeviceAddress?) -> DeviceAddress? { address.flatMap { $0.isZero ? nil : $0 } }
        return LinkAddresses(
            local: used(local) ?? privacy?.manager.appliedAddress ?? ownAddress ?? fallbackAddress,
            peer: used(peer) ?? reported.asDevice)
    }
}
