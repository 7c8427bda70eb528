/// The client's end of a link, without ways and clock: it selects the best way that works, moves to another one when it breaks, and repeats each
/// request until the device has carried it out once.
///
/// Ways are numbers in order of preference, from 0. The caller does what `takeActions` returns and passes what happens, with the time.
package struct LinkClient: Sendable {
    package enum Action: Equatable, Sendable {
        case open(Int)
        case close(Int)
        case send([UInt8], way: Int)
    }

    package enum Event: Equatable, Sendable {
        /// The best way that works is another one; nil if none works.
        case way(Int?)
        /// The device has received the request.
        case accepted(Int)
        /// The device has carried out the request, or refused it.
        case replied(Int, Result<LinkValue, LinkError>)
        case failed(Int, LinkRequestError)
        case event(op: String, args: LinkValue)
        /// So many events were lost.
        case missedEvents(Int)
    }

    private struct Request {
        let op: String
        let args: LinkValue
        let end: Duration
        /// The number in the session, from the first time that the request is sent.
        var id: Int64?
        var stage = LinkRequestError.Stage.waiting
        var next = Duration.zero
        var pause: Duration
    }

    /// The requests that wait at the same time.
    package static let mostRequests = 64
    /// The pause before the device is asked again about a request that it accepted.
    private static let acceptedPause = Duration.seconds(5)
    private static let helloPause = Duration.seconds(1)
    private static let gapPause = Duration.milliseconds(500)

    private let target: String
    private let timing: LinkTiming
    private var table: TransportTable
    private var latest = Duration.zero
    /// By the number that `submit` returned.
    private var requests: [Int: Request] = [:]
    private var order: [Int] = []
    private var nextNumber = 0
    private var session: String?
    private var nextID: Int64 = 1
    private var nonce: Int64
    private var lastHello: Duration?
    private var seen: Int64 = 0
    /// Events that arrived before an earlier one.
    private var heldEvents: [Int64: (op: String, args: LinkValue)] = [:]
    private var lastGapPing: Duration?
    private var active: Int?
    private var isClosed = false
    private var actions: [Action] = []
    private var events: [Event] = []
    /// The envelopes that were no envelope, or without meaning for a client.
    package private(set) var dropped = 0

    /// - Parameters:
    ///   - target: The identifier of the device.
    ///   - ways: The number of ways.
    ///   - seed: A random number, another one for each client.
    package init(target: String, ways: Int, seed: UInt64, timing: LinkTiming = LinkTiming()) {
        self.target = target
        self.timing = timing
        table = TransportTable(count: ways, timing: timing)
        // Always 16 digits: a random number does not decide how many packets an envelope takes.
        nonce = 1 << 51 | Int64(seed & (1 << 51 - 1))
    }

    // MARK: Calls

    package mutating func takeActions() -> [Action] {
        defer { actions = [] }
        return actions
    }

    package mutating func takeEvents() -> [Event] {
        defer { events = [] }
        return events
    }

    /// Opens the first ways.
    package mutating func start(at now: Duration) {
        latest = max(latest, now)
        work()
    }

    /// Sends a request as soon as possible. Returns its number, which the events repeat.
    package mutating func submit(
        _ op: String, _ args: LinkValue, at now: Duration, limit: Duration? = nil
    ) throws(LinkSubmitError) -> Int {
        latest = max(latest, now)
        guard LinkEnvelope.isName(op) else { throw .operation }
        guard requests.count < Self.mostRequests else { throw .tooMany }
        do throws(LinkFormatError) {
            // The longest session and numbers: the request fits in each session.
            var probe = LinkEnvelope(
                .request, target: target, session: String(repeating: "f", count: LinkEnvelope.longestName),
                id: LinkEnvelope.greatestNumber)
            (probe.first, probe.seen, probe.op, probe.args) = (probe.id, probe.id, op, args)
            _ = try LinkEnvelope(decoding: probe.encoded())
        } catch {
            throw .format(error)
        }
        let number = nextNumber
        nextNumber += 1
        if isClosed {
            events.append(.failed(number, LinkRequestError(.waiting, .closed)))
            return number
        }
        requests[number] = Request(
            op: op, args: args, end: latest + (limit ?? timing.request), pause: timing.firstRepeat)
        order.append(number)
        work()
        return number
    }

    /// Ends a request that waits. The device may have carried it out.
    package mutating func cancel(_ number: Int, at now: Duration) {
        latest = max(latest, now)
        fail(number, .cancelled)
        work()
    }

    package mutating func opened(_ way: Int, at now: Duration) {
        latest = max(latest, now)
        guard table.opened(way, at: latest) else { return }
        greet(way)
        work()
    }

    package mutating func broke(_ way: Int, at now: Duration) {
        latest = max(latest, now)
        _ = table.broke(way, at: latest)
        work()
    }

    /// Closes all ways. The requests that wait fail.
    package mutating func close(at now: Duration) {
        latest = max(latest, now)
        guard !isClosed else { return }
        isClosed = true
        for number in order { fail(number, .closed) }
        for way in table.ways.indices {
            if case .closed = table.ways[way].state { continue }
            actions.append(.close(way))
        }
        if active != nil { events.append(.way(nil)) }
        active = nil
    }

    package var deadline: Duration? {
        guard !isClosed else { return nil }
        var times = [table.deadline] + requests.values.map(\.end)
        if let way = active {
            if session == nil { times.append((lastHello ?? .zero) + Self.helloPause) }
            if session != nil { times += sendable.compactMap { requests[$0]?.next } }
            times.append(nextPing(way))
        }
        // A way that has not answered yet is asked again.
        for way in table.open where table.ways[way].state == .silent {
            times.append((table.ways[way].lastPing ?? .zero) + Self.helloPause)
        }
        return times.compactMap { $0 }.min()
    }

    package mutating func handleTimeout(at now: Duration) {
        latest = max(latest, now)
        guard !isClosed else { return }
        for way in table.late(at: latest) where table.broke(way, at: latest) { actions.append(.close(way)) }
        for number in order where requests[number]!.end <= latest { fail(number, .timeLimit) }
        for way in table.open {
            let state = table.ways[way]
            if state.state == .silent {
                if (state.lastPing ?? .zero) + Self.helloPause <= latest { greet(way) }
            } else if way == active {
                if session == nil {
                    if (lastHello ?? .zero) + Self.helloPause <= latest { greet(way) }
                } else if nextPing(way) <= latest {
                    greet(way)
                }
            }
        }
        work()
    }

    package mutating func receive(_ octets: [UInt8], from way: Int, at now: Duration) {
        latest = max(latest, now)
        guard !isClosed, table.ways.indices.contains(way), table.ways[way].isOpen else { return }
        guard let envelope = try? LinkEnvelope(decoding: octets), envelope.target == target else {
            dropped += 1
            return
        }
        switch envelope.kind {
        case .hello, .request, .ping:
            dropped += 1
            return
        // Also an answer of an earlier session shows that the way works.
        default: table.heard(way, at: latest)
        }
        switch envelope.kind {
        case .welcome:
            guard session == nil, envelope.id == nonce else { break }
            session = envelope.session
            nextID = 1
            seen = 0
            heldEvents = [:]
            for number in order { requests[number]!.next = latest }
            // The device knows a client from its first request or ping.
            greet(way)
        case _ where envelope.session != session: break
        case .accepted: accept(envelope.id)
        case .reply: reply(envelope)
        case .event: receive(event: envelope, way)
        case .refused: refused(envelope)
        default: break
        }
        work()
    }

    // MARK: Work

    /// Opens and closes ways, and sends requests.
    private mutating func work() {
        guard !isClosed else { return }
        for way in table.begin(at: latest) { actions.append(.open(way)) }
        if table.active != active {
            active = table.active
            events.append(.way(active))
            if let active {
                // The requests on the way before may be lost.
                for number in order { requests[number]!.next = latest }
                for way in table.ways.indices where way > active {
                    if case .closed = table.ways[way].state { continue }
                    table.rest(way, at: latest)
                    actions.append(.close(way))
                }
                if session == nil { greet(active) }
            }
        }
        sendRequests()
    }

    /// The requests that have a place in the device's window, in order.
    private var sendable: ArraySlice<Int> {
        let oldest = order.first.flatMap { requests[$0]?.id } ?? nextID
        let sent = order.prefix { requests[$0]?.id != nil }.count
        let room = max(0, Int(LinkDevice<Int>.window - (nextID - oldest)))
        return order.prefix(sent + room)
    }

    private mutating func sendRequests() {
        guard let active, let session else { return }
        for number in sendable where requests[number]!.next <= latest {
            var request = requests[number]!
            if request.id == nil {
                request.id = nextID
                nextID += 1
            }
            if request.stage == .waiting { request.stage = .sent }
            request.next = latest + (request.stage == .accepted ? Self.acceptedPause : request.pause)
            request.pause = min(request.pause * 2, timing.firstRepeat * 4)
            requests[number] = request
            var envelope = LinkEnvelope(.request, target: target, session: session, id: request.id ?? 0)
            envelope.first = order.first.flatMap { requests[$0]?.id } ?? envelope.id
            envelope.seen = seen
            envelope.op = request.op
            envelope.args = request.args
            send(envelope, way: active, isPing: false)
        }
    }

    /// Asks for a session, or shows that the session uses this way now.
    private mutating func greet(_ way: Int) {
        guard let session else {
            lastHello = latest
            return send(LinkEnvelope(.hello, target: target, id: nonce), way: way, isPing: true)
        }
        var ping = LinkEnvelope(.ping, target: target, session: session)
        ping.seen = seen
        send(ping, way: way, isPing: true)
    }

    private func nextPing(_ way: Int) -> Duration {
        let state = table.ways[way]
        return max(state.lastHeard, state.lastPing ?? .zero) + timing.ping
    }

    private mutating func send(_ envelope: LinkEnvelope, way: Int, isPing: Bool) {
        // `submit` has measured the requests.
        guard let octets = try? envelope.encoded() else { return }
        table.asked(way, at: latest, isPing: isPing)
        actions.append(.send(octets, way: way))
    }

    // MARK: Requests

    private func number(of id: Int64) -> Int? { order.first { requests[$0]?.id == id } }

    private mutating func remove(_ number: Int) {
        requests[number] = nil
        order.removeAll { $0 == number }
        // The device skips what the client has given up when the next request says so.
        if let first = order.first, requests[first]?.id != nil { requests[first]?.next = latest }
    }

    private mutating func fail(_ number: Int, _ reason: LinkRequestError.Reason) {
        guard let request = requests[number] else { return }
        remove(number)
        events.append(.failed(number, LinkRequestError(request.stage, reason)))
    }

    private mutating func accept(_ id: Int64) {
        guard let number = number(of: id), requests[number]!.stage == .sent else { return }
        requests[number]!.stage = .accepted
        requests[number]!.next = latest + Self.acceptedPause
        events.append(.accepted(number))
    }

    private mutating func reply(_ envelope: LinkEnvelope) {
        guard let number = number(of: envelope.id) else { return }
        requests[number] = nil
        order.removeAll { $0 == number }
        // The device skips what the client has given up between the two.
        if let next = order.first, let id = requests[next]?.id, id != envelope.id + 1 { requests[next]!.next = latest }
        events.append(.replied(number, envelope.error.map { .failure($0) } ?? .success(envelope.args)))
    }

    private mutating func refused(_ envelope: LinkEnvelope) {
        // A busy device has carried out nothing; the request is repeated.
        guard envelope.op != "busy" else { return }
        let reason: LinkRequestError.Reason = envelope.op == "restarted" ? .deviceRestarted : .forgotten
        session = nil
        nonce += 1
        for number in order where requests[number]!.id != nil { fail(number, reason) }
        if let active { greet(active) }
    }

    // MARK: Events of the device

    private mutating func receive(event: LinkEnvelope, _ way: Int) {
        guard let op = event.op, event.id > seen, event.first <= event.id else { return }
        if event.first > seen + 1 {
            // The device no longer has the events before.
            events.append(.missedEvents(Int(event.first - seen - 1)))
            seen = event.first - 1
            heldEvents = heldEvents.filter { $0.key > event.first - 1 }
        }
        if event.id - seen <= Int64(LinkDevice<Int>.mostEvents) { heldEvents[event.id] = (op, event.args) }
        while let next = heldEvents.removeValue(forKey: seen + 1) {
            seen += 1
            events.append(.event(op: next.op, args: next.args))
        }
        guard !heldEvents.isEmpty, lastGapPing.map({ $0 + Self.gapPause <= latest }) ?? true else { return }
        lastGapPing = latest
        greet(way)
    }
}
