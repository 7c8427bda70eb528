/// The properties of a packet from the broker that the client uses. The others are checked and dropped (MQTT 5.0, 2.2.2).
struct MQTTProperties: Equatable {
    var assignedIdentifier: String?
    /// In seconds.
    var serverKeepAlive: UInt16?
    var reason: String?
    var receiveMaximum: UInt16?
    /// In octets.
    var maximumPacketSize: UInt32?
    /// Whether the broker takes messages with quality of service 1.
    var takesAcknowledged = true
    var takesRetained = true

    private enum Kind {
        case bit, number16, number32, variable, text, binary, pair
    }

    private static let acknowledgements: [MQTTPacketType] = [.puback, .suback, .unsuback]

    /// The properties that a broker may send to a client without enhanced authentication, by identifier (2.2.2.2).
    private static let table: [Int: (kind: Kind, packets: [MQTTPacketType])] = [
        1: (.bit, [.publish]),
        2: (.number32, [.publish]),
        3: (.text, [.publish]),
        8: (.text, [.publish]),
        9: (.binary, [.publish]),
        11: (.variable, [.publish]),
        17: (.number32, [.connack]),
        18: (.text, [.connack]),
        19: (.number16, [.connack]),
        21: (.text, [.connack]),
        22: (.binary, [.connack]),
        26: (.text, [.connack]),
        28: (.text, [.connack, .disconnect]),
        31: (.text, [.connack, .disconnect] + acknowledgements),
        33: (.number16, [.connack]),
        34: (.number16, [.connack]),
        35: (.number16, [.publish]),
        36: (.bit, [.connack]),
        37: (.bit, [.connack]),
        38: (.pair, [.connack, .publish, .disconnect] + acknowledgements),
        39: (.number32, [.connack]),
        40: (.bit, [.connack]),
        41: (.bit, [.connack]),
        42: (.bit, [.connack]),
    ]

    /// Properties that may be several times in one packet: the subscription identifier and the user property.
    private static let repeatable: Set = [11, 38]

    init() {}

    /// Reads the length of the properties, and the properties.
    init(_ reader: inout MQTTReader) throws(MQTTProtocolError) {
        var part = try reader.part(try reader.variable())
        var seen: UInt64 = 0
        while part.count > 0 {
            let identifier = try part.variable()
            guard let entry = Self.table[identifier] else {
                throw part.violation("an unknown property (\(identifier))")
            }
            guard entry.packets.contains(part.type) else {
                throw part.violation("the property \(identifier), which does not belong there", .protocolError)
            }
            // The table ends at 42.
            guard seen >> identifier & 1 == 0 || Self.repeatable.contains(identifier) else {
                throw part.violation("the property \(identifier) twice", .protocolError)
            }
            seen |= 1 << identifier
            try read(identifier, entry.kind, &part)
        }
    }

    private mutating func read(_ identifier: Int, _ kind: Kind, _ reader: inout MQTTReader) throws(MQTTProtocolError) {
        switch kind {
        case .bit:
            let isSet = try reader.bit()
            if identifier == 36 { takesAcknowledged = isSet }
            if identifier == 37 { takesRetained = isSet }
        case .number16: try use(try reader.number16(), identifier, reader)
        case .number32:
            let number = try reader.number32()
            guard identifier == 39 else { return }
            guard number > 0 else { throw reader.violation("a maximum packet size of 0", .protocolError) }
            maximumPacketSize = number
        case .variable:
            guard try reader.variable() > 0 else {
                throw reader.violation("the subscription identifier 0", .protocolError)
            }
        case .text:
            let text = try reader.text()
            if identifier == 18 { assignedIdentifier = text }
            if identifier == 31 { reason = text }
        case .binary: try reader.skipBinary()
        case .pair:
            _ = try reader.text()
            _ = try reader.text()
        }
    }

    private mutating func use(
        _ number: UInt16, _ identifier: Int, _ reader: borrowing MQTTReader
    ) throws(MQTTProtocolError) {
        switch identifier {
        case 19: serverKeepAlive = number
        case 33:
            guard number > 0 else { throw reader.violation("a receive maximum of 0", .protocolError) }
            receiveMaximum = number
        // The client announces no topic aliases (3.1.2.11.5).
        case 35: throw reader.violation("a topic alias", .topicAliasInvalid)
        default: break
        }
    }
}
