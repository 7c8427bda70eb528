import BLEWire

/// The two one-bit counters that make a link lossless (Vol 6, Part B, 4.5.9).
struct Acknowledgement: Hashable {
    /// transmitSeqNum: the number of the packet being sent.
    private(set) var sequence = false
    /// nextExpectedSeqNum: the number of the packet waited for.
    private(set) var nextExpected = false

    struct Verdict: Hashable {
        /// The peer has the packet sent last.
        var isAcknowledged: Bool
        /// The peer's packet is a new one, not one sent again.
        var isNew: Bool
    }

    /// Takes the header of a packet that arrived without errors.
    mutating func receive(_ header: LL.DataHeader) -> Verdict {
        let verdict = Verdict(
            isAcknowledged: header.nextExpected != sequence, isNew: header.sequence == nextExpected)
        if verdict.isAcknowledged { sequence.toggle() }
        if verdict.isNew { nextExpected.toggle() }
        return verdict
    }
}
