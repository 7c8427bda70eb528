import BLEWire

@testable import MQTTClient

/// A client of an MQTT broker: packets of a hostile one, with calls of the owner and time between them.
enum BrokerTarget {
    static func run(_ input: inout Input) {
        if input.octet() & 1 == 0 { checkSession(&input) } else { checkParts(&input) }
    }

    private static func session(_ choice: UInt8) -> MQTTSession {
        var configuration = MQTTConfiguration(host: "broker", port: 1883, clientIdentifier: "c")
        configuration.version = choice & 1 == 0 ? .v5 : .v311
        if choice & 2 != 0 { configuration.sessionExpiry = 60 }
        var session = MQTTSession(configuration, at: .zero)
        session.opened(at: .zero)
        if choice & 4 != 0 {
            let octets: [UInt8] = choice & 1 == 0 ? [0x20, 3, 0, 0, 0] : [0x20, 2, 0, 0]
            session.receive(octets.span, at: .zero)
            _ = session.takeEvents()
        }
        return session
    }

    private static func checkSession(_ input: inout Input) {
        var session = session(input.octet())
        var now = Instant.zero
        var steps = 0
        var sent: UInt64 = 0
        var open: Set<UInt64> = []
        while !input.isAtEnd, steps < 300 {
            steps += 1
            let what = input.octet()
            switch what % 8 {
            case 0:
                now += .milliseconds(Int(what) * 100)
                session.handleTimeout(at: now)
                require(session.deadline.map { $0 > now } ?? true, "a deadline has passed")
            case 1:
                let isAccepted = session.isAccepted
                let message = MQTTPublication(
                    topic: what & 0x80 == 0 ? "t" : "t/+", payload: [UInt8](repeating: 0, count: Int(what)),
                    isAcknowledged: what & 0x40 == 0, isRetained: what & 0x20 != 0)
                session.publish(message, number: sent, at: now)
                if isAccepted { open.insert(sent) }
                sent += 1
            case 2: session.subscribe(input.one(of: ["a", "a/#", "#/a", ""]), at: now)
            case 3: session.unsubscribe("a", at: now)
            case 4:
                _ = session.takeOutput()
                session.wrote()
            case 5: session.receive(input.take(Int(what)).span, at: now)
            default: session.receive(packet(what, &input).span, at: now)
            }
            check(session.takeEvents(), &open, session)
            require(session.keptOctets <= 512 * 256, "the session holds what it did not get")
            if session.isEnded { require(session.deadline == nil, "an end has a deadline") }
        }
    }

    /// A packet with the length that it says.
    private static func packet(_ what: UInt8, _ input: inout Input) -> [UInt8] {
        let first = what & 0x80 == 0 ? input.octet() : (what & 0x70) << 1 | 2
        let body = input.take(input.below(128))
        return [first, UInt8(body.count)] + body
    }

    private static func check(_ events: [MQTTEvent], _ open: inout Set<UInt64>, _ session: MQTTSession) {
        for (index, event) in events.enumerated() {
            switch event {
            case .published(let number, _), .postponed(let number, _):
                require(open.remove(number) != nil, "a publication ends twice")
            case .disconnected(let reason):
                require(index == events.count - 1 && session.isEnded, "an event follows the end")
                require(!reason.isEmpty && reason.count < 400, "a reason without words")
            case .received(let message):
                require(MQTTTopic.isName(message.topic), "a topic that is none")
                require(message.payload.count <= MQTTMessage.payloadLimit, "a message is too long")
            case .connected, .subscribed: break
            }
        }
    }

    /// What happens does not depend on the division of the octets into reads.
    private static func checkParts(_ input: inout Input) {
        let choice = input.octet()
        let octets = input.rest()
        func run(_ size: Int) -> ([MQTTEvent], [UInt8]) {
            var session = session(choice)
            _ = session.takeOutput()
            for start in stride(from: 0, to: octets.count, by: size) {
                session.receive(Array(octets[start...].prefix(size)).span, at: .zero)
            }
            return (session.takeEvents(), session.takeOutput())
        }
        let whole = run(max(1, octets.count))
        let parts = run(1)
        require(whole.0 == parts.0 && whole.1 == parts.1, "the events depend on the reads")
    }
}
