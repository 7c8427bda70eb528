/// The octets of a stream that are not yet a whole frame. It keeps its storage.
struct FrameBuffer: Sendable {
    private(set) var octets: [UInt8] = []
    private(set) var start = 0

    var count: Int { octets.count - start }

    mutating func append(_ received: Span<UInt8>) {
        if start == octets.count {
            octets.removeAll(keepingCapacity: true)
            start = 0
        } else if start > octets.count / 2 {
            octets.removeSubrange(..<start)
            start = 0
        }
        received.withUnsafeBufferPointer { octets.append(contentsOf: $0) }
    }

    /// The octet at an offset from the first that waits.
    subscript(offset: Int) -> UInt8 { octets[start + offset] }

    /// Removes `count` octets and returns their place, which is valid until the next `append`.
    mutating func take(_ count: Int) -> Range<Int> {
        let range = start..<start + count
        start += count
        return range
    }
}
