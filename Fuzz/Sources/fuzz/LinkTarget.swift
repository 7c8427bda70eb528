import BLEWire
import MQTTClient
import NoiseChannel

@testable import DeviceLink

/// A link to a device: envelopes, both secure channels, both ends as values, and a bus over a broker that lies.
enum LinkTarget {
    static func run(_ input: inout Input) {
        switch input.octet() % 6 {
        case 0: checkEnvelope(input.rest())
        case 1: checkStream(&input)
        case 2: checkDatagrams(&input)
        case 3: checkDevice(&input)
        case 4: checkClient(&input)
        default: checkBroker(&input)
        }
    }

    private static func key() -> LinkKey {
        guard let key = PreSharedKey(octets: [UInt8](repeating: 1, count: 32)) else { fatalError("no key") }
        return LinkKey(key)
    }

    // MARK: Envelopes

    /// What decodes has to encode, and to decode again to the same envelope.
    private static func checkEnvelope(_ octets: [UInt8]) {
        if let value = try? LinkValue(json: octets) {
            guard let again = try? LinkValue(json: Array(value.json.utf8)) else {
                fatalError("a value does not decode again")
            }
            require(again == value, "a value has two forms")
        }
        guard let envelope = try? LinkEnvelope(decoding: octets) else { return }
        guard let encoded = try? envelope.encoded(), let again = try? LinkEnvelope(decoding: encoded) else {
            fatalError("an envelope does not decode again")
        }
        require(again == envelope, "an envelope has two forms")
    }

    // MARK: Channels

    /// Frames of a client, recorded, changed, cut and repeated: the device takes a beginning of what was sent.
    private static func checkStream(_ input: inout Input) {
        var random = SeededRandom(seed: 1)
        var client = SecureStream(isClient: true, key: key(), ephemeralKey: EphemeralKey(using: &random))
        var device = SecureStream(isClient: false, key: key(), ephemeralKey: EphemeralKey(using: &random))
        client.start()
        if input.octet() & 1 == 0 {
            _ = try? device.receive(client.takeOutgoing())
            _ = try? client.receive(device.takeOutgoing())
        }
        var sent: [[UInt8]] = []
        var frames: [[UInt8]] = [client.takeOutgoing()]
        var received: [[UInt8]] = []
        var hasFailed = false
        while !input.isAtEnd, frames.count < 100 {
            let what = input.octet()
            var octets: [UInt8] = []
            switch what % 5 {
            case 0:
                let envelope = input.take(Int(what >> 4))
                if client.isReady { sent.append(envelope) }
                client.send(envelope)
                frames.append(client.takeOutgoing())
                octets = frames[frames.count - 1]
            case 1: octets = frames[input.below(frames.count)]
            case 2:
                octets = frames[input.below(frames.count)]
                if !octets.isEmpty { octets[input.below(octets.count)] ^= input.octet() }
            case 3: octets = Array(frames[input.below(frames.count)].prefix(input.below(64)))
            default: octets = input.block()
            }
            do throws(LinkChannelError) {
                received += try device.receive(octets)
                require(!hasFailed, "a channel that failed goes on")
            } catch {
                hasFailed = true
            }
            _ = try? client.receive(device.takeOutgoing())
        }
        require(received == Array(sent.prefix(received.count)), "a channel brings what was not sent")
    }

