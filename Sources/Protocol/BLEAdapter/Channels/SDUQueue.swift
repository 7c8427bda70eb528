/// A queue of SDUs in two arrays that keep their capacity.
package struct SDUQueue: Sendable {
    private var octets = OctetQueue()
    private var lengths: [Int] = []
    private var head = 0

    package init() {}

    package var isEmpty: Bool { head == lengths.count }

    /// The number of octets of the first SDU. The queue must not be empty.
    package var firstLength: Int { lengths[head] }

    /// The first SDU. The queue must not be empty.
    package var first: Span<UInt8> {
        @_lifetime(borrow self)
        get { octets.first(lengths[head]) }
    }

    package mutating func removeFirst() {
        octets.removeFirst(lengths[head])
        head += 1
        if head == lengths.count {
            lengths.removeAll(keepingCapacity: true)
            head = 0
        }
    }

    mutating func append(_ sdu: UnsafeBufferPointer<UInt8>) {
        octets.append(sdu)
        lengths.append(sdu.count)
    }
}
