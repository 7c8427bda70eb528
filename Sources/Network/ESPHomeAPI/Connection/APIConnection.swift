import BLEWire
import NoiseChannel

/// One connection of the API, at either end, as a value: octets and the time go in, messages, octets and a deadline come out.
///
/// It frames, encrypts, greets, answers pings and ends silent connections. All other messages go to its owner.
package struct APIConnection: Sendable {
    package enum Role: Sendable {
        case server(DeviceInfoResponse)
        /// - Parameters:
        ///   - information: The name of this program, for the server's log.
        ///   - expectedName: The name that the server must have; empty accepts every name. Checked with encryption only.
        case client(information: String, expectedName: String)
    }

    /// The version of the API that this library speaks.
    package static let version: (major: UInt32, minor: UInt32) = (1, 14)
    /// The time for the handshake and the greeting.
    package static let greetingTimeout = TimeSpan.seconds(15)
    /// A connection that is silent for this time gets a ping.
    package static let pingInterval = TimeSpan.seconds(60)
    /// A connection that stays silent ends. The value is that of ESPHome, 2.5 intervals.
    package static let silenceLimit = TimeSpan.seconds(150)
    /// The longest message from a client: a write of 512 octets needs less.
    package static let serverFrameLimit = 8 * 1024
    /// The longest message from a server: services or a batch of advertisements.
    package static let clientFrameLimit = 65_535
    /// The longest message that this end sends: what one frame with encryption holds (Noise Protocol Framework, section 3).
    package static let messageLimit = NoiseFraming.longestMessage

    private enum Phase: Sendable { case greeting, ready, closed }

    private let role: Role
    private let plaintext: PlaintextFraming
    /// Nil without encryption.
    private var noise: NoiseFraming?
    private var phase = Phase.greeting
    private var buffer = FrameBuffer()
    private var scratch: [UInt8] = []
    private var message = ProtobufWriter()
    private var outgoing = ProtobufWriter()
    private let start: Instant
    private var lastReceived: Instant
    private var hasPinged = false
    /// Why this end closed the connection while it sent; nil otherwise.
    package private(set) var failure: APIError?
    /// The minor version of the peer's API, from its greeting.
    package private(set) var peerMinorVersion: UInt32 = 0
    /// What the client calls itself, or the server's name. A peer chooses it.
    package private(set) var peerName = ""

    package init(role: Role, key: PreSharedKey?, ephemeralKey: EphemeralKey, at now: Instant) {
        self.role = role
        start = now
        lastReceived = now
        let isServer: Bool
        let (name, macAddress): (String, String)
        switch role {
        case .server(let information):
            (isServer, name, macAddress) = (true, information.name, information.macAddress)
        case .client(_, let expectedName): (isServer, name, macAddress) = (false, expectedName, "")
        }
        let limit = isServer ? Self.serverFrameLimit : Self.clientFrameLimit
        plaintext = PlaintextFraming(frameLimit: limit)
        noise = key.map {
            NoiseFraming(
                isServer: isServer, name: name, macAddress: macAddress, key: $0, ephemeralKey: ephemeralKey,
                frameLimit: limit)
        }
    }

    /// Whether the greeting is over and messages may leave.
    package var isReady: Bool { phase == .ready }
    package var isClosed: Bool { phase == .closed }

    /// The octets that wait to leave.
    package var outgoingCount: Int { outgoing.octets.count }

    /// Moves the octets that leave to `octets`, whose storage takes the next ones.
    ///
    /// - Returns: Why this end closed the connection while it sent; nil otherwise.
    @discardableResult
    package mutating func takeOutgoing(_ octets: inout [UInt8]) -> APIError? {
        octets.removeAll(keepingCapacity: true)
        swap(&octets, &outgoing.octets)
        return failure
    }

    // MARK: Client

    /// Begins the greeting of a client.
    package mutating func greet() throws(APIError) {
        guard case .client = role else { return }
        guard noise != nil else { return sendHello() }
        try noise?.start(&outgoing.octets)
    }

    private mutating func sendHello() {
        guard case .client(let information, _) = role else { return }
        transmit(
            HelloRequest(
                clientInfo: information, majorVersion: Self.version.major, minorVersion: Self.version.minor))
        // Servers before 2026.1 authenticate with this message, also without a password. Later ones skip it.
        transmit(AuthenticationRequest(password: ""))
    }

    // MARK: Receiving

    /// Takes octets of the stream. Call `next` until it returns nil.
    package mutating func receive(_ octets: Span<UInt8>, at now: Instant) {
        lastReceived = now
        hasPinged = false
        buffer.append(octets)
    }

    /// Returns the next message for the owner; nil without one, and after a failure of sending. A failure ends the connection; octets that explain it to the peer may
    /// still wait to leave.
    package mutating func next() throws(APIError) -> IncomingMessage? {
        do throws(APIError) {
            while phase != .closed, let message = try nextFrame() {
                if try !handle(message) { return message }
            }
            return nil
        } catch {
            phase = .closed
            throw error
        }
    }

    private mutating func nextFrame() throws(APIError) -> IncomingMessage? {
        guard let wasReady = noise?.isReady else { return try plaintext.next(in: &buffer) }
        let message = try noise?.next(in: &buffer, &outgoing.octets)
        if !wasReady, noise?.isReady == true {
            sendHello()
            // The peer may have sent its greeting with the handshake.
            return try nextFrame()
        }
        return message ?? nil
    }

    /// Handles the messages of the connection itself. Returns false for messages of the owner.
    private mutating func handle(_ message: IncomingMessage) throws(APIError) -> Bool {
        switch message.type {
        case PingRequest.type: transmit(PingResponse())
        case PingResponse.type: break
        case DisconnectRequest.type:
            transmit(DisconnectResponse())
            throw .disconnected
        case DisconnectResponse.type: throw .disconnected
        default:
            switch role {
            case .server(let information): return try serve(message, information)
            case .client: return try answer(message)
            }
        }
        return true
    }

    private mutating func serve(
        _ message: IncomingMessage, _ information: DeviceInfoResponse
    ) throws(APIError) -> Bool {
        switch message.type {
        case HelloRequest.type:
            let hello = try message.decode(HelloRequest.self)
            peerMinorVersion = hello.majorVersion == 1 ? hello.minorVersion : 0
            peerName = String(hello.clientInfo.prefix(64))
            transmit(
                HelloResponse(
                    majorVersion: Self.version.major, minorVersion: Self.version.minor,
                    serverInfo: String(information.version.prefix(32)), name: information.name))
            phase = .ready
        case DeviceInfoRequest.type: transmit(information)
        case AuthenticationRequest.type: transmit(AuthenticationResponse(isPasswordInvalid: false))
        case _ where phase != .ready: throw .outOfOrder
        case ListEntitiesRequest.type: transmit(ListEntitiesDoneResponse())
        case SubscribeStatesRequest.type, SubscribeLogsRequest.type, SubscribeServicesRequest.type,
            SubscribeHomeStatesRequest.type:
            // A gateway has no entities, no services and sends no log.
            break
        default: return false
        }
        return true
    }

    private mutating func answer(_ message: IncomingMessage) throws(APIError) -> Bool {
        switch message.type {
        case HelloResponse.type:
            let hello = try message.decode(HelloResponse.self)
            guard hello.majorVersion == Self.version.major else { throw .otherVersion(hello.majorVersion) }
            peerMinorVersion = hello.minorVersion
            peerName = String(hello.name.prefix(64))
            phase = .ready
            transmit(DeviceInfoRequest())
        case AuthenticationResponse.type:
            if try message.decode(AuthenticationResponse.self).isPasswordInvalid {
                throw .refused("The password is wrong.")
            }
        case _ where phase != .ready: throw .outOfOrder
        case GetTimeRequest.type: break
        default: return false
        }
        return true
    }

    // MARK: Sending

    /// Sends a message. Has no effect before the greeting and after the end.
    package mutating func send(_ message: some APIMessage) {
        guard phase == .ready else { return }
        transmit(message)
    }

    /// Sends a message that `body` writes.
    package mutating func send(_ type: APIMessageType, _ body: (inout ProtobufWriter) -> Void) {
        guard phase == .ready else { return }
        message.octets.removeAll(keepingCapacity: true)
        body(&message)
        frame(type)
    }

    /// Asks the peer to close.
    package mutating func disconnect() { send(DisconnectRequest()) }

    private mutating func transmit<Message: APIMessage>(_ value: Message) {
        message.octets.removeAll(keepingCapacity: true)
        value.encode(into: &message)
        frame(Message.type)
    }

    private mutating func frame(_ type: APIMessageType) {
        guard message.octets.count <= Self.messageLimit else { return fail(.messageTooLong(message.octets.count)) }
        // A second reference, not a copy.
        let payload = message.octets
        guard noise != nil else { return PlaintextFraming.append(type, payload.span, to: &outgoing) }
        do throws(APIError) {
            try noise?.append(type, payload.span, scratch: &scratch, to: &outgoing.octets)
        } catch {
            fail(error)
        }
    }

    /// Ends the connection. A message that cannot be sent must not be missing unnoticed.
    private mutating func fail(_ error: APIError) {
        failure = failure ?? error
        phase = .closed
    }

    // MARK: Time

    /// When `handleTimeout` is due.
    package var deadline: Instant {
        if phase == .greeting { return start + Self.greetingTimeout }
        return lastReceived + (hasPinged ? Self.silenceLimit : Self.pingInterval)
    }

    /// Sends a ping to a silent peer, and ends a connection that stays silent or does not greet.
    package mutating func handleTimeout(at now: Instant) throws(APIError) {
        guard phase != .closed, now >= deadline else { return }
        if phase == .greeting || hasPinged {
            defer { phase = .closed }
            throw phase == .greeting ? .greetingTimeout : .silence
        }
        hasPinged = true
        transmit(PingRequest())
    }
}
