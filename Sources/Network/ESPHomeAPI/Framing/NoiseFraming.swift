import NoiseChannel

/// Frames with encryption: 1, the length in 16 bits, then octets. The first frames are greetings and the handshake; after that
/// each one is a sealed message.
struct NoiseFraming: Sendable {
    enum State: Sendable {
        case awaitingGreeting(HandshakeState)
        case awaitingHandshake(HandshakeState)
        case ready
        case failed
    }

    /// The names of a server in its greeting, and the name that a client expects.
    let isServer: Bool
    let name: String
    let macAddress: String
    private let key: PreSharedKey
    private let ephemeralKey: EphemeralKey
    private var state: State
    /// Beside the state, so that a message changes them in place.
    private var sending: NoiseCipher?
    private var receiving: NoiseCipher?
    let frameLimit: Int

    /// The longest message that a frame holds beside its type and its length.
    static let longestMessage = NoiseCipher.maximumPayloadLength - 4
    private static let prologue = Array("NoiseAPIInit".utf8)
    /// The only protocol that a server can choose.
    private static let noiseProtocol: UInt8 = 1
    /// The longest greeting and the longest frame of the handshake.
    private static let greetingLimit = 1024
    /// The words by which clients know that their key is wrong.
    private static let wrongKey = "Handshake MAC failure"

    init(
        isServer: Bool, name: String, macAddress: String, key: PreSharedKey, ephemeralKey: EphemeralKey,
        frameLimit: Int
    ) {
        self.isServer = isServer
        self.name = name
        self.macAddress = macAddress
        self.key = key
        self.ephemeralKey = ephemeralKey
        self.frameLimit = min(frameLimit, NoiseCipher.maximumMessageLength)
        state = .failed
        state = .awaitingGreeting(handshake(greeting: []))
    }

    var isReady: Bool { receiving != nil }

    /// The prologue holds the client's greeting with its length.
    private func handshake(greeting: [UInt8]) -> HandshakeState {
        let length = [UInt8(truncatingIfNeeded: greeting.count >> 8), UInt8(truncatingIfNeeded: greeting.count)]
        return HandshakeState(
            role: isServer ? .responder : .initiator, key: key, prologue: Self.prologue + length + greeting,
            ephemeralKey: ephemeralKey)
    }

    /// The client's greeting and its first message of the handshake leave together.
    mutating func start(_ outgoing: inout [UInt8]) throws(APIError) {
        guard !isServer, case .awaitingGreeting(var handshake) = state else { return }
        do throws(NoiseError) {
            let message = try handshake.writeMessage()
            Self.frame([], into: &outgoing)
            Self.frame([0] + message, into: &outgoing)
            state = .awaitingGreeting(handshake)
        } catch {
            throw .noise(error)
        }
    }

    mutating func next(
        in buffer: inout FrameBuffer, _ outgoing: inout [UInt8]
    ) throws(APIError) -> IncomingMessage? {
        while buffer.count > 0 {
            switch buffer[0] {
            case 1: break
            case 0:
                if isServer { reject("Bad indicator byte", &outgoing) }
                throw .peerIsNotEncrypted
            default:
                throw .otherProtocol
            }
            guard buffer.count >= 3 else { return nil }
            let length = Int(buffer[1]) << 8 | Int(buffer[2])
            guard length <= (isReady ? frameLimit : Self.greetingLimit) else { throw .frameTooLong(length) }
            guard buffer.count >= 3 + length else { return nil }
            _ = buffer.take(3)
            let range = buffer.take(length)
            if receiving != nil { return try Self.open(buffer.octets.span.extracting(range), &receiving!) }
            try greet(Array(buffer.octets[range]), &outgoing)
            if isReady { return nil }
        }
        return nil
    }

