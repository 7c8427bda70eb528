/// The codes of a close frame (RFC 6455, 7.4.1).
enum WebSocketCloseCode: UInt16, Hashable, Sendable {
    case normal = 1000
    case goingAway = 1001
    case protocolError = 1002
    case unsupportedData = 1003
    case invalidText = 1007
    case policyViolation = 1008
    case messageTooBig = 1009
    case tryAgainLater = 1013

    /// Whether a close frame may carry the code: a registered one that is not reserved for programs, or one of libraries and applications
    /// (RFC 6455, 7.4.1 and 7.4.2).
    static func isOnWire(_ code: UInt16) -> Bool {
        switch code {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// The reason why a WebSocket ends: its client violates the protocol or a limit.
struct WebSocketError: Error, Hashable {
    var code: WebSocketCloseCode

    init(_ code: WebSocketCloseCode) { self.code = code }
}

/// Reads the frames of a client (RFC 6455, 5.2). It checks the length of a frame before it waits for its octets, so it keeps at most
/// `messageLimit` octets of a message and those of one read.
struct WebSocketReader {
    enum Event: Hashable {
        case text(String)
        case ping([UInt8])
        case pong
        /// The client closes; the code is nil if it gives none.
        case close(UInt16?)
    }

    /// The most octets of a message.
    var messageLimit: Int

    private var buffer: [UInt8] = []
    private var start = 0
    /// The octets of a message whose last frame has not arrived; nil outside a message.
    private var message: [UInt8]?
    /// The further frames of that message.
    private var fragments = 0
    /// The most further frames of a message. Browsers send frames of at least a kilobyte.
    private static let fragmentLimit = 1024

    init(messageLimit: Int) { self.messageLimit = messageLimit }

    /// The octets that wait for more.
    var keptOctets: Int { buffer.count - start + (message?.count ?? 0) }

    mutating func receive(_ octets: Span<UInt8>) {
        if start == buffer.count {
            buffer.removeAll(keepingCapacity: buffer.capacity <= 1 << 16)
            start = 0
        } else if start > 1 << 16 {
            buffer.removeSubrange(..<start)
            start = 0
        }
        buffer.append(octets)
    }

    /// The next event; nil if octets are missing.
    mutating func next() throws(WebSocketError) -> Event? {
        while let frame = try nextFrame() {
            switch frame.opcode {
            case 0:
                guard message != nil else { throw WebSocketError(.protocolError) }
                fragments += 1
                guard fragments <= Self.fragmentLimit else { throw WebSocketError(.messageTooBig) }
                message?.append(contentsOf: frame.payload)
            case 1:
                guard message == nil else { throw WebSocketError(.protocolError) }
                message = frame.payload
                fragments = 0
            // The studio's messages are text.
            case 2: throw WebSocketError(.unsupportedData)
            case 8: return .close(try Self.closeCode(frame.payload))
            case 9: return .ping(frame.payload)
            case 10: return .pong
            default: throw WebSocketError(.protocolError)
            }
            guard frame.isLast, let octets = message else { continue }
            message = nil
            guard let text = String(validating: octets, as: UTF8.self) else { throw WebSocketError(.invalidText) }
            return .text(text)
        }
        return nil
    }

    private struct Frame {
        var opcode: UInt8
        var isLast: Bool
        var payload: [UInt8]
    }

    private mutating func nextFrame() throws(WebSocketError) -> Frame? {
        let available = buffer.count - start
        guard available >= 2 else { return nil }
        let (first, second) = (buffer[start], buffer[start + 1])
        let (isLast, opcode) = (first & 0x80 != 0, first & 0x0F)
        let isControl = opcode >= 8
        // No extension is negotiated, a client masks its frames, and a control frame is short and whole (RFC 6455, 5.1, 5.2, 5.5).
        guard first & 0x70 == 0, second & 0x80 != 0, !isControl || isLast && second & 0x7F <= 125 else {
            throw WebSocketError(.protocolError)
        }
        var length = UInt64(second & 0x7F)
        var headLength = 6
        if length >= 126 {
            let size = length == 126 ? 2 : 8
            guard available >= 2 + size else { return nil }
            length = 0
            for index in 0..<size { length = length << 8 | UInt64(buffer[start + 2 + index]) }
            // The shortest form, and no sign (RFC 6455, 5.2).
            guard length >= (size == 2 ? 126 : 65_536), length < 1 << 63 else { throw WebSocketError(.protocolError) }
            headLength += size
        }
        guard length <= UInt64(messageLimit - (isControl ? 0 : message?.count ?? 0)) else {
            throw WebSocketError(.messageTooBig)
        }
        let end = headLength + Int(length)
        guard available >= end else { return nil }
        let mask = start + headLength - 4
        var payload = [UInt8](buffer[(start + headLength)..<(start + end)])
        for index in payload.indices { payload[index] ^= buffer[mask + (index & 3)] }
        start += end
        return Frame(opcode: opcode, isLast: isLast, payload: payload)
    }

    private static func closeCode(_ payload: [UInt8]) throws(WebSocketError) -> UInt16? {
        if payload.isEmpty { return nil }
        guard payload.count >= 2, String(validating: payload.dropFirst(2), as: UTF8.self) != nil else {
            throw WebSocketError(.protocolError)
        }
        let code = UInt16(payload[0]) << 8 | UInt16(payload[1])
        guard WebSocketCloseCode.isOnWire(code) else { throw WebSocketError(.protocolError) }
        return code
    }
}
