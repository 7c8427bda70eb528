internal import BLEWire
import BLEAdapter

/// Consecutive values of notifications, first in, first out. All their octets share one array, so that a value allocates nothing.
struct ValueRun {
    struct Value {
        let peer: PeerIdentifier
        let handle: UInt16
        fileprivate let count: Int
    }

    /// The values of a run: as many as an executor delivers in one block.
    private static let limit = 32
    /// The octets for which an empty run keeps storage: those of long values for a few runs, and those of short values for the values of a
    /// delegate's queue that is behind.
    private static let (longCapacity, shortCapacity) = (32_768, 2_048)
    private static let (longRuns, allRuns) = (4, 40)

    private var values: [Value] = []
    /// The index of the next value.
    private var next = 0
    private var octets: [UInt8] = []
    /// The index of the first octet of the next value.
    private var start = 0

    var count: Int { values.count - next }
    var isEmpty: Bool { values.count == next }
    /// Whether the run has had all its values, of which some may be removed.
    var isFull: Bool { values.count >= Self.limit }

    /// Whether an empty run has storage that another one can use, if `kept` runs are kept already.
    func isWorthKeeping(after kept: Int) -> Bool {
        let capacity = octets.capacity
        guard capacity > 0, kept < Self.allRuns else { return false }
        return capacity <= (kept < Self.longRuns ? Self.longCapacity : Self.shortCapacity)
    }

    mutating func append(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        values.append(Value(peer: peer, handle: handle, count: value.count))
        octets.append(value)
    }

    /// The next value. There must be one.
    var first: Value { values[next] }

    /// The octets of the next value.
    var firstOctets: Span<UInt8> {
        @_lifetime(borrow self)
        get { octets.span.extracting(start..<start + values[next].count) }
    }

    mutating func removeFirst() {
        start += values[next].count
        next += 1
        if next == values.count { removeAll() }
    }

    mutating func removeAll() {
        values.empty()
        octets.empty()
        (next, start) = (0, 0)
    }

    /// Removes the values after the first `count` ones.
    mutating func truncate(to count: Int) {
        var length = 0
        for index in next..<next + count { length += values[index].count }
        values.removeLast(self.count - count)
        octets.removeLast(octets.count - start - length)
        if count == 0 { removeAll() }
    }

    /// Moves the first values to the end of `other`.
    mutating func move(_ count: Int, to other: inout ValueRun) {
        for _ in 0..<count {
            other.append(firstOctets, handle: first.handle, from: first.peer)
            removeFirst()
        }
    }
}
