import BLEWire

/// The peers whose private addresses this device resolves, and the private addresses that this device uses with them
/// (Vol 6, Part B, 4.7 and 6).
package struct ResolvingList: Sendable {
    /// The addresses that a device accepts from a peer with an IRK (Vol 6, Part B, 4.7).
    package enum PrivacyMode: UInt8, Sendable {
        /// The peer's private addresses only.
        case network = 0
        /// The peer's identity address as well.
        case device = 1
    }

    package struct Entry: Hashable, Sendable {
        package let identity: DeviceAddress
        package let peerKey: IdentityResolvingKey
        package let localKey: IdentityResolvingKey
        package var mode: PrivacyMode
        /// The private address that this device uses with the peer; nil if this device has no IRK for it.
        package fileprivate(set) var localAddress: DeviceAddress?

        package init(
            identity: DeviceAddress, peerKey: IdentityResolvingKey, localKey: IdentityResolvingKey,
            mode: PrivacyMode = .network
        ) {
            self.identity = identity
            self.peerKey = peerKey
            self.localKey = localKey
            self.mode = mode
        }
    }

    /// The result of an address resolution.
    package enum Resolution: Hashable, Sendable {
        /// The address belongs to the device with this identity.
        case identity(DeviceAddress)
        /// A resolvable private address of an unknown device, or an address of another kind.
        case unknown
        /// The identity address of a device that uses private addresses only (network privacy mode).
        case refused
    }

    /// RPA_timeout, by default 15 minutes (Vol 3, Part C, Appendix A).
    package static let defaultInterval = TimeSpan.seconds(900)
    /// The capacity of the cache of resolved addresses. An advertiser costs AES operations once for each of its
    /// addresses.
    private static let cacheCapacity = 32

    package let capacity: Int
    /// The lifetime of a private address, 1 s to 1 h (Vol 4, Part E, 7.8.45).
    package var interval: TimeSpan
    package private(set) var entries: [Entry] = []
    /// The time at which the private addresses change; nil if there is none.
    package private(set) var deadline: Instant?
    private var cache: [(address: DeviceAddress, identity: DeviceAddress?)] = []
    private var cacheIndex = 0

    package init(capacity: Int = 64, interval: TimeSpan = defaultInterval) {
        self.capacity = capacity
        self.interval = interval
    }

    /// Adds or replaces the entry of an identity. Returns false if the list is full or the address is not an identity
    /// address.
    package mutating func add(_ entry: Entry, at now: Instant, using crypto: inout some CryptoProvider) -> Bool {
        guard entry.identity.isIdentity else { return false }
        let index = entries.firstIndex { $0.identity == entry.identity }
        guard index != nil || entries.count < capacity else { return false }
        var entry = entry
        if entry.localKey != .none {
            entry.localAddress = crypto.makeResolvableAddress(entry.localKey)
            if deadline == nil { deadline = now + interval }
        }
        if let index { entries[index] = entry } else { entries.append(entry) }
        dropUnusedDeadline()
        forgetAnswers()
        return true
    }

    package mutating func remove(_ identity: DeviceAddress) {
        entries.removeAll { $0.identity == identity }
        dropUnusedDeadline()
        forgetAnswers()
    }

    /// Sets the privacy mode of an entry. Returns false if the list has no such entry.
    package mutating func setMode(_ mode: PrivacyMode, of identity: DeviceAddress) -> Bool {
        guard let index = entries.firstIndex(where: { $0.identity == identity }) else { return false }
        entries[index].mode = mode
        return true
    }

    /// The private address to use with the device of this identity.
    package func localAddress(for identity: DeviceAddress) -> DeviceAddress? {
        entries.first { $0.identity == identity }?.localAddress
    }

    /// Replaces the private addresses if they have expired. Returns the identities whose entries have new addresses.
    package mutating func handleTimeout(
        at now: Instant, using crypto: inout some CryptoProvider
    ) -> [DeviceAddress] {
        guard let deadline, now >= deadline else { return [] }
        self.deadline = now + interval
        var changed: [DeviceAddress] = []
        for index in entries.indices where entries[index].localAddress != nil {
            entries[index].localAddress = crypto.makeResolvableAddress(entries[index].localKey)
            changed.append(entries[index].identity)
        }
        return changed
    }

    /// Finds the device of an address.
    package mutating func resolve(_ address: DeviceAddress, using crypto: some CryptoProvider) -> Resolution {
        guard address.isResolvable else {
            guard let entry = entries.first(where: { $0.identity == address }) else { return .unknown }
            return entry.peerKey != .none && entry.mode == .network ? .refused : .identity(address)
        }
        if let known = cache.first(where: { $0.address == address }) {
            return known.identity.map { .identity($0) } ?? .unknown
        }
        let identity = entries.first { crypto.resolves(address, $0.peerKey) }?.identity
        if cache.count < Self.cacheCapacity {
            cache.append((address, identity))
        } else {
            cache[cacheIndex] = (address, identity)
            cacheIndex = (cacheIndex + 1) % Self.cacheCapacity
        }
        return identity.map { .identity($0) } ?? .unknown
    }

    private mutating func dropUnusedDeadline() {
        if !entries.contains(where: { $0.localAddress != nil }) { deadline = nil }
    }

    private mutating func forgetAnswers() {
        cache.removeAll(keepingCapacity: true)
        cacheIndex = 0
    }
}