    /// Datagrams of two clients, recorded, changed, repeated and from other places: the device takes each one once.
    private static func checkDatagrams(_ input: inout Input) {
        var server = DatagramServer<UInt8>(key: key())
        var clients = [DatagramClient(key: key()), DatagramClient(key: key())]
        var recorded = clients.compactMap(\.greeting)
        var sent: Set<[UInt8]> = []
        var received: Set<[UInt8]> = []
        var now = Duration.zero
        var steps = 0
        while !input.isAtEnd, steps < 200 {
            steps += 1
            let what = input.octet()
            var datagram: [UInt8] = []
            switch what % 6 {
            case 0:
                // Each envelope is another one.
                let envelope = [UInt8(truncatingIfNeeded: steps), what] + input.take(3)
                guard let sealed = clients[input.below(2)].seal(envelope) else { continue }
                sent.insert(envelope)
                recorded.append(sealed)
                datagram = sealed
            case 1: datagram = recorded[input.below(recorded.count)]
            case 2:
                datagram = recorded[input.below(recorded.count)]
                datagram[input.below(datagram.count)] ^= input.octet()
            case 3: now += .milliseconds(Int(what) * 10)
            case 4: datagram = [what >> 4] + input.block()
            default: datagram = DatagramClient(key: key()).greeting ?? []
            }
            let (result, answer) = server.receive(datagram, from: input.octet(), at: now)
            if let result {
                require(sent.contains(result.envelope), "a device brings what was not sent")
                require(received.insert(result.envelope).inserted, "an envelope arrives twice")
                if let (_, reply) = server.seal([7], to: result.client) { recorded.append(reply) }
            }
            if let answer {
                require(answer.count <= datagram.count, "an answer is longer than its greeting")
                recorded.append(answer)
                for index in clients.indices { _ = clients[index].receive(answer) }
            }
            for index in clients.indices { _ = clients[index].receive(datagram) }
            let most = DatagramServer<UInt8>.mostConfirmed + DatagramServer<UInt8>.mostUnconfirmed
            require(server.connectionCount <= most, "\(server.connectionCount) connections")
        }
    }

    // MARK: Ends

    private static func envelope(_ input: inout Input, sessions: [String]) -> [UInt8] {
        var envelope = LinkEnvelope(input.one(of: LinkEnvelope.Kind.allCases), target: "lamp", id: Int64(input.octet()))
        if !sessions.isEmpty { envelope.session = sessions[input.below(sessions.count)] }
        envelope.first = Int64(input.octet())
        envelope.seen = Int64(input.octet())
        envelope.op = input.octet() & 7 == 0 ? nil : ["a", "restarted", "forgotten", "busy"][input.below(4)]
        return (try? envelope.encoded()) ?? []
    }

    /// A device with hostile clients: it carries out the requests of a session in order, and its memory has a bound.
    private static func checkDevice(_ input: inout Input) {
        guard var device = LinkDevice<UInt8>(identifier: "lamp", run: 1) else { fatalError("the name is valid") }
        var sessions = ["1-1", "2-1"]
        var last: [String: Int64] = [:]
        var running: [LinkDevice<UInt8>.Request] = []
        var now = Duration.zero
        var steps = 0
        while !input.isAtEnd, steps < 200 {
            steps += 1
            let what = input.octet()
            switch what % 8 {
            case 0: now += .seconds(Int(what))
            case 1: try? device.send(event: "e", .integer(Int64(what)))
            case 2 where !running.isEmpty:
                let request = running.remove(at: input.below(running.count))
                device.finish(request, with: what & 0x40 == 0 ? .success(.null) : .failure(LinkError("e", "m")))
            case 3: device.receive(input.block(), from: what, at: now)
            default: device.receive(envelope(&input, sessions: sessions), from: what & 3, at: now)
            }
            for request in device.takeRequests() {
                require(last[request.session].map { $0 < request.id } ?? true, "a request is carried out again")
                last[request.session] = request.id
                running.append(request)
            }
            let outgoing = device.takeOutgoing()
            require(outgoing.count <= 64 * LinkDevice<UInt8>.mostSessions, "\(outgoing.count) envelopes in one step")
            for message in outgoing {
                guard let answer = try? LinkEnvelope(decoding: message.octets) else {
                    fatalError("a device sends what does not decode")
                }
                guard answer.kind == .welcome, let session = answer.session, sessions.count < 40 else { continue }
                sessions.append(session)
            }
            require(device.sessionCount <= LinkDevice<UInt8>.mostSessions, "\(device.sessionCount) sessions")
        }
    }

