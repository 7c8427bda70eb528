import BLESecurity
import BLEWire

/// Private addresses of this host and of its peers (Vol 3, Part C, 10.7).
extension HostStack {
    // MARK: Commands

    /// Begins after the start-up sequence, with the identities of the bonds.
    mutating func beginPrivacy(at now: Instant) {
        guard var crypto else { return }
        let settings = configuration.privacy
        privacy = PrivacyManager(
            localKey: settings.usesPrivateAddress ? pairingSettings.identityKey ?? .none : .none,
            lifetime: settings.addressLifetime, capacity: capabilities.resolvingListSize,
            setsModes: capabilities.has(.leSetPrivacyMode), limit: BondLimits.bonds)
        privacy.begin(at: now, using: &crypto)
        self.crypto = crypto
        updatePrivacy()
    }

    /// Gives the privacy manager the identities of the present bonds.
    mutating func updatePrivacy() {
        guard phase == .running, var crypto else { return }
        let mode = configuration.privacy.mode
        let peers = bonds.bonds.filter(\.peer.isIdentity).map {
            PrivacyManager.Peer(identity: $0.peer, key: $0.peerIdentityKey ?? .none, mode: mode)
        }
        privacy.request(peers, using: &crypto)
        self.crypto = crypto
        isPrivacyDue = true
    }

    mutating func rotateAddress(at now: Instant) {
        guard let deadline = privacy.deadline, deadline <= now, var crypto else { return }
        privacy.handleTimeout(at: now, using: &crypto)
        self.crypto = crypto
    }

    /// Suspends the roles while the privacy manager has commands for an idle controller, and sends its next command.
    mutating func drivePrivacy() {
        isPrivacyDue = false
        let isSuspended = privacy.needsIdleRoles && phase == .running
        scanner.isSuspended = isSuspended
        advertiser.isSuspended = isSuspended
        initiator.isSuspended = isSuspended
        // Finds the private addresses of requested peers for a controller that does not resolve them.
        scanner.background =
            privacy.hasPeers && initiator.requested.contains { privacy.resolvesInHost($0) }
            ? ScanParameters(isActive: false) : nil
        guard phase == .running else { return }
        let areIdle =
            !scanner.isOn && scanner.isIdle && !advertiser.isOn && advertiser.isIdle && initiator.isIdle
        if let action = privacy.next(rolesAreIdle: areIdle) { send(action) }
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
                    identity: peer.identity, peerKey: peer.key, localKey: privacy.localKey),
                for: .privacy)
        case .setMode(let identity, let mode):
            enqueue(HCI.LESetPrivacyMode(identity: identity, mode: mode), for: .privacy)
        case .setResolution(let enable): enqueue(HCI.LESetAddressResolutionEnable(enable: enable), for: .privacy)
        }
    }

    // MARK: Addresses

    /// The device of an address that the controller reported for a link or an attempt.
    mutating func identify(_ reported: DeviceAddress) -> DeviceAddress {
        guard privacy.hasPeers, let crypto else { return reported.asDevice }
        return privacy.resolve(reported, using: crypto) ?? reported.asDevice
    }

    /// The device of an advertiser. Nil for an identity address that network privacy mode ignores.
    mutating func identify(advertiser reported: DeviceAddress) -> DeviceAddress? {
        guard privacy.hasPeers, let crypto else { return reported.asDevice }
        guard let device = privacy.resolve(reported, using: crypto) else { return nil }
        if reported.isResolvable, device != reported { renew(device, reported) }
        return device
    }

    /// Connects to the new private address of a requested peer if the controller has an earlier one.
    private mutating func renew(_ peer: DeviceAddress, _ address: DeviceAddress) {
        guard initiator.requested.contains(peer), privacy.resolvesInHost(peer), targetAddress != address,
            listedAddresses[peer] != address
        else { return }
        initiator.addressChanged(of: peer)
        isPrivacyDue = true
    }

    /// The addresses of a new link in its CONNECT_IND.
    func addressesOnAir(_ reported: DeviceAddress, local: DeviceAddress?, peer: DeviceAddress?) -> LinkAddresses {
        func used(_ address: DeviceAddress?) -> DeviceAddress? { address.flatMap { $0.isZero ? nil : $0 } }
        return LinkAddresses(
            local: used(local) ?? privacy.appliedAddress ?? ownAddress ?? fallbackAddress,
            peer: used(peer) ?? reported.asDevice)
    }
}
