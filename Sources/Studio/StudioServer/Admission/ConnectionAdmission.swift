import BLETransport

/// The connections of a server, and which one ends when another needs its place.
///
/// A connection is a stranger until it shows the token. Strangers compete with strangers only, so that no number of them ends a request of the
/// page. When they are full, the source with the most strangers loses its oldest one, so that a flood displaces itself.
struct ConnectionAdmission<Identifier: Hashable> {
    enum Standing: Hashable {
        case stranger
        /// The connection has shown the token.
        case known
        /// The connection has an open WebSocket.
        case page
    }

    private struct Entry {
        var source: ConnectionSource
        var standing: Standing
        var number: UInt64
    }

    static var strangerLimit: Int { 64 }
    static var knownLimit: Int { 48 }
    static var pageLimit: Int { 16 }

    private var entries: [Identifier: Entry] = [:]
    private var lastNumber: UInt64 = 0

    var count: Int { entries.count }
    var sources: Set<ConnectionSource> { Set(entries.values.map(\.source)) }

    func standing(of identifier: Identifier) -> Standing? { entries[identifier]?.standing }

    /// Adds a connection as a stranger. Returns the connection that has to end.
    mutating func admit(_ identifier: Identifier, from source: ConnectionSource) -> Identifier? {
        let strangers = entries.filter { $0.value.standing == .stranger }.sorted { $0.value.number < $1.value.number }
        let ended =
            strangers.count < Self.strangerLimit ? nil : strangers.firstOfLargestGroup { $0.value.source }?.key
        if let ended { entries[ended] = nil }
        lastNumber += 1
        entries[identifier] = Entry(source: source, standing: .stranger, number: lastNumber)
        return ended
    }

    /// Makes a stranger known. Returns the connection that has to end: the oldest known one if there are too many.
    mutating func recognize(_ identifier: Identifier) -> Identifier? {
        guard entries[identifier]?.standing == .stranger else { return nil }
        let known = entries.filter { $0.value.standing == .known }
        let ended = known.count < Self.knownLimit ? nil : known.min { $0.value.number < $1.value.number }?.key
        if let ended { entries[ended] = nil }
        entries[identifier]?.standing = .known
        return ended
    }

    /// Makes a connection a page. Returns false if there are too many pages.
    mutating func openPage(_ identifier: Identifier) -> Bool {
        guard entries[identifier] != nil, entries.values.count(where: { $0.standing == .page }) < Self.pageLimit else {
            return false
        }
        entries[identifier]?.standing = .page
        return true
    }

    mutating func remove(_ identifier: Identifier) { entries[identifier] = nil }
}