    /// A client with a hostile device: each request ends once.
    private static func checkClient(_ input: inout Input) {
        var client = LinkClient(target: "lamp", ways: 2, seed: 1)
        client.start(at: .zero)
        var ended: Set<Int> = []
        var submitted = 0
        var now = Duration.zero
        var steps = 0
        while !input.isAtEnd, steps < 200 {
            steps += 1
            let what = input.octet()
            let way = Int(what >> 7)
            switch what % 8 {
            case 0:
                now += .milliseconds(Int(what) * 100)
                for _ in 0..<200 where client.deadline.map({ $0 <= now }) == true { client.handleTimeout(at: now) }
                require(client.deadline.map { $0 > now } ?? true, "a deadline repeats at one instant")
            case 1: if (try? client.submit("a", .integer(1), at: now)) != nil { submitted += 1 }
            case 2: client.opened(way, at: now)
            case 3: client.broke(way, at: now)
            case 4: client.receive(input.block(), from: way, at: now)
            default: client.receive(envelope(&input, sessions: ["1-1", "1-2"]), from: way, at: now)
            }
            for event in client.takeEvents() {
                switch event {
                case .replied(let number, _), .failed(let number, _):
                    require(number < submitted && ended.insert(number).inserted, "a request ends twice")
                default: break
                }
            }
            _ = client.takeActions()
        }
        client.close(at: now)
        for event in client.takeEvents() {
            if case .failed(let number, _) = event { require(ended.insert(number).inserted, "a request ends twice") }
        }
        require(ended.count == submitted, "\(submitted - ended.count) requests never end")
    }

    // MARK: The broker

    /// A bus over a broker that says anything at any time.
    private static func checkBroker(_ input: inout Input) {
        var session = BrokerSession()
        var random = SeededRandom(seed: 1)
        let topics = ["a/b", "a/+", "+/b", "#", "a/#", "", "$SYS/a", "a//b", String(repeating: "/", count: 9)]
        var filters: [Int: String] = [:]
        var states: [Int: TopicBusState] = [:]
        var now = Duration.zero
        var steps = 0
        while !input.isAtEnd, steps < 200 {
            steps += 1
            let what = input.octet()
            switch what % 10 {
            case 0, 1:
                let filter = input.one(of: topics)
                filters[session.subscribe(to: filter, at: now)] = filter
            case 2:
                if let number = filters.keys.sorted().first { session.unsubscribe(number, at: now) }
                filters[filters.keys.sorted().first ?? 0] = nil
            case 3: session.publish(input.take(Int(what)), to: input.one(of: topics))
            case 4: session.connected(at: now)
            case 5: session.disconnected("gone", at: now, using: &random)
            case 6: session.subscribed(input.one(of: topics), refusal: what & 0x80 == 0 ? nil : "no")
            case 7: session.published(UInt64(input.octet()))
            case 8:
                session.received(
                    MQTTMessage(topic: input.one(of: topics), payload: input.block(), isRetained: what & 0x80 != 0))
            default:
                now += .seconds(Int(what))
                session.handleTimeout(at: now, using: &random)
            }
            for action in session.takeActions() {
                switch action {
                case .message(let number, let topic, _):
                    require(
                        filters[number].map { MQTTTopic.matches(topic, filter: $0) } ?? false,
                        "a message for no subscription")
                case .state(let number, let state):
                    require(filters[number] != nil && states[number] != state, "a state without a change")
                    states[number] = state
                case .publish(let message, _): require(message.topic.utf8.count <= 256, "a topic is too long")
                default: break
                }
            }
            require(session.waitingCount <= BrokerSession.mostPublications, "\(session.waitingCount) publications")
            if case nil = session.deadline { require(!session.isConnected || !filters.isEmpty, "a connection stays") }
        }
    }
}
