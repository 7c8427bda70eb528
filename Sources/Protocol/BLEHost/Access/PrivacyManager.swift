import BLEWire

/// The private addresses of a host (Vol 3, Part C, 10.7). It keeps the controller's resolving list in step with the
/// bonds, changes this host's private address when it expires, and resolves the addresses that the controller does not.
///
/// A controller accepts the changes only while it neither advertises, scans nor initiates (Vol 4, Part E, 7.8.4, 7.8.38
/// and 7.8.44). While `needsIdleRoles` is true, the owner pauses these roles. One command is outstanding at a time.
struct PrivacyManager: Sendable {
    /// The identity of a bonded peer.
    struct Peer: Hashable, Sendable {
        let identity: DeviceAddress
        /// All zeros if the peer uses its identity address.
        let key: IdentityResolvingKey
        let mode: PrivacyMode

        init(identity: DeviceAddress, key: IdentityResolvingKey, mode: PrivacyMode = .device) {
            self.identity = identity
            self.key = key
            self.mode = mode
        }

        fileprivate func isSameEntry(as other: Peer) -> Bool { identity == other.identity && key == other.key }
    }

    enum Action: Hashable, Sendable {
        case setRandomAddress(DeviceAddress)
        case setTimeout(seconds: UInt16)
        case remove(DeviceAddress)
        /// The entry has `localKey`.
        case add(Peer)
        case setMode(DeviceAddress, PrivacyMode)
        case setResolution(Bool)
    }

    /// The IRK of this host; all zeros if it uses its identity address.
    let localKey: IdentityResolvingKey
    /// The lifetime of this host's private address.
    let lifetime: TimeSpan
    /// The number of entries that fit in the controller's list; 0 if it has none.
    private(set) var capacity: Int
    private let hasList: Bool
    /// Whether the controller has LE Set Privacy Mode.
    private let setsModes: Bool

    /// The private address that this host has to use; nil if it uses its identity address.
    private(set) var privateAddress: DeviceAddress?
    /// The private address that the controller has.
    private(set) var appliedAddress: DeviceAddress?
    /// The time at which the private address expires.
    private(set) var deadline: Instant?

    /// Resolves in the host, and holds all peers.
    private var list: ResolvingList
    private var peers: [Peer] = []
    /// The entries of the controller's list.
    private(set) var applied: [Peer] = []
    /// Entries that the controller refused.
    private var refused: Set<Peer> = []
    private var isResolving = false
    private var hasTimeout = false
    private var busy: Action?
    /// The command that is due as soon as the roles are idle.
    private var due: Action?

    /// - Parameters:
    ///   - localKey: Makes this host use private addresses, unless it is all zeros.
    ///   - capacity: The size of the controller's resolving list; 0 if it has none.
    ///   - limit: The number of peers that the host resolves itself.
    init(
        localKey: IdentityResolvingKey = .none, lifetime: TimeSpan = ResolvingList.defaultInterval, capacity: Int = 0,
        setsModes: Bool = false, limit: Int = 256
    ) {
        self.localKey = localKey
        self.lifetime = lifetime
        self.capacity = capacity
        hasList = capacity > 0
        self.setsModes = setsModes
        list = ResolvingList(capacity: limit)
    }

    var isIdle: Bool { busy == nil }
    var usesPrivateAddress: Bool { localKey != .none }

    /// The address type of the roles while `usesPrivateAddress` is true. With a resolving list the controller generates
    /// an address for each peer in it, and uses the host's private address with all other devices.
    var ownAddressType: HCI.OwnAddressType { hasList ? .resolvableOrRandom : .random }

    // MARK: This host's address

    /// Generates the first private address. Has no effect if the host uses its identity address.
    mutating func begin(at now: Instant, using crypto: inout some CryptoProvider) {
        guard usesPrivateAddress else { return }
        privateAddress = crypto.makeResolvableAddress(localKey)
        deadline = now + lifetime
        due = step()
    }

    /// Replaces an expired private address.
    mutating func handleTimeout(at now: Instant, using crypto: inout some CryptoProvider) {
        if let deadline, now >= deadline { begin(at: now, using: &crypto) }
    }

    // MARK: Peers

    /// Replaces the peers. A peer whose IRK or identity belongs to an earlier one is left out, and so is a peer beyond
    /// the limit.
    mutating func request(_ requested: [Peer], using crypto: inout some CryptoProvider) {
        for entry in list.entries
        where !requested.contains(where: { $0.identity == entry.identity && $0.key == entry.peerKey }) {
            list.remove(entry.identity)
        }
        peers.removeAll()
        for peer in requested where peer.key != .none || usesPrivateAddress {
            guard !peers.contains(where: { $0.identity == peer.identity }) else { continue }
            let entry = ResolvingList.Entry(identity: peer.identity, peerKey: peer.key, localKey: .none)
            guard (try? list.add(entry, at: .zero, using: &crypto)) != nil else { continue }
            list.setMode(peer.mode, of: peer.identity)
            peers.append(peer)
        }
        refused.formIntersection(peers)
        due = step()
    }

