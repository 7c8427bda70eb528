/// Splits a stream of octets into frames: a length of two octets, the least significant first, and that many octets.
package struct FrameAssembler {
    /// The longest frame without its length, in octets.
    private let limit: Int
    private var buffer: [UInt8] = []
    /// The number of octets at the beginning of `buffer` that belong to returned frames.
    private var consumed = 0
    /// Whether the peer announced a frame beyond the limit. The stream has no further frames.
    package private(set) var isBroken = false

    package init(limit: Int) { self.limit = limit }

    /// Appends octets of the peer. Take all frames after each call: the buffer then holds less than one frame.
    package mutating func append(_ octets: some Sequence<UInt8>) {
        guard !isBroken else { return }
        if consumed > 0 {
            buffer.removeFirst(consumed)
            consumed = 0
        }
        buffer.append(contentsOf: octets)
    }

    /// Returns the next complete frame without its length; nil if there is none.
    package mutating func next() -> ArraySlice<UInt8>? {
        guard !isBroken, buffer.count - consumed >= 2 else { return nil }
        let count = Int(buffer[consumed]) | Int(buffer[consumed + 1]) << 8
        guard count <= limit else {
            isBroken = true
            buffer = []
            consumed = 0
            return nil
        }
        let start = consumed + 2
        guard buffer.count - start >= count else { return nil }
        consumed = start + count
        return buffer[start..<consumed]
    }
}
