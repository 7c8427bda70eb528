/// A packet from the broker.
enum MQTTIncoming: Equatable {
    case connack(isSessionPresent: Bool, code: UInt8, MQTTProperties)
    /// With the packet identifier if the message has quality of service 1.
    case publish(MQTTMessage, identifier: UInt16?)
    case puback(identifier: UInt16, code: UInt8, reason: String?)
    case suback(identifier: UInt16, code: UInt8, reason: String?)
    case unsuback(identifier: UInt16)
    case pingresp
    case disconnect(code: UInt8, reason: String?)

    /// - Parameter body: The octets after the fixed header.
    static func decode(
        _ header: MQTTFixedHeader, _ body: Span<UInt8>, _ version: MQTTConfiguration.Version
    ) throws(MQTTProtocolError) -> MQTTIncoming {
        var reader = MQTTReader(body, of: header.type)
        if header.type == .publish { return try publish(header.flags, &reader, version) }
        guard header.flags == 0 else { throw reader.violation("the flags \(header.flags)") }
        let packet: MQTTIncoming
        switch header.type {
        case .connack: packet = try connack(&reader, version)
        case .puback: packet = try puback(&reader, version)
        case .suback: packet = try suback(&reader, version)
        case .unsuback: packet = try unsuback(&reader, version)
        case .pingresp: packet = .pingresp
        case .disconnect where version == .v5: packet = try disconnect(&reader)
        case .connect, .publish, .pubrec, .pubrel, .pubcomp, .subscribe, .unsubscribe, .pingreq, .disconnect, .auth:
            throw MQTTProtocolError(.protocolError, "\(header.type.name), which a client does not expect")
        }
        try reader.end()
        return packet
    }

    /// 3.2.2.
    private static func connack(
        _ reader: inout MQTTReader, _ version: MQTTConfiguration.Version
    ) throws(MQTTProtocolError) -> MQTTIncoming {
        let flags = try reader.octet()
        guard flags <= 1 else { throw reader.violation("the flags \(flags)") }
        let code = try reader.octet()
        // A broker that does not know version 5 answers in the form of its own one.
        let isShort = code != 0 && reader.count == 0
        let properties = version == .v5 && !isShort ? try MQTTProperties(&reader) : MQTTProperties()
        return .connack(isSessionPresent: flags == 1, code: code, properties)
    }

    /// 3.3. The client subscribes with quality of service 1, so a message with 2 is a violation.
    private static func publish(
        _ flags: UInt8, _ reader: inout MQTTReader, _ version: MQTTConfiguration.Version
    ) throws(MQTTProtocolError) -> MQTTIncoming {
        let isAcknowledged = try isAcknowledged(flags)
        let topic = try reader.text()
        guard !topic.isEmpty, !topic.utf8.contains(where: { "+#".utf8.contains($0) }) else {
            throw reader.violation("a topic that is none", .protocolError)
        }
        let identifier = isAcknowledged ? try reader.identifier() : nil
        if version == .v5 { _ = try MQTTProperties(&reader) }
        let message = MQTTMessage(topic: topic, payload: try reader.rest(), isRetained: flags & 1 != 0)
        return .publish(message, identifier: identifier)
    }

    /// Whether a PUBLISH packet with these flags has quality of service 1 (3.3.1.2).
    static func isAcknowledged(_ flags: UInt8) throws(MQTTProtocolError) -> Bool {
        switch flags >> 1 & 3 {
        case 0:
            guard flags & 8 == 0 else {
                throw MQTTProtocolError(.malformedPacket, "PUBLISH with the flag DUP and quality of service 0")
            }
            return false
        case 1: return true
        case let quality:
            throw MQTTProtocolError(
                quality == 2 ? .protocolError : .malformedPacket, "PUBLISH with quality of service \(quality)")
        }
    }

    /// 3.4. Version 5 may leave out the code 0 and the properties.
    private static func puback(
        _ reader: inout MQTTReader, _ version: MQTTConfiguration.Version
    ) throws(MQTTProtocolError) -> MQTTIncoming {
        let identifier = try reader.identifier()
        guard version == .v5 else { return .puback(identifier: identifier, code: 0, reason: nil) }
        let (code, reason) = try codeAndReason(&reader)
        return .puback(identifier: identifier, code: code, reason: reason)
    }

    /// 3.9. The client subscribes to one filter with each packet.
    private static func suback(
        _ reader: inout MQTTReader, _ version: MQTTConfiguration.Version
    ) throws(MQTTProtocolError) -> MQTTIncoming {
        let identifier = try reader.identifier()
        let reason = version == .v5 ? try MQTTProperties(&reader).reason : nil
        let code = try reader.octet()
        guard code <= 2 || code >= 0x80 else { throw reader.violation("the code \(code)") }
        return .suback(identifier: identifier, code: code, reason: reason)
    }

    /// 3.11.
    private static func unsuback(
        _ reader: inout MQTTReader, _ version: MQTTConfiguration.Version
    ) throws(MQTTProtocolError) -> MQTTIncoming {
        let identifier = try reader.identifier()
        if version == .v5 {
            _ = try MQTTProperties(&reader)
            _ = try reader.octet()
        }
        return .unsuback(identifier: identifier)
    }

    /// 3.14.
    private static func disconnect(_ reader: inout MQTTReader) throws(MQTTProtocolError) -> MQTTIncoming {
        let (code, reason) = try codeAndReason(&reader)
        return .disconnect(code: code, reason: reason)
    }

    /// A reason code and properties; both, or the properties alone, can be missing.
    private static func codeAndReason(_ reader: inout MQTTReader) throws(MQTTProtocolError) -> (UInt8, String?) {
        let code = reader.count > 0 ? try reader.octet() : 0
        return (code, reader.count > 0 ? try MQTTProperties(&reader).reason : nil)
    }
}
