/// The fields of an H4 packet that faults look at. A packet without a field gives nil.
struct HCIPacketFields {
    let octets: [UInt8]

    init(_ octets: [UInt8]) { self.octets = octets }

    private func number(at index: Int) -> UInt16? {
        guard index + 1 < octets.count else { return nil }
        return UInt16(octets[index]) | UInt16(octets[index + 1]) << 8
    }

    /// Whether the packet is an event with this code (Vol 4, Part E, 7.7).
    func isEvent(_ code: UInt8) -> Bool { octets.count >= 3 && octets[0] == 4 && octets[1] == code }

    /// Whether the packet is Command Complete for HCI Reset (Vol 4, Part E, 7.3.2).
    var isResetComplete: Bool { isEvent(0x0E) && number(at: 4) == 0x0C03 }

    /// The handle of a link that has begun (Vol 4, Part E, 7.7.65.1 and 7.7.65.10).
    var begunLink: UInt16? {
        guard isEvent(0x3E), octets.count >= 7, [0x01, 0x0A, 0x29].contains(octets[3]), octets[4] == 0 else {
            return nil
        }
        return number(at: 5)
    }

    /// The handle of a link that has ended (Vol 4, Part E, 7.7.5).
    var endedLink: UInt16? { isEvent(0x05) && octets.count >= 6 && octets[3] == 0 ? number(at: 4) : nil }

    /// The handle of the link of ACL data (Vol 4, Part E, 5.4.2).
    var dataHandle: UInt16? {
        guard octets.first == 2 else { return nil }
        return number(at: 1).map { $0 & 0x0FFF }
    }

    /// The payload of a channel of L2CAP, if this is the first fragment of one (Vol 3, Part A, 3.1).
    private func payload(of channel: UInt16) -> ArraySlice<UInt8>? {
        guard dataHandle != nil, octets.count > 9, octets[2] >> 4 & 3 != 1, number(at: 7) == channel else { return nil }
        return octets[9...]
    }

    /// The PDU of the unenhanced ATT bearer.
    var attribute: ArraySlice<UInt8>? { payload(of: 4) }

    /// Whether the packet belongs to a pairing (Vol 3, Part H, 3.3).
    var isPairing: Bool { payload(of: 6) != nil }

    /// Whether the packet is a Connection Parameter Update Request (Vol 3, Part A, 4.20).
    var requestsParameters: Bool { payload(of: 5)?.first == 0x12 }

    /// The index of the first octet of `attribute`.
    static let attributeStart = 9

    /// Whether the PDU is the answer of a server: a response or an error (Vol 3, Part F, 3.4.8).
    var isAnswer: Bool {
        guard let code = attribute?.first else { return false }
        return [0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x21].contains(code)
    }

    /// Whether the PDU is the answer to one of these requests: its response has the next code, an error names the request.
    func isAnswer(to requests: [UInt8]) -> Bool {
        guard let pdu = attribute, let code = pdu.first else { return false }
        let request = code == 0x01 ? pdu.dropFirst().first : code &- 1
        return request.map { requests.contains($0) } ?? false
    }

    /// Whether the PDU is a notification or an indication (Vol 3, Part F, 3.4.7).
    var isUpdate: Bool { attribute.map { $0.first == 0x1B || $0.first == 0x1D || $0.first == 0x23 } ?? false }

    /// Whether the PDU writes 1 or 2 as two octets, as a subscription does (Vol 3, Part G, 3.3.3.3).
    var isSubscription: Bool {
        guard let pdu = attribute, pdu.count == 5, pdu.first == 0x12 else { return false }
        let value = Array(pdu.suffix(2))
        return value == [1, 0] || value == [2, 0]
    }

    /// Whether the PDU reads the Database Hash by its UUID (Vol 3, Part G, 7.3).
    var readsDatabaseHash: Bool {
        guard let pdu = attribute, pdu.count == 7, pdu.first == 0x08 else { return false }
        return Array(pdu.suffix(2)) == [0x2A, 0x2B]
    }

    /// The range of the Database Hash in its answer.
    var databaseHash: Range<Int>? {
        guard let pdu = attribute, pdu.count >= 20, pdu.first == 0x09, pdu[pdu.startIndex + 1] == 18 else { return nil }
        return Self.attributeStart + 4..<Self.attributeStart + 20
    }

    /// The handle of an indicated value.
    var indicatedHandle: UInt16? { attribute?.first == 0x1D ? number(at: Self.attributeStart + 1) : nil }
}
