/// The types of control packets (MQTT 5.0, 2.1.2).
enum MQTTPacketType: UInt8, CaseIterable {
    case connect = 1
    case connack = 2
    case publish = 3
    case puback = 4
    case pubrec = 5
    case pubrel = 6
    case pubcomp = 7
    case subscribe = 8
    case suback = 9
    case unsubscribe = 10
    case unsuback = 11
    case pingreq = 12
    case pingresp = 13
    case disconnect = 14
    case auth = 15

    /// The name in the specification.
    var name: String { "\(self)".uppercased() }

    /// The first octet of a packet without flags.
    var octet: UInt8 { rawValue << 4 }
}

/// What a broker did that MQTT forbids. It ends the connection.
struct MQTTProtocolError: Error, Equatable {
    /// The reason code of the DISCONNECT packet with which the client answers (MQTT 5.0, 3.14.2.1).
    enum Code: UInt8 {
        case malformedPacket = 0x81
        case protocolError = 0x82
        case topicAliasInvalid = 0x94
        case packetTooLarge = 0x95
    }

    let code: Code
    /// Follows "The broker sent".
    let what: String

    init(_ code: Code, _ what: String) { (self.code, self.what) = (code, what) }

    /// The sentence for people.
    var reason: String { "The broker violates MQTT: it sent \(what)." }
}

/// The first octets of a packet: its type, its flags, and the number of octets after them (MQTT 5.0, 2.1).
struct MQTTFixedHeader: Equatable {
    let type: MQTTPacketType
    let flags: UInt8
    /// The octets of the header.
    let count: Int
    /// The octets of the packet after the header, from 0 to `maximumLength`.
    let remaining: Int

    /// The largest number in a variable byte integer of four octets (1.5.5).
    static let maximumLength = 268_435_455
    /// The octets of a packet from the broker after its header. A broker of version 5 learns it; from another one, longer messages are
    /// dropped.
    static let remainingLimit = MQTTMessage.payloadLimit + 4096

    /// Returns nil if more octets are needed.
    static func decode(_ octets: Span<UInt8>) throws(MQTTProtocolError) -> MQTTFixedHeader? {
        guard !octets.isEmpty else { return nil }
        guard let type = MQTTPacketType(rawValue: octets[0] >> 4) else {
            throw MQTTProtocolError(.malformedPacket, "a packet of type 0")
        }
        let length = octets.extracting(droppingFirst: 1)
        guard let (remaining, count) = MQTTReader.variable(length) else {
            guard length.count >= 4 else { return nil }
            throw MQTTProtocolError(.malformedPacket, "\(type.name) with a length of more than four octets")
        }
        return MQTTFixedHeader(type: type, flags: octets[0] & 0xF, count: 1 + count, remaining: remaining)
    }
}
