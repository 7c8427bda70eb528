/// A received message before its decoding.
package struct IncomingMessage: Sendable {
    package let type: APIMessageType
    private let octets: [UInt8]
    private let range: Range<Int>

    init(type: APIMessageType, octets: [UInt8], range: Range<Int>) {
        self.type = type
        self.octets = octets
        self.range = range
    }

    /// Calls `body` with the octets of the message.
    package func withPayload<Result, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(octets.span.extracting(range))
    }

    package func decode<Message: APIMessage>(_ type: Message.Type = Message.self) throws(APIError) -> Message {
        do throws(ProtobufError) {
            return try Message(decoding: octets.span.extracting(range))
        } catch {
            throw .malformed(error)
        }
    }
}
