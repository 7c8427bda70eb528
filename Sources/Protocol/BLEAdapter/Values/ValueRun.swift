import BLEWire

/// Consecutive values of notifications, first in, first out. All their octets share one array, so that a value allocates nothing.
package struct ValueRun {
    package struct Value {
        package let peer: PeerIdentifier
        package let handle: UInt16
        fileprivate let count: Int
    }

    /// The most values of a run: as many as an executor delivers in one block.
    private static let limit = 32
    /// The smallest storage, in octets.
    private static let minimumCapacity = 64

    private var values: [Value] = []
    /// The index of the next value.
    private var next = 0
    /// Storage for octets, all of it initialized: a copy into it costs less than an append.
    private var storage: [UInt8] = []
    /// The octets of the values that the run has not removed.
    private var octets = 0..<0

    package init() {}

    /// A run with as much storage as another one needed.
    package init(like other: ValueRun) {
        values.reserveCapacity(other.values.count)
        storage = [UInt8](repeating: 0, count: other.octets.upperBound)
    }

    package var count: Int { values.count - next }
    package var isEmpty: Bool { values.count == next }
    /// Whether the run has had all its values, of which some may be removed.
    package var isFull: Bool { values.count >= Self.limit }

    /// The octets for which the run has storage.
    package var capacity: Int { storage.count }

    package mutating func append(_ value: Span<UInt8>, handle: UInt16, from peer: PeerIdentifier) {
        values.append(Value(peer: peer, handle: handle, count: value.count))
        let (start, end) = (octets.upperBound, octets.upperBound + value.count)
        if end > storage.count { grow(to: end) }
        storage.withUnsafeMutableBytes { storage in
            value.withUnsafeBytes { UnsafeMutableRawBufferPointer(rebasing: storage[start..<end]).copyMemory(from: $0) }
        }
        octets = octets.lowerBound..<end
    }

    private mutating func grow(to count: Int) {
        let new = max(count, 2 * storage.count, Self.minimumCapacity)
        storage.append(contentsOf: repeatElement(0, count: new - storage.count))
    }

    /// The next value. There must be one.
    package var first: Value { values[next] }

    /// Whether there is a next value, and it is one of this characteristic.
    package func isNext(_ peer: PeerIdentifier, _ handle: UInt16) -> Bool {
        next < values.count && values[next].handle == handle && values[next].peer == peer
    }

    /// The octets of the next value.
    package var firstOctets: Span<UInt8> {
        @_lifetime(borrow self)
        get { storage.span.extracting(octets.lowerBound..<octets.lowerBound + values[next].count) }
    }

    package mutating func removeFirst() {
        octets = octets.lowerBound + values[next].count..<octets.upperBound
        next += 1
        if next == values.count { removeAll() }
    }

    package mutating func removeAll() {
        values.empty()
        (next, octets) = (0, 0..<0)
    }

    /// Removes the values after the first `count` ones.
    package mutating func truncate(to count: Int) {
        var end = octets.lowerBound
        for index in next..<next + count { end += values[index].count }
        values.removeLast(self.count - count)
        octets = octets.lowerBound..<end
        if count == 0 { removeAll() }
    }

    /// Moves the first values to the end of `other`.
    package mutating func move(_ count: Int, to other: inout ValueRun) {
        for _ in 0..<count {
            other.append(firstOctets, handle: first.handle, from: first.peer)
            removeFirst()
        }
    }
}
