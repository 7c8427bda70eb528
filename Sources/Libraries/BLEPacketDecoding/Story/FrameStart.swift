import BLEWire

/// Joins the parts of the L2CAP frames of one sender, and keeps the first octets of each frame (Vol 3, Part A, 7.2.1).
struct FrameStart: Hashable, Sendable {
    /// The octets that it keeps: an ATT PDU with the longest value and more.
    static let limit = 1024

    /// The first octets of the current frame; empty if no frame is incomplete.
    private var octets: [UInt8] = []
    private var received = 0

    var isEmpty: Bool { octets.isEmpty }

    /// Takes the next part. Returns the frame if it is complete: its first octets, header first, and its length with the header.
    ///
    /// - Parameter count: The octets of the part before the recorder cut it. A frame whose part is cut may have fewer octets than its length.
    mutating func take(
        _ part: ArraySlice<UInt8>, count: Int, isStart: Bool
    ) -> (octets: ArraySlice<UInt8>, length: Int)? {
        if isStart {
            octets.empty()
            received = 0
        } else if octets.isEmpty {
            return nil
        }
        // Nothing follows the end of a part that is cut.
        if octets.count == received { octets += part.prefix(Self.limit - octets.count) }
        received += max(count, part.count)
        guard octets.count >= L2CAP.headerCount else { return nil }
        let length = L2CAP.headerCount + Int(octets[0]) + Int(octets[1]) << 8
        guard received >= length else { return nil }
        defer { octets = [] }
        // What follows the frame is the MIC of a decrypted packet.
        return (octets.prefix(length), length)
    }
}
