import BLEWire

/// What a server allows a client.
package struct HTTPLimits: Sendable {
    /// The most octets of a body.
    package var body = 0
    package var connections = 64
    /// The connections that have not been recognized. They compete among themselves.
    package var strangers = 16
    /// The time of a connection until it is recognized. Nothing that a stranger sends or reads moves its end.
    package var stranger = TimeSpan.seconds(10)
    /// The time for a whole request of a recognized connection, from its first octet on.
    package var request = TimeSpan.seconds(10)
    /// The time between two requests of a recognized connection.
    package var idle = TimeSpan.seconds(30)
    /// The time in which a client takes a whole response.
    package var response = TimeSpan.seconds(10)
    /// Whether a connection can have more than one request.
    package var keepsConnections = true
    /// Whether a client may speak HTTP/1.0.
    package var acceptsOldVersion = false

    package init() {}
}

/// One connection of a client to a server, as a value: octets, responses and the time go in, octets, requests and a deadline come out.
///
/// The next request comes after all octets of the response to the last one were sent, so a client that reads nothing makes nothing wait.
package struct HTTPConnection: Sendable {
    private enum Stage: Sendable {
        case reading
        /// The server makes the response.
        case answering
        /// The octets of the response wait for the client.
        case sending
        /// The request was refused before it was complete, and the connection takes octets for the rest of its time. An end with octets that were not
        /// read could destroy the response on its way (RFC 9112, 9.6).
        case draining
        case ended
    }

    private static let drainTime = TimeSpan.seconds(2)

    private let limits: HTTPLimits
    private var reader: HTTPRequestReader
    private var stage = Stage.reading
    private var requests: [HTTPRequest] = []
    private var outgoing: [UInt8] = []
    private var keeps = true
    private var isComplete = true
    private var isHead = false
    private let strangerEnd: Instant
    private var stageEnd: Instant?
    package private(set) var isRecognized = false
    /// Counts the requests.
    package private(set) var requestCount = 0

    package init(_ limits: HTTPLimits, at now: Instant) {
        self.limits = limits
        reader = HTTPRequestReader(bodyLimit: limits.body, acceptsOldVersion: limits.acceptsOldVersion)
        strangerEnd = now + limits.stranger
        stageEnd = now + limits.idle
    }

    package var isEnded: Bool { if case .ended = stage { true } else { false } }
    package var isAnswering: Bool { if case .answering = stage { true } else { false } }

    /// Whether the connection takes further octets. Otherwise the caller stops reading.
    package var hasRoom: Bool {
        switch stage {
        case .reading, .draining: true
        case .answering, .sending: !reader.isFull
        case .ended: false
        }
    }

    /// The time at which `handleTimeout` ends the connection.
    package var deadline: Instant? {
        guard !isEnded else { return nil }
        if case .draining = stage { return stageEnd }
        guard isRecognized else { return strangerEnd }
        return stageEnd
    }

    package mutating func takeOutgoing() -> [UInt8] {
        defer { outgoing = [] }
        return outgoing
    }

    /// The request to answer, once.
    package mutating func takeRequest() -> HTTPRequest? { requests.popLast() }

    package mutating func receive(_ octets: Span<UInt8>, at now: Instant) {
        switch stage {
        case .draining, .ended: return
        case .reading: if !reader.isReading { stageEnd = now + limits.request }
        case .answering, .sending: break
        }
        reader.receive(octets)
        read(at: now)
    }

    /// Spares the connection the end of strangers: its client has shown who it is.
    package mutating func recognize() { isRecognized = true }

    /// Sends the response to the request. One that reports an error ends the connection.
    package mutating func answer(_ response: HTTPResponse, at now: Instant) {
        guard case .answering = stage else { return }
        if response.status.rawValue >= 400 { keeps = false }
        send(response, at: now)
    }

    /// All octets that `takeOutgoing` returned have left.
    package mutating func sent(at now: Instant) {
        guard case .sending = stage, outgoing.isEmpty else { return }
        if keeps {
            stage = .reading
            stageEnd = now + (reader.isReading ? limits.request : limits.idle)
            return read(at: now)
        }
        stage = isComplete ? .ended : .draining
        stageEnd = now + Self.drainTime
    }

    package mutating func handleTimeout(at now: Instant) {
        if let deadline, deadline <= now { stage = .ended }
    }

    private mutating func read(at now: Instant) {
        guard case .reading = stage else { return }
        do throws(HTTPRequestError) {
            guard let request = try reader.next() else {
                if reader.takeContinue() { outgoing += Array("HTTP/1.1 100 Continue\r\n\r\n".utf8) }
                return
            }
            stage = .answering
            stageEnd = nil
            keeps = limits.keepsConnections && request.keepsConnection
            isHead = request.method == "HEAD"
            requestCount += 1
            requests.append(request)
        } catch {
            (keeps, isComplete) = (false, false)
            send(HTTPResponse(status: error.status), at: now)
        }
    }

    private mutating func send(_ response: HTTPResponse, at now: Instant) {
        outgoing += response.head(closes: !keeps)
        // RFC 9112, 6.3: the response to HEAD has the length of a body and no body.
        if !isHead { outgoing += response.body }
        stage = .sending
        stageEnd = now + limits.response
    }
}
