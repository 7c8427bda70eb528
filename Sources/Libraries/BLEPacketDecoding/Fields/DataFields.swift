import BLEWire

/// What the fields of a PDU need besides its octets.
struct FieldContext {
    /// The type of the attribute that the PDU, or the request of a response, names.
    var attribute: BluetoothUUID?
    var request: PacketSummary.Request?
    /// The language of names and values.
    var language = TextLanguage.english
    /// Whether a frame of a credit-based channel begins an SDU.
    var beginsSDU = false
    /// The type of an attribute by its handle.
    var name: (UInt16) -> BluetoothUUID?

    /// A handle with the name of its attribute.
    func handle(_ value: UInt64) -> String {
        let handle = UInt16(truncatingIfNeeded: value)
        let digits = hexadecimal(handle, digits: 4)
        return name(handle).map { "\(digits) (\(ValueText.name($0)))" } ?? digits
    }
}

/// The fields of data PDUs (Vol 6, Part B, 2.4).
enum DataFields {
    static func describe(_ summary: PacketSummary, _ context: FieldContext) -> [DissectedField] {
        let (octets, language) = (summary.octets, context.language)
        var cursor = FieldCursor(octets, 0..<octets.count, language)
        if summary.isHost { HostFields.dataHeader(&cursor) } else { header(&cursor) }
        let payload = summary.payloadRange.count
        switch summary.content {
        case .control: cursor.group("Control PDU", payload, summary.name) { control(&$0) }
        case .encrypted:
            cursor.octets("Encrypted payload", max(0, payload - LL.micLength))
            cursor.octets("Message integrity check", min(LL.micLength, cursor.remaining))
        case .frame: cursor.group("L2CAP frame", payload) { L2CAPFields.frame(&$0, context) }
        case .part(let received, let expected):
            let place =
                expected.map { language("\(received) of \($0) octets: ", "\(received)/\($0) 字节：") }
                ?? language("the start of a frame: ", "帧的开头：")
            cursor.octets("Part of an L2CAP frame", payload) { place + octetText(Array($0).span, in: language) }
        case .lastPart(let frame):
            cursor.octets("Last part of an L2CAP frame", payload) {
                language("\(frame.count) octets in all: ", "共 \(frame.count) 字节：")
                    + octetText(Array($0).span, in: language)
            }
        case .orphan: cursor.octets("Part of an L2CAP frame", payload)
        case .advertising, .undecodable, .empty, .host, .record: break
        }
        if summary.hasCheck { cursor.octets("Message integrity check", min(LL.micLength, cursor.remaining)) }
        return cursor.finish()
    }

    private static func header(_ cursor: inout FieldCursor) {
        let language = cursor.language
        cursor.group("Data header", LL.DataHeader.encodedCount) { header in
            header.bits(
                "Type and flags", 1,
                [
                    BitField("LLID", 2) { bits, language in
                        switch bits {
                        case 1: language("continuation or empty", "后续部分或空")
                        case 2: language("start of an L2CAP frame", "L2CAP 帧的开头")
                        case 3: language("control PDU", "控制 PDU")
                        default: language.reserved
                        }
                    },
                    BitField("Next expected sequence number"), BitField("Sequence number"), .flag("More data"),
                    .flag("Direction finding (CTE)"),
                ])
            header.number("Length", 1) { language.octets($0) }
        }
    }

    /// An opcode and its fields (Vol 6, Part B, 2.4.2).
    static func control(_ cursor: inout FieldCursor) {
        guard let first = cursor.next else { return }
        let opcode = LL.ControlOpcode(rawValue: first)
        cursor.number("Opcode", 1) { _ in FieldWords.name(opcode) }
        if let layouts = FieldLayouts.control(opcode) { cursor.take(layouts) }
    }
}
