import BLEWire

/// Values with their handles, in order, in one arena.
struct ValueBacklog {
    private var entries: [(handle: UInt16, end: Int)] = []
    private(set) var octets: [UInt8] = []
    private var first = 0
    private var start = 0

    var isEmpty: Bool { first == entries.count }

    mutating func append(_ value: Span<UInt8>, handle: UInt16) {
        octets.append(value)
        entries.append((handle, octets.count))
    }

    /// The number of octets of the oldest value; 0 if there is none.
    var firstCount: Int { isEmpty ? 0 : entries[first].end - start }

    /// Calls `body` with the oldest value and removes it.
    mutating func takeFirst(_ body: (_ handle: UInt16, _ value: Span<UInt8>) -> Void) {
        guard first < entries.count else { return }
        let entry = entries[first]
        body(entry.handle, octets.span.extracting(start..<entry.end))
        first += 1
        start = entry.end
        if first == entries.count { removeAll() } else if first >= 64, first >= entries.count / 2 { dropTaken() }
    }

    /// Removes the octets of taken values. Otherwise a program that always queues another value would fill the memory.
    private mutating func dropTaken() {
        entries.removeFirst(first)
        octets.removeFirst(start)
        for index in entries.indices { entries[index].end -= start }
        first = 0
        start = 0
    }

    mutating func removeAll() {
        entries.empty()
        octets.empty()
        first = 0
        start = 0
    }
}
