import BLEWire

/// The fields of packets between a host and its controller (Vol 4, Part E, 5.4), which a capture may have cut at any place, and of records that are
/// not decoded.
enum HostFields {
    static func describe(
        _ octets: [UInt8], _ content: PacketSummary.Content, _ language: TextLanguage
    ) -> [DissectedField] {
        var cursor = FieldCursor(octets, 0..<octets.count, language)
        guard content == .host, let first = cursor.next else {
            cursor.rest(content == .record ? "Record" : "Not decoded")
            return cursor.finish()
        }
        let type = H4.PacketType(rawValue: first)
        guard type != .acl else {
            dataHeader(&cursor)
            cursor.rest("Data")
            return cursor.finish()
        }
        packetType(&cursor)
        switch type {
        case .command: command(&cursor)
        case .event: event(&cursor)
        default: cursor.rest("Data")
        }
        return cursor.finish()
    }

    private static func packetType(_ cursor: inout FieldCursor) {
        let language = cursor.language
        cursor.number("Packet type", 1) {
            switch H4.PacketType(rawValue: UInt8(truncatingIfNeeded: $0)) {
            case .command: language("command", "命令")
            case .acl: language("ACL data", "ACL 数据")
            case .synchronous: language("SCO data", "SCO 数据")
            case .event: language("event", "事件")
            case .iso: language("ISO data", "ISO 数据")
            default: "\($0)"
            }
        }
    }

    /// The type and the header of an ACL packet (Vol 4, Part E, 5.4.2).
    static func dataHeader(_ cursor: inout FieldCursor) {
        packetType(&cursor)
        let language = cursor.language
        cursor.group("ACL header", HCI.ACLHeader.encodedLength) { header in
            header.bits(
                "Handle and flags", 2,
                [
                    BitField("Connection handle", 12) { bits, _ in hexadecimal(bits, digits: 4) },
                    BitField("Boundary", 2) { bits, language in
                        HCI.ACLHeader.Boundary(rawValue: UInt8(truncatingIfNeeded: bits)).isFirst
                            ? language("start of an L2CAP frame", "L2CAP 帧的开头")
                            : bits == 1 ? language("continuation", "后续部分") : language.reserved
                    },
                    BitField("Broadcast", 2),
                ])
            header.number("Length", 2) { language.octets($0) }
        }
    }

    private static func command(_ cursor: inout FieldCursor) {
        let language = cursor.language
        opcode("Command", &cursor)
        cursor.number("Length", 1) { language.octets($0) }
        cursor.rest("Parameters")
    }

    private static func opcode(_ name: String, _ cursor: inout FieldCursor) {
        cursor.number(name, 2) {
            "\(HCI.Opcode(rawValue: UInt16(truncatingIfNeeded: $0))) (0x\(hexadecimal($0, digits: 4)))"
        }
    }

    private static func status(_ cursor: inout FieldCursor) {
        let language = cursor.language
        cursor.number("Status", 1) { FieldWords.number($0, .errorCode, octets: 1, language) }
    }

    private static func event(_ cursor: inout FieldCursor) {
        let language = cursor.language
        let code = cursor.number("Event", 1) {
            "\(HCI.EventCode(rawValue: UInt8(truncatingIfNeeded: $0))) (0x\(hexadecimal($0, digits: 2)))"
        }
        cursor.number("Length", 1) { language.octets($0) }
        switch code.map({ HCI.EventCode(rawValue: UInt8(truncatingIfNeeded: $0)) }) {
        case .commandComplete?:
            cursor.number("Commands allowed", 1)
            opcode("Command", &cursor)
            // Almost all commands return a status first.
            cursor.group("Return parameters") { inner in
                status(&inner)
                inner.rest("Data")
            }
        case .commandStatus?:
            status(&cursor)
            cursor.number("Commands allowed", 1)
            opcode("Command", &cursor)
        case .disconnectionComplete?:
            status(&cursor)
            cursor.number("Connection handle", 2) { hexadecimal($0, digits: 4) }
            cursor.number("Reason", 1) { FieldWords.number($0, .errorCode, octets: 1, language) }
        case .leMeta?: lowEnergyEvent(&cursor)
        default: cursor.rest("Parameters")
        }
    }

    private static func lowEnergyEvent(_ cursor: inout FieldCursor) {
        let code = cursor.number("LE event", 1) {
            "\(HCI.LESubeventCode(rawValue: UInt8(truncatingIfNeeded: $0))) (0x\(hexadecimal($0, digits: 2)))"
        }
        switch code.map({ HCI.LESubeventCode(rawValue: UInt8(truncatingIfNeeded: $0)) }) {
        case .connectionComplete?, .enhancedConnectionComplete?, .enhancedConnectionCompleteV2?: connection(&cursor)
        case .advertisingReport?, .extendedAdvertisingReport?: cursor.number("Number of reports", 1)
        default: break
        }
        cursor.rest("Parameters")
    }

    /// What all forms of the event begin with (Vol 4, Part E, 7.7.65.1 and 7.7.65.10).
    private static func connection(_ cursor: inout FieldCursor) {
        let language = cursor.language
        status(&cursor)
        cursor.number("Connection handle", 2) { hexadecimal($0, digits: 4) }
        cursor.number("Role", 1) {
            switch $0 {
            case 0: language("central", "中心设备")
            case 1: language("peripheral", "外设")
            default: "\($0)"
            }
        }
        let isRandom = cursor.number("Address type", 1) { $0 > 1 ? "\($0)" : language.addressType(isRandom: $0 == 1) }
        cursor.address("Address", isRandom: isRandom.map { $0 & 1 == 1 } ?? false)
    }
}
