import BLEWire

/// The sequence numbers that acknowledge data PDUs (Vol 6, Part B, 4.5.9).
struct Acknowledgement: Hashable {
    /// transmitSeqNum: the number of the PDU being sent.
    private(set) var sequence = false
    /// nextExpectedSeqNum: the number of the expected PDU.
    private(set) var nextExpected = false

    struct Verdict: Hashable {
        /// Whether the peer has received the last PDU.
        var isAcknowledged: Bool
        /// Whether the peer's PDU is new and not a retransmission.
        var isNew: Bool
    }

    /// Takes the header of a PDU with a valid CRC.
    mutating func receive(_ header: LL.DataHeader) -> Verdict {
        let verdict = Verdict(
            isAcknowledged: header.nextExpected != sequence, isNew: header.sequence == nextExpected)
        if verdict.isAcknowledged { sequence.toggle() }
        if verdict.isNew { nextExpected.toggle() }
        return verdict
    }
}
