import BLEWire

/// Joins the parts of L2CAP frames from one sender (Vol 3, Part A, 7.2.1).
struct Reassembly: Sendable {
    /// The parts so far; empty if no frame is incomplete.
    private(set) var octets: [UInt8] = []

    /// Takes the payload of a data PDU.
    mutating func take(_ payload: ArraySlice<UInt8>, isStart: Bool) -> PacketSummary.Content {
        if isStart {
            octets.empty()
            if let expected = Self.expectedCount(payload), payload.count >= expected { return .frame }
        } else if octets.isEmpty {
            return .orphan
        }
        octets += payload
        let received = Int32(truncatingIfNeeded: octets.count)
        guard let expected = Self.expectedCount(octets[...]) else { return .part(received: received, expected: nil) }
        guard octets.count >= expected else {
            return .part(received: received, expected: Int32(truncatingIfNeeded: expected))
        }
        defer { octets = [] }
        return .lastPart(octets)
    }

    /// The octets of a part behind the end of its frame; 0 if there are none.
    func excess(of payload: ArraySlice<UInt8>, isStart: Bool) -> Int {
        guard isStart || !octets.isEmpty else { return 0 }
        let before = isStart ? 0 : octets.count
        let header = isStart ? payload : octets.prefix(L2CAP.headerCount) + payload.prefix(L2CAP.headerCount)
        return Self.expectedCount(header).map { max(0, before + payload.count - $0) } ?? 0
    }

    mutating func forget() { octets = [] }

    /// The octets of the whole frame; nil if its header is incomplete.
    private static func expectedCount(_ octets: ArraySlice<UInt8>) -> Int? {
        guard octets.count >= L2CAP.headerCount else { return nil }
        let start = octets.startIndex
        return L2CAP.headerCount + Int(octets[start]) + Int(octets[start + 1]) << 8
    }
}
