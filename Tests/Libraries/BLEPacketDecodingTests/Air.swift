import BLEWire
import Testing

@testable import BLEPacketDecoding

/// Makes frames of an advertiser and a link, and gives them to a dissector.
struct Air {
    static let accessAddress: UInt32 = 0x5065_5C3A
    static let central = 1
    static let peripheral = 0

    var dissector = AirDissector()
    var now: Int64 = 0
    private var number = 0
    private var sequence = [false, false]

    /// Octets from hexadecimal text.
    static func octets(_ text: String) -> [UInt8] {
        let digits = text.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count - 1, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    mutating func add(
        _ octets: [UInt8], from sender: Int, accessAddress: UInt32 = Air.accessAddress, channel: UInt8 = 9,
        after gap: Int64 = 1_000_000, isHeard: Bool = true, plaintext: [UInt8]? = nil
    ) -> PacketSummary {
        now += gap
        defer { number += 1 }
        return dissector.add(
            AirFrame(
                number: number, start: now, airTime: 80_000, channel: channel, phy: .oneM, accessAddress: accessAddress,
                octets: octets, plaintext: plaintext, sender: sender,
                receptions: [.init(receiver: 1 - sender, rssi: -50, outcome: isHeard ? .received : .corrupted)]))
    }

    mutating func advertise(
        _ text: String, from sender: Int = Air.peripheral, on channel: UInt8 = 37, after gap: Int64 = 1_000_000
    ) -> PacketSummary {
        add(
            Air.octets(text), from: sender, accessAddress: LL.advertisingAccessAddress, channel: channel, after: gap)
    }

    /// ADV_IND of C6:05:04:03:02:01.
    mutating func advInd() -> PacketSummary { advertise("60 09 01 02 03 04 05 C6 02 01 06") }

    mutating func connect() -> PacketSummary {
        sequence = [false, false]
        return advertise(
            "C5 22 11 12 13 14 15 D6 01 02 03 04 05 C6 3A 5C 65 50 55 44 33 02 03 00 18 00 01 00 C8 00 FF FF FF FF 1F E9",
            from: Air.central)
    }

    /// A data PDU with the next sequence number.
    mutating func data(
        _ kind: LL.DataHeader.Kind, _ payload: [UInt8], from sender: Int, isHeard: Bool = true,
        plaintext: [UInt8]? = nil
    ) -> PacketSummary {
        sequence[sender].toggle()
        return again(kind, payload, from: sender, isHeard: isHeard, plaintext: plaintext)
    }

    /// A data PDU with the sequence number of the last one.
    mutating func again(
        _ kind: LL.DataHeader.Kind, _ payload: [UInt8], from sender: Int, isHeard: Bool = true,
        plaintext: [UInt8]? = nil
    ) -> PacketSummary {
        let header = kind.rawValue | (sequence[sender] ? 0x08 : 0)
        return add(
            [header, UInt8(payload.count)] + payload, from: sender, isHeard: isHeard, plaintext: plaintext)
    }

    mutating func empty(from sender: Int) -> PacketSummary { data(.continuation, [], from: sender) }

    mutating func control(_ text: String, from sender: Int) -> PacketSummary {
        data(.control, Air.octets(text), from: sender)
    }

    /// A whole L2CAP frame in one data PDU.
    mutating func frame(_ text: String, channel: UInt8, from sender: Int) -> PacketSummary {
        let payload = Air.octets(text)
        return data(.start, [UInt8(payload.count), 0, channel, 0] + payload, from: sender)
    }

    mutating func att(_ text: String, from sender: Int) -> PacketSummary { frame(text, channel: 4, from: sender) }
}

/// Checks that the leaves of each section cover each bit once, and that fields are within their section and their parent.
func expectTiling(
    _ packet: DissectedPacket, _ comment: Comment? = nil, sourceLocation: SourceLocation = #_sourceLocation
) {
    for section in packet.sections {
        var counts = [Int](repeating: 0, count: 8 * section.octets.count)
        func visit(_ field: DissectedField, within parent: Range<Int>) {
            guard parent.lowerBound <= field.range.lowerBound, field.range.upperBound <= parent.upperBound else {
                Issue.record("\(field.name) \(field.range) is not within \(parent)", sourceLocation: sourceLocation)
                return
            }
            for child in field.children { visit(child, within: field.range) }
            guard field.children.isEmpty else { return }
            let first = 8 * field.range.lowerBound
            let bits = field.bits ?? 0..<8 * field.range.count
            for bit in bits where first + bit < counts.count { counts[first + bit] += 1 }
        }
        for field in section.fields { visit(field, within: 0..<section.octets.count) }
        #expect(counts.allSatisfy { $0 == 1 }, comment, sourceLocation: sourceLocation)
    }
}

extension DissectedPacket {
    /// The values of the fields on a path of names in the first section.
    func value(_ path: String...) -> String? {
        var fields = sections.first?.fields ?? []
        var value: String?
        for name in path {
            guard let field = fields.first(where: { $0.name == name }) else { return nil }
            value = field.value
            fields = field.children
        }
        return value
    }
}
