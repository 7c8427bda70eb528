/// The treatment of the identity address of a peer with an IRK (Vol 4, Part E, 7.8.77; Vol 6, Part B, 4.7).
package struct PrivacyMode: RawRepresentable, Hashable, Sendable {
    package let rawValue: UInt8
    package init(rawValue: UInt8) { self.rawValue = rawValue }
    /// The device accepts the peer's private addresses only.
    package static let network = PrivacyMode(rawValue: 0)
    /// The device accepts the peer's identity address as well.
    package static let device = PrivacyMode(rawValue: 1)
}

/// The peers whose private addresses this device resolves, and the private addresses that this device uses with them
/// (Vol 6, Part B, 4.7 and 6). Controllers and hosts use the same value.
///
/// A resolution costs one AES operation for each entry. The list therefore caches the result of each address, also that
/// no entry resolves it. The cache has a fixed size, so that no number of advertisers makes it grow.
package struct ResolvingList: Sendable {
    package struct Entry: Hashable, Sendable {
        package let identity: DeviceAddress
        /// All zeros if the peer uses its identity address.
        package let peerKey: IdentityResolvingKey
        /// All zeros if this device uses its identity address with the peer.
        package let localKey: IdentityResolvingKey
        package fileprivate(set) var mode: PrivacyMode
        /// The private address that this device uses with the peer; nil without `localKey`.
        package fileprivate(set) var localAddress: DeviceAddress?
        /// The private address that the peer used last; nil if none was resolved.
        package fileprivate(set) var peerAddress: DeviceAddress?

        package init(
            identity: DeviceAddress, peerKey: IdentityResolvingKey, localKey: IdentityResolvingKey,
            mode: PrivacyMode = .network
        ) {
            self.identity = identity
            self.peerKey = peerKey
            self.localKey = localKey
            self.mode = mode
        }

        fileprivate func hasKeys(of other: Entry) -> Bool { peerKey == other.peerKey && localKey == other.localKey }
    }

    /// The result of an address resolution.
    package enum Resolution: Hashable, Sendable {
        /// The address belongs to the device of this entry: a private address, or its identity address.
        case entry(Int)
        /// The list has no device with this address.
        case unlisted
        /// The identity address of a device that uses private addresses only (network privacy mode).
        case refused
    }

    /// The reason why an entry cannot be added.
    package enum EntryError: Error, Hashable, Sendable {
        case full
        /// The address is neither public nor static random.
        case notIdentity
        /// An entry with other keys has the identity, or an entry of another identity has the peer's IRK.
        case conflict
    }

    /// RPA_timeout, by default 15 minutes (Vol 3, Part C, Appendix A).
    package static let defaultInterval = TimeSpan.seconds(900)
    /// The range of RPA_timeout in seconds (Vol 4, Part E, 7.8.45).
    package static let intervals: ClosedRange<UInt16> = 1...3600
    /// A power of two.
    private static let cacheCapacity = 256

    /// The number of entries that fit.
    package let capacity: Int
    /// The lifetime of a private address.
    package private(set) var interval: TimeSpan
    package private(set) var entries: [Entry] = []
    /// The time at which the private addresses change; nil if there is none.
    package private(set) var deadline: Instant?
    /// The results of resolutions, by some bits of the address; empty until the first entry. A result is the address
    /// with the number of its entry above bit 47: 0 for none, otherwise the index plus 1. `targetFlag` marks the
    /// addresses that a local key resolves. A resolvable address is not 0, so 0 is an empty place.
    private var cache: [UInt64] = []
    private static let targetFlag: UInt64 = 1 << 47

    package init(capacity: Int = 64, interval: TimeSpan = defaultInterval) {
        self.capacity = max(0, min(capacity, Int(UInt16.max) - 1))
        self.interval = interval
    }

    package var isEmpty: Bool { entries.isEmpty }

    // MARK: Entries

    package func index(of identity: DeviceAddress) -> Int? { entries.firstIndex { $0.identity == identity } }

    /// Adds an entry (Vol 4, Part E, 7.8.38). An entry with equal address and keys stays as it is.
    package mutating func add(
        _ entry: Entry, at now: Instant, using crypto: inout some CryptoProvider
    ) throws(EntryError) {
        guard entry.identity.isIdentity else { throw .notIdentity }
        for other in entries {
            if other.identity == entry.identity {
                guard other.hasKeys(of: entry) else { throw .conflict }
                return
            }
            if other.peerKey == entry.peerKey && entry.peerKey != .none { throw .conflict }
        }
        guard entries.count < capacity else { throw .full }
        var entry = entry
        if entry.localKey != .none {
            entry.localAddress = crypto.makeResolvableAddress(entry.localKey)
            if deadline == nil { deadline = now + interval }
        }
        entries.append(entry)
        forgetResults()
    }

    /// Removes an entry. Returns false if the list has no such entry.
    @discardableResult
    package mutating func remove(_ identity: DeviceAddress) -> Bool {
        guard let index = index(of: identity) else { return false }
        entries.remove(at: index)
        if !entries.contains(where: { $0.localAddress != nil }) { deadline = nil }
        forgetResults()
        return true
    }

    package mutating func removeAll() {
        entries.removeAll()
        deadline = nil
        cache = []
    }

    /// Sets the privacy mode of an entry. Returns false if the list has no such entry.
    @discardableResult
    package mutating func setMode(_ mode: PrivacyMode, of identity: DeviceAddress) -> Bool {
        guard let index = index(of: identity) else { return false }
        entries[index].mode = mode
        return true
    }

    // MARK: The private addresses of this device

    /// The private address to use with the device of this identity.
    package func localAddress(for identity: DeviceAddress) -> DeviceAddress? {
        entries.first { $0.identity == identity }?.localAddress
    }

    /// Sets the lifetime of private addresses. It applies to the present addresses from now on.
    package mutating func setInterval(_ interval: TimeSpan, at now: Instant) {
        self.interval = interval
        if deadline != nil { deadline = now + interval }
    }

    /// Replaces the private addresses of this device if they have expired (Vol 6, Part B, 6.1). Returns whether it did.
    package mutating func handleTimeout(at now: Instant, using crypto: inout some CryptoProvider) -> Bool {
        guard let deadline, now >= deadline else { return false }
        self.deadline = now + interval
        for index in entries.indices where entries[index].localAddress != nil {
            entries[index].localAddress = crypto.makeResolvableAddress(entries[index].localKey)
        }
        return true
    }

    // MARK: Resolution

    /// Finds the device of a peer's address.
    package mutating func resolve(_ address: DeviceAddress, using crypto: some CryptoProvider) -> Resolution {
        guard address.isResolvable else {
            guard let index = index(of: address) else { return .unlisted }
            return entries[index].mode == .network && entries[index].peerKey != .none ? .refused : .entry(index)
        }
        guard let index = cached(address.value, { crypto.resolves(address, $0.peerKey) }) else { return .unlisted }
        if entries[index].peerAddress != address { entries[index].peerAddress = address }
        return .entry(index)
    }

    /// Whether the device of an entry generated `address` for this device, as the target of directed advertising
    /// (Vol 6, Part B, 6.2.2).
    package mutating func isLocal(
        _ address: DeviceAddress, for entry: Int, using crypto: some CryptoProvider
    ) -> Bool {
        guard address.isResolvable,
            let index = cached(address.value | Self.targetFlag, { crypto.resolves(address, $0.localKey) })
        else { return false }
        return entries[index].localKey == entries[entry].localKey
    }

    /// The first entry that resolves an address, from the cache if it has the result.
    private mutating func cached(_ key: UInt64, _ resolves: (Entry) -> Bool) -> Int? {
        guard !entries.isEmpty else { return nil }
        let place = Int(truncatingIfNeeded: key ^ key >> 24 ^ key >> 40) & (Self.cacheCapacity - 1)
        let known = cache[place]
        if known & 0xFFFF_FFFF_FFFF == key {
            let number = Int(known >> 48)
            return number == 0 ? nil : number - 1
        }
        let index = entries.firstIndex(where: resolves)
        cache[place] = key | UInt64((index ?? -1) + 1) << 48
        return index
    }

    private mutating func forgetResults() {
        if entries.isEmpty {
            cache = []
        } else {
            cache = [UInt64](repeating: 0, count: Self.cacheCapacity)
        }
    }
}
