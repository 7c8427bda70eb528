import BLELink
import BLESecurity
import BLEWire

/// Private addresses of a host and of its peers (Vol 3, Part C, 10.7): the privacy manager while there is one, and the addresses that the
/// controller has because it does not resolve them.
struct PrivacyCoordinator {
    private let configuration: PrivacyConfiguration
    /// Nil while the host uses its identity address and has no bond whose addresses change. Such a host pays nothing for
    /// private addresses.
    private(set) var reference: PrivacyReference?
    /// The private addresses of peers in the accept list, by identity.
    private var listedAddresses: [DeviceAddress: DeviceAddress] = [:]
    /// The address in the last LE Create Connection.
    private var targetAddress: DeviceAddress?
    /// Whether bonds or addresses of peers changed since the last command was chosen. The work is due at once.
    private(set) var isDue = false

    init(configuration: PrivacyConfiguration) { self.configuration = configuration }

    /// The time at which work is due.
    var deadline: Instant? { isDue ? .zero : reference?.manager.deadline }

    /// Forgets what belongs to a controller that is lost.
    mutating func reset() { self = PrivacyCoordinator(configuration: configuration) }

    // MARK: Bonds

    /// Begins after the start-up sequence, with the identities of the bonds.
    mutating func begin(_ security: inout SecurityCoordinator, _ capabilities: ControllerCapabilities, at now: Instant)
    {
        guard var crypto = security.crypto else { return }
        if localKey(security) != .none {
            let privacy = make(security, capabilities)
            privacy.manager.begin(at: now, using: &crypto)
            reference = privacy
            security.crypto = crypto
        }
        update(&security, capabilities)
    }

    /// All zeros if this host uses its identity address.
    private func localKey(_ security: SecurityCoordinator) -> IdentityResolvingKey {
        configuration.usesPrivateAddress ? security.pairingSettings.identityKey ?? .none : .none
    }

    private func make(_ security: SecurityCoordinator, _ capabilities: ControllerCapabilities) -> PrivacyReference {
        PrivacyReference(
            PrivacyManager(
                localKey: localKey(security), lifetime: configuration.addressLifetime,
                capacity: capabilities.resolvingListSize, setsModes: capabilities.has(.leSetPrivacyMode),
                limit: BondLimits.bonds))
    }

    /// Gives the privacy manager the identities of the present bonds.
    mutating func update(_ security: inout SecurityCoordinator, _ capabilities: ControllerCapabilities) {
        guard var crypto = security.crypto else { return }
        let mode = configuration.mode
        let peers = security.bonds.bonds.filter(\.peer.isIdentity).map {
            PrivacyManager.Peer(identity: $0.peer, key: $0.peerIdentityKey ?? .none, mode: mode)
        }
        if reference == nil, !peers.contains(where: { $0.key != .none }) { return }
        let privacy = reference ?? make(security, capabilities)
        privacy.manager.request(peers, using: &crypto)
        reference = privacy
        security.crypto = crypto
        isDue = true
    }

    /// Replaces an expired private address.
    func rotateAddress(at now: Instant, using provider: inout (any CryptoProvider)?) {
        guard let manager = reference?.manager, let deadline = manager.deadline, deadline <= now,
            var crypto = provider
        else { return }
        reference?.manager.handleTimeout(at: now, using: &crypto)
        provider = crypto
    }

    // MARK: Commands

    /// Takes note that the work is done which was due.
    mutating func settle() { isDue = false }

    /// Sends the next command if one is due.
    func drive(rolesAreIdle: Bool, _ output: inout HostOutput) {
        guard let privacy = reference, let action = privacy.manager.next(rolesAreIdle: rolesAreIdle) else { return }
        switch action {
        case .setRandomAddress(let address):
            output.commands.enqueue(HCI.LESetRandomAddress(address: address), for: .privacy)
        case .setTimeout(let seconds):
            output.commands.enqueue(HCI.LESetResolvablePrivateAddressTimeout(timeout: seconds), for: .privacy)
        case .remove(let identity):
            output.commands.enqueue(HCI.LERemoveDeviceFromResolvingList(identity: identity), for: .privacy)
        case .add(let peer):
            output.commands.enqueue(
                HCI.LEAddDeviceToResolvingList(
                    identity: peer.identity, peerKey: peer.key, localKey: privacy.manager.localKey),
                for: .privacy)
        case .setMode(let identity, let mode):
            output.commands.enqueue(HCI.LESetPrivacyMode(identity: identity, mode: mode), for: .privacy)
        case .setResolution(let enable):
            output.commands.enqueue(HCI.LESetAddressResolutionEnable(enable: enable), for: .privacy)
        }
    }

    /// Takes the answer to the last command.
    func completed(_ opcode: HCI.Opcode, _ status: HCI.ErrorCode, _ output: inout HostOutput) {
        if status != .success { output.events.append(.controllerError(opcode, status)) }
        reference?.manager.completed(status)
    }

    // MARK: Addresses

    /// The device of an address that the controller reported for a link or an attempt.
    func identify(_ reported: DeviceAddress, using crypto: (any CryptoProvider)?) -> DeviceAddress {
        guard let reference, reference.manager.hasPeers, let crypto else { return reported.asDevice }
        return reference.manager.resolve(reported, using: crypto) ?? reported.asDevice
    }

    /// The device of an advertiser. Nil for an identity address that network privacy mode ignores.
    mutating func identify(
        advertiser reported: DeviceAddress, for initiator: inout ConnectionInitiator,
        using crypto: (any CryptoProvider)?
    ) -> DeviceAddress? {
        guard let reference, reference.manager.hasPeers, let crypto else { return reported.asDevice }
        guard let device = reference.manager.resolve(reported, using: crypto) else { return nil }
        if reported.isResolvable, device != reported { renew(device, reported, &initiator) }
        return device
    }

    /// Connects to the new private address of a requested peer if the controller has an earlier one.
    private mutating func renew(
        _ peer: DeviceAddress, _ address: DeviceAddress, _ initiator: inout ConnectionInitiator
    ) {
        guard initiator.requested.contains(peer), reference?.manager.resolvesInHost(peer) == true,
            targetAddress != address,
            listedAddresses[peer] != address
        else { return }
        initiator.addressChanged(of: peer)
        isDue = true
    }

    /// The address of a device in the packets that the controller reports, as far as it is known: the last private address of a peer that the
    /// controller does not resolve, otherwise the same address.
    func addressOnAir(of device: DeviceAddress) -> DeviceAddress {
        reference?.manager.connectionAddress(of: device) ?? device
    }

    /// The address to put into the accept list for a peer.
    mutating func list(_ peer: DeviceAddress) -> DeviceAddress {
        let address = addressOnAir(of: peer)
        if address != peer { listedAddresses[peer] = address }
        return address
    }

    /// The address of a peer in the accept list, to remove it.
    mutating func unlist(_ peer: DeviceAddress) -> DeviceAddress { listedAddresses.removeValue(forKey: peer) ?? peer }

    /// The address for LE Create Connection; nil for the accept list.
    mutating func target(_ peer: DeviceAddress?) -> DeviceAddress? {
        targetAddress = peer.map { addressOnAir(of: $0) }
        return targetAddress
    }

    /// Whether the last LE Create Connection had this address.
    func isTarget(_ address: DeviceAddress) -> Bool { address == targetAddress }
}