    /// Seals a message. `scratch` keeps its storage.
    mutating func append(
        _ type: APIMessageType, _ message: Span<UInt8>, scratch: inout [UInt8], to outgoing: inout [UInt8]
    ) throws(APIError) {
        guard sending != nil else { throw .outOfOrder }
        guard message.count <= Self.longestMessage else { throw .frameTooLong(message.count) }
        scratch.removeAll(keepingCapacity: true)
        scratch.append(UInt8(type.rawValue >> 8))
        scratch.append(UInt8(truncatingIfNeeded: type.rawValue))
        scratch.append(UInt8(truncatingIfNeeded: message.count >> 8))
        scratch.append(UInt8(truncatingIfNeeded: message.count))
        message.withUnsafeBufferPointer { scratch.append(contentsOf: $0) }
        Self.header(scratch.count + NoiseCipher.tagLength, into: &outgoing)
        do throws(NoiseError) {
            try sending!.seal(scratch.span, into: &outgoing)
        } catch {
            throw .noise(error)
        }
    }

    private static func open(
        _ frame: Span<UInt8>, _ cipher: inout NoiseCipher
    ) throws(APIError) -> IncomingMessage {
        let octets: [UInt8]
        do throws(NoiseError) {
            octets = try cipher.open(frame)
        } catch {
            throw .noise(error)
        }
        guard octets.count >= 4 else { throw .malformed(.truncated) }
        // The length inside repeats that of the frame. ESPHome's clients ignore it as well.
        return IncomingMessage(
            type: APIMessageType(rawValue: UInt16(octets[0]) << 8 | UInt16(octets[1])), octets: octets,
            range: 4..<octets.count)
    }

    /// Takes a frame before the channel is ready.
    private mutating func greet(_ frame: [UInt8], _ outgoing: inout [UInt8]) throws(APIError) {
        let state = self.state
        self.state = .failed
        switch state {
        case .awaitingGreeting(let handshake) where isServer:
            _ = handshake
            // Here the address has no colons, and clients compare it as text.
            let digits = macAddress.lowercased().utf8.filter { $0 != UInt8(ascii: ":") }
            Self.frame([Self.noiseProtocol] + Array(name.utf8) + [0] + digits + [0], into: &outgoing)
            self.state = .awaitingHandshake(self.handshake(greeting: frame))
        case .awaitingGreeting(let handshake):
            try check(greeting: frame)
            self.state = .awaitingHandshake(handshake)
        case .awaitingHandshake(var handshake):
            do throws(NoiseError) {
                try shake(&handshake, frame, &outgoing)
                (sending, receiving) = try handshake.ciphers()
                self.state = .ready
            } catch {
                if isServer {
                    reject(error == .authentication ? Self.wrongKey : "Handshake error", &outgoing)
                } else if frame.first == 1 {
                    throw Self.refusal(frame)
                }
                throw error == .authentication ? .wrongKey : .noise(error)
            }
        case .ready, .failed: throw .outOfOrder
        }
    }

    private func shake(
        _ handshake: inout HandshakeState, _ frame: [UInt8], _ outgoing: inout [UInt8]
    ) throws(NoiseError) {
        // The first octet is 0 for a message of the handshake.
        guard frame.first == 0 else { throw .outOfOrder }
        _ = try handshake.readMessage(Array(frame.dropFirst()))
        if isServer { Self.frame([0] + (try handshake.writeMessage()), into: &outgoing) }
    }

    private func check(greeting frame: [UInt8]) throws(APIError) {
        guard frame.first == Self.noiseProtocol else { throw .otherProtocol }
        guard !name.isEmpty, let end = frame.dropFirst().firstIndex(of: 0) else { return }
        let other = String(decoding: frame[1..<end], as: UTF8.self)
        guard other == name else { throw .otherName(other) }
    }

    private static func refusal(_ frame: [UInt8]) -> APIError {
        let reason = String(decoding: frame.dropFirst().prefix(128), as: UTF8.self)
        return reason == wrongKey ? .wrongKey : .refused(reason)
    }

    private func reject(_ reason: String, _ outgoing: inout [UInt8]) {
        Self.frame([1] + Array(reason.utf8), into: &outgoing)
    }

    private static func frame(_ octets: [UInt8], into outgoing: inout [UInt8]) {
        header(octets.count, into: &outgoing)
        outgoing += octets
    }

    private static func header(_ count: Int, into outgoing: inout [UInt8]) {
        outgoing.append(1)
        outgoing.append(UInt8(truncatingIfNeeded: count >> 8))
        outgoing.append(UInt8(truncatingIfNeeded: count))
    }
}
