/// The device's end of a link, without ways and clock: it brings each request once and in order, whichever way it takes, and keeps the replies
/// until the client has them.
///
/// The caller passes received octets and the time, carries out the requests, and sends what `takeOutgoing` returns. The memory is bounded: 16
/// sessions with 16 requests, replies and 32 events each.
package struct LinkDevice<Route: Hashable & Sendable>: Sendable {
    package struct Outgoing: Sendable {
        package let route: Route
        package let octets: [UInt8]
    }

    /// A request to carry out now. Of each session there is one at a time.
    package struct Request: Equatable, Sendable {
        package let session: String
        package let id: Int64
        package let op: String
        package let args: LinkValue
    }

    /// The envelopes that were dropped.
    package struct Dropped: Equatable, Sendable {
        /// No envelope.
        package var malformed = 0
        /// For another device, or without meaning for a device.
        package var unexpected = 0
        /// Received before.
        package var duplicate = 0
    }

    private struct Session {
        var route: Route
        var lastHeard: Duration
        /// The next request to carry out.
        var next: Int64 = 1
        var first: Int64 = 1
        var running: Int64?
        /// Requests that wait for earlier ones.
        var held: [Int64: Request] = [:]
        var replies: [Int64: [UInt8]] = [:]
        /// Events that the client has not confirmed, the oldest first.
        var events: [(id: Int64, op: String, args: LinkValue)] = []
        var nextEvent: Int64 = 1
    }

    package static var mostSessions: Int { 16 }
    package static var window: Int64 { 16 }
    package static var mostEvents: Int { 32 }
    /// A session that was silent for this time gives way to another. A client that is there pings more often.
    private static var idleTime: Duration { .seconds(60) }

    package let identifier: String
    private let run: String
    private var sessions: [Int64: Session] = [:]
    private var issued: Int64 = 0
    /// No session up to this number begins any more: it may be one that the device had to forget.
    private var floor: Int64 = 0
    private var latest = Duration.zero
    private var outgoing: [Outgoing] = []
    private var requests: [Request] = []
    package private(set) var dropped = Dropped()

    /// - Parameters:
    ///   - identifier: The name of the device: 1 to 64 octets.
    ///   - run: A random number, another one in each run of the device.
    package init?(identifier: String, run: UInt64) {
        guard LinkEnvelope.isName(identifier) else { return nil }
        self.identifier = identifier
        // Always 16 digits, as the nonce of a client.
        self.run = String(run | 1 << 63, radix: 16)
    }

    package var sessionCount: Int { sessions.count }

    package mutating func takeOutgoing() -> [Outgoing] {
        defer { outgoing = [] }
        return outgoing
    }

    package mutating func takeRequests() -> [Request] {
        defer { requests = [] }
        return requests
    }

    package mutating func receive(_ octets: [UInt8], from route: Route, at now: Duration) {
        latest = max(latest, now)
        let envelope: LinkEnvelope
        do throws(LinkFormatError) {
            envelope = try LinkEnvelope(decoding: octets)
        } catch {
            dropped.malformed += 1
            return
        }
        guard envelope.target == identifier else {
            dropped.unexpected += 1
            return
        }
        switch envelope.kind {
        case .hello:
            issued += 1
            var welcome = answer(.welcome, envelope)
            welcome.session = name(of: issued)
            send(welcome, to: route)
        case .ping: withSession(envelope, route) { device, session in device.receive(ping: envelope, route, &session) }
        case .request:
            withSession(envelope, route) { device, session in device.receive(request: envelope, route, &session) }
        default: dropped.unexpected += 1
        }
    }

    /// The request has been carried out, or was refused. A result that does not fit in an envelope becomes an error.
    package mutating func finish(_ request: Request, with result: Result<LinkValue, LinkError>) {
        guard let number = number(of: request.session), var session = sessions[number], session.running == request.id
        else { return }
        session.running = nil
        session.next = max(request.id + 1, session.first)
        if request.id >= session.first {
            let octets = reply(to: request, result)
            session.replies[request.id] = octets
            outgoing.append(Outgoing(route: session.route, octets: octets))
        }
        advance(&session)
        sessions[number] = session
    }

    /// Sends an event to all clients. One that is away for more than 32 events misses the oldest and is told the number.
    package mutating func send(event op: String, _ args: LinkValue) throws(LinkFormatError) {
        guard LinkEnvelope.isName(op) else { throw .field("op") }
        // The longest session and numbers: the envelope fits for each client.
        var probe = LinkEnvelope(
            .event, target: identifier, session: String(repeating: "f", count: LinkEnvelope.longestName),
            id: LinkEnvelope.greatestNumber)
        (probe.first, probe.op, probe.args) = (probe.id, op, args)
        _ = try LinkEnvelope(decoding: probe.encoded())
        for number in sessions.keys.sorted() {
            let id = sessions[number]!.nextEvent
            sessions[number]!.nextEvent += 1
            sessions[number]!.events.append((id, op, args))
            if sessions[number]!.events.count > Self.mostEvents { sessions[number]!.events.removeFirst() }
            sendEvents(from: id, of: sessions[number]!, number)
        }
    }

    // MARK: Sessions

    private func name(of number: Int64) -> String { "\(run)-\(number)" }

    private func number(of session: String) -> Int64? {
        guard session.hasPrefix("\(run)-") else { return nil }
        let number = Int64(session.dropFirst(run.count + 1))
        return number.flatMap { name(of: $0) == session ? $0 : nil }
    }

    private mutating func withSession(
        _ envelope: LinkEnvelope, _ route: Route, _ body: (inout Self, inout Session) -> Void
    ) {
        guard let text = envelope.session else { return }
        guard let number = number(of: text) else { return refuse(envelope, "restarted", route) }
        if sessions[number] == nil {
            guard number > floor, number <= issued else { return refuse(envelope, "forgotten", route) }
            if sessions.count >= Self.mostSessions {
                let idle = sessions.filter { latest - $0.value.lastHeard > Self.idleTime }
                guard let oldest = idle.min(by: { $0.value.lastHeard < $1.value.lastHeard }) else {
                    return refuse(envelope, "busy", route)
                }
                sessions[oldest.key] = nil
                // Without its memory, a late request of that session could be carried out again.
                floor = max(floor, oldest.key)
                guard number > floor else { return refuse(envelope, "forgotten", route) }
            }
            sessions[number] = Session(route: route, lastHeard: latest)
        }
        guard var session = sessions[number] else { return }
        session.route = route
        session.lastHeard = latest
        // The client has received these events.
        session.events.removeAll { $0.id <= envelope.seen }
        body(&self, &session)
        sessions[number] = session
    }

    private mutating func receive(ping: LinkEnvelope, _ route: Route, _ session: inout Session) {
        send(answer(.pong, ping), to: route)
        guard let number = ping.session.flatMap(number) else { return }
        for event in session.events { sendEvents(from: event.id, of: session, number, only: true) }
    }

    private mutating func receive(request: LinkEnvelope, _ route: Route, _ session: inout Session) {
        guard request.id > 0, let op = request.op, let name = request.session else {
            dropped.unexpected += 1
            return
        }
        // The client has the replies before `first`, or has given up their requests.
        if request.first > session.first {
            let first = request.first
            session.first = first
            session.replies = session.replies.filter { $0.key >= first }
            session.held = session.held.filter { $0.key >= first }
            if session.running == nil { session.next = max(session.next, first) }
        }
        guard request.id >= session.first, request.id - session.first < Self.window else {
            dropped.duplicate += 1
            return advance(&session)
        }
        if let reply = session.replies[request.id] {
            dropped.duplicate += 1
            outgoing.append(Outgoing(route: route, octets: reply))
        } else if request.id == session.running || session.held[request.id] != nil {
            dropped.duplicate += 1
            send(answer(.accepted, request), to: route)
        } else if request.id >= session.next {
            session.held[request.id] = Request(session: name, id: request.id, op: op, args: request.args)
            send(answer(.accepted, request), to: route)
        }
        advance(&session)
    }

    private mutating func advance(_ session: inout Session) {
        guard session.running == nil, let request = session.held.removeValue(forKey: session.next) else { return }
        session.running = request.id
        requests.append(request)
    }

    // MARK: Envelopes

    private func answer(_ kind: LinkEnvelope.Kind, _ envelope: LinkEnvelope) -> LinkEnvelope {
        LinkEnvelope(kind, target: identifier, session: envelope.session, id: envelope.id)
    }

    private mutating func refuse(_ envelope: LinkEnvelope, _ reason: String, _ route: Route) {
        var refusal = answer(.refused, envelope)
        refusal.op = reason
        send(refusal, to: route)
    }

    private func reply(to request: Request, _ result: Result<LinkValue, LinkError>) -> [UInt8] {
        var envelope = LinkEnvelope(.reply, target: identifier, session: request.session, id: request.id)
        switch result {
        case .success(let value): envelope.args = value
        case .failure(let error): envelope.error = error
        }
        // The client reads what this end can read.
        if let octets = try? envelope.encoded(), (try? LinkEnvelope(decoding: octets)) != nil { return octets }
        envelope.args = .null
        envelope.error = LinkError(
            "tooLong", "The device carried out the request, and the result does not fit in an envelope.")
        return (try? envelope.encoded()) ?? []
    }

    private mutating func sendEvents(from id: Int64, of session: Session, _ number: Int64, only: Bool = false) {
        for event in session.events where only ? event.id == id : event.id >= id {
            var envelope = LinkEnvelope(.event, target: identifier, session: name(of: number), id: event.id)
            envelope.first = session.events.first?.id ?? event.id
            envelope.op = event.op
            envelope.args = event.args
            send(envelope, to: session.route)
        }
    }

    private mutating func send(_ envelope: LinkEnvelope, to route: Route) {
        // Answers without content are short, and events were measured before.
        guard let octets = try? envelope.encoded() else { return }
        outgoing.append(Outgoing(route: route, octets: octets))
    }
}
