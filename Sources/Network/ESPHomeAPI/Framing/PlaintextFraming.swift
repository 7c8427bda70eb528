/// Frames without encryption: 0, the length and the type as varints, then the message.
struct PlaintextFraming: Sendable {
    let frameLimit: Int

    func next(in buffer: inout FrameBuffer) throws(APIError) -> IncomingMessage? {
        guard buffer.count > 0 else { return nil }
        switch buffer[0] {
        case 0: break
        case 1: throw .peerRequiresKey
        default: throw .otherProtocol
        }
        var offset = 1
        guard let length = try Self.varint(in: buffer, at: &offset) else { return nil }
        guard length <= frameLimit else { throw .frameTooLong(length) }
        guard let type = try Self.varint(in: buffer, at: &offset) else { return nil }
        guard buffer.count >= offset + length else { return nil }
        _ = buffer.take(offset)
        let range = buffer.take(length)
        // A type beyond 16 bits is unknown like any other that this library lacks.
        return IncomingMessage(
            type: APIMessageType(rawValue: UInt16(exactly: type) ?? 0), octets: buffer.octets, range: range)
    }

    static func append(_ type: APIMessageType, _ message: Span<UInt8>, to outgoing: inout ProtobufWriter) {
        outgoing.octets.append(0)
        outgoing.varint(UInt64(message.count))
        outgoing.varint(UInt64(type.rawValue))
        message.withUnsafeBufferPointer { outgoing.octets.append(contentsOf: $0) }
    }

    /// A number of at most four octets; nil until all of them are there.
    private static func varint(in buffer: FrameBuffer, at offset: inout Int) throws(APIError) -> Int? {
        var value = 0
        for index in 0..<4 {
            guard offset < buffer.count else { return nil }
            let octet = buffer[offset]
            offset += 1
            value |= Int(octet & 0x7F) << (7 * index)
            if octet & 0x80 == 0 { return value }
        }
        throw .malformed(.malformed)
    }
}
