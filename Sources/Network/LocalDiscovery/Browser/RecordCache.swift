/// The records that a browser has heard, until their time to live ends (RFC 6762, 10). At most `capacity` of them, and half as many of one source.
///
/// When there is no space, a new record takes the place of the oldest pointer to an instance without an SRV record: a flood of names alone
/// does not keep services out.
struct RecordCache {
    static let capacity = 1024
    /// The records of one source. A reflector between networks is one source for all services behind it.
    static let capacityOfSource = 512
    /// A longer time to live counts as this one.
    private static let longestTime: UInt32 = 86_400

    struct Key: Hashable {
        let interface: Int
        let identity: DNSRecordIdentity
    }

    struct Entry {
        let source: IPAddress
        var timeToLive: Duration
        var received: Duration
        var expiry: Duration
        /// How often the browser has asked for the record again: at 80, 85, 90 and 95 % of its time (RFC 6762, 5.2).
        var refreshes = 0

        var nextRefresh: Duration? {
            guard refreshes < 4, expiry == received + timeToLive else { return nil }
            return received + timeToLive * (80 + 5 * refreshes) / 100
        }

        func remaining(at now: Duration) -> UInt32 {
            UInt32(clamping: Int64(max(.zero, expiry - now) / .seconds(1)))
        }
    }

    private(set) var entries: [Key: Entry] = [:]
    /// The number of records that found no space, or lost it.
    private(set) var refused = 0
    /// The names of SRV records; nil if it has to be made again. A flood asks for it with each record.
    private var resolved: Set<DNSName>?
    /// The source that found no space last, if no record came or went since then: its flood is refused without a search.
    private var refusedSource: IPAddress?

    /// Adds or renews a record.
    mutating func insert(_ record: DNSRecord, from source: IPAddress, on interface: Int, at now: Duration) {
        let key = Key(interface: interface, identity: record.identity)
        if record.timeToLive == 0 {
            // A goodbye holds after a second, in which another host can contradict it (RFC 6762, 10.1).
            guard var entry = entries[key] else { return }
            entry.expiry = min(entry.expiry, now + .seconds(1))
            entries[key] = entry
            return
        }
        guard entries[key] != nil || makeSpace(for: source) else {
            refused += 1
            return
        }
        if entries[key] == nil {
            if record.type == .srv { resolved = nil }
            refusedSource = nil
        }
        let time = Duration.seconds(Int(min(record.timeToLive, Self.longestTime)))
        entries[key] = Entry(
            source: entries[key]?.source ?? source, timeToLive: time, received: now, expiry: now + time)
    }

    /// Whether a new record of the source has a place now.
    private mutating func makeSpace(for source: IPAddress) -> Bool {
        guard source != refusedSource else { return false }
        let ofSource = entries.count < Self.capacityOfSource ? 0 : entries.values.count { $0.source == source }
        let isSourceFull = ofSource >= Self.capacityOfSource
        guard isSourceFull || entries.count >= Self.capacity else { return true }
        let resolved = resolved ?? Set(entries.keys.filter { $0.identity.type == .srv }.map(\.identity.name))
        self.resolved = resolved
        var oldest: (key: Key, received: Duration)?
        for (key, entry) in entries where !isSourceFull || entry.source == source {
            // The name last: its hash costs most, and few entries are older than those before them.
            guard oldest.map({ entry.received < $0.received }) ?? true, case .pointer(let instance) = key.identity.data,
                !resolved.contains(instance)
            else { continue }
            oldest = (key, entry.received)
        }
        guard let oldest else {
            refusedSource = source
            return false
        }
        entries[oldest.key] = nil
        refused += 1
        return true
    }

    /// Ends the older records of the same name and type on this interface one second from now (RFC 6762, 10.2).
    mutating func flush(_ record: DNSRecord, on interface: Int, at now: Duration) {
        for (key, entry) in entries {
            guard key.interface == interface, key.identity.type == record.type, key.identity.name == record.name,
                now - entry.received > .seconds(1)
            else { continue }
            entries[key]!.expiry = min(entry.expiry, now + .seconds(1))
        }
    }

    /// Removes the records whose time has ended. Returns whether there were any.
    mutating func expire(at now: Duration) -> Bool {
        let before = entries.count
        entries = entries.filter { $0.value.expiry > now }
        guard entries.count != before else { return false }
        recordsWent()
        return true
    }

    mutating func remove(where condition: (Key) -> Bool) {
        entries = entries.filter { !condition($0.key) }
        recordsWent()
    }

    private mutating func recordsWent() {
        resolved = nil
        refusedSource = nil
    }

    mutating func countRefresh(_ key: Key) { entries[key]?.refreshes += 1 }
}