    /// Whether there are peers whose addresses resolve.
    var hasPeers: Bool { !list.isEmpty }

    /// The device of an address that the controller reported: the identity address if the address resolves, otherwise
    /// the same address. Nil for the identity address of a peer in network privacy mode, whose packets are ignored.
    mutating func resolve(_ address: DeviceAddress, using crypto: some CryptoProvider) -> DeviceAddress? {
        if address.isResolved { return address.asDevice }
        guard !list.isEmpty else { return address }
        switch list.resolve(address, using: crypto) {
        case .entry(let index): return list.entries[index].identity
        case .unlisted: return address
        case .refused: return nil
        }
    }

    /// The address to request from the controller for a connection to a device: the last private address of a peer that
    /// the controller does not resolve, otherwise the same address.
    func connectionAddress(of device: DeviceAddress) -> DeviceAddress {
        guard resolvesInHost(device), let index = list.index(of: device) else { return device }
        return list.entries[index].peerAddress ?? device
    }

    /// Whether the host has to resolve the private addresses of a peer, because the controller does not.
    func resolvesInHost(_ device: DeviceAddress) -> Bool {
        !isInController(device) && list.entries.contains { $0.identity == device && $0.peerKey != .none }
    }

    /// Whether the controller resolves the addresses of a peer.
    func isInController(_ device: DeviceAddress) -> Bool {
        isResolving && applied.contains { $0.identity == device }
    }

    // MARK: Commands

    /// The entries that the controller's list should have: the latest that fit.
    private var wanted: ArraySlice<Peer> { peers.filter { !refused.contains($0) }.suffix(capacity) }

    /// Whether there are commands that the controller accepts only from idle roles.
    ///
    /// The roles stay idle as long as the controller has refused every private address: they would reveal the identity.
    var needsIdleRoles: Bool {
        if usesPrivateAddress, appliedAddress == nil { return true }
        return switch busy {
        case nil, .setTimeout: due != nil
        default: true
        }
    }

    /// The next command to send, if one is due.
    mutating func next(rolesAreIdle: Bool) -> Action? {
        guard busy == nil else { return nil }
        if usesPrivateAddress, capacity > 0, !hasTimeout {
            let seconds = UInt16(clamping: lifetime.nanoseconds / 1_000_000_000)
            busy = .setTimeout(
                seconds: min(max(seconds, ResolvingList.intervals.lowerBound), ResolvingList.intervals.upperBound))
        } else if rolesAreIdle {
            busy = due
        }
        return busy
    }

    private func step() -> Action? {
        if let privateAddress, privateAddress != appliedAddress { return .setRandomAddress(privateAddress) }
        let wanted = wanted
        if let stale = applied.first(where: { entry in !wanted.contains { $0.isSameEntry(as: entry) } }) {
            return .remove(stale.identity)
        }
        if let missing = wanted.first(where: { entry in !applied.contains { $0.isSameEntry(as: entry) } }) {
            return .add(missing)
        }
        if setsModes, let changed = wanted.first(where: { !applied.contains($0) }) {
            return .setMode(changed.identity, changed.mode)
        }
        return isResolving == applied.isEmpty ? .setResolution(!applied.isEmpty) : nil
    }

    /// Takes the answer to the last action.
    mutating func completed(_ status: HCI.ErrorCode) {
        guard let action = busy else { return }
        busy = nil
        defer { due = step() }
        let success = status == .success
        switch action {
        case .setRandomAddress(let address):
            // After a refusal the host keeps the address that it has until the next one is due.
            if success { appliedAddress = address } else { privateAddress = appliedAddress }
        case .setTimeout: hasTimeout = true
        case .remove(let identity):
            applied.removeAll { $0.identity == identity }
            // Removal of a missing entry is no failure.
            if !success, status != .unknownConnectionIdentifier { abandonList() }
        case .add(let peer):
            if success {
                // An entry begins in network privacy mode (Vol 4, Part E, 7.8.77).
                applied.append(setsModes ? Peer(identity: peer.identity, key: peer.key, mode: .network) : peer)
            } else if status == .memoryCapacityExceeded {
                capacity = applied.count
            } else {
                refused.insert(peer)
            }
        case .setMode(let identity, let mode):
            guard let index = applied.firstIndex(where: { $0.identity == identity }) else { return }
            if success {
                applied[index] = Peer(identity: identity, key: applied[index].key, mode: mode)
            } else {
                // In the wrong mode the entry is worse than none.
                if let peer = peers.first(where: { $0.identity == identity }) { refused.insert(peer) }
            }
        case .setResolution(let enable):
            if success { isResolving = enable } else { abandonList() }
        }
    }

    /// The controller does not accept changes of its list. The host resolves by itself from now on.
    private mutating func abandonList() {
        capacity = 0
        applied.removeAll()
        isResolving = false
    }
}

/// The privacy manager of a host, apart from the host: most hosts have none.
final class PrivacyReference {
    var manager: PrivacyManager
    init(_ manager: PrivacyManager) { self.manager = manager }
}
