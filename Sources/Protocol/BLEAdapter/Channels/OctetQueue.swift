/// A queue of octets in one array whose start moves.
struct OctetQueue: Sendable {
    private var octets: [UInt8] = []
    private var head = 0

    var count: Int { octets.count - head }

    mutating func append(_ more: UnsafeBufferPointer<UInt8>) { octets.append(contentsOf: more) }

    /// The first `length` octets, at most `count`.
    @_lifetime(borrow self)
    func first(_ length: Int) -> Span<UInt8> { octets.span.extracting(head..<head + length) }

    mutating func removeFirst(_ length: Int) {
        head += length
        if head == octets.count {
            octets.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 32_768, head >= count {
            octets.removeSubrange(..<head)
            head = 0
        }
    }

    mutating func take(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let length = min(count, buffer.count)
        guard length > 0 else { return 0 }
        _ = buffer.update(fromContentsOf: octets[head..<head + length])
        removeFirst(length)
        return length
    }

    mutating func removeAll() {
        octets = []
        head = 0
    }
}
