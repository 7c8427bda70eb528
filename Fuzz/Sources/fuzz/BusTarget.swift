import BLETransport
import BLEWire
import Glibc

@testable import SystemBus

/// A client of a bus (D-Bus): one message, and a session with a hostile bus, with calls of the owner and time between its octets.
enum BusTarget {
    static func run(_ input: inout Input) {
        switch input.octet() % 3 {
        case 0: checkMessage(input.rest())
        case 1: checkSession(&input)
        default: checkParts(input.rest())
        }
    }

    private static func checkMessage(_ octets: [UInt8]) {
        guard let message = try? BusMessage(decoding: octets.span), message.kind != .unknown else { return }
        guard let encoded = try? message.encoded(), let again = try? BusMessage(decoding: encoded.span) else {
            fatalError("a message does not decode again")
        }
        require(again == message, "a message has two forms")
        _ = BusObjectChange(message)
        _ = message.body.first?.managedObjects
    }

    // MARK: The session

    private static func start(_ choice: UInt8) -> BusSession {
        var session = BusSession(user: 1000)
        session.start(at: .zero)
        guard choice & 1 == 0 else { return session }
        let octets = Array("OK 0123\r\n\(choice & 2 == 0 ? "AGREE_UNIX_FD" : "ERROR")\r\n".utf8)
        session.receive(octets.span, at: .zero)
        guard choice & 4 == 0 else { return session }
        var hello = BusMessage(.reply, serial: 1)
        (hello.replySerial, hello.body, hello.sender) = (1, [.string(":1.7")], "org.freedesktop.DBus")
        receive(hello, &session, at: .zero)
        require(session.uniqueName == ":1.7", "no name")
        return session
    }

    private static func receive(_ message: BusMessage, _ session: inout BusSession, at now: Instant) {
        guard let octets = try? message.encoded() else { return }
        session.receive(octets.span, descriptors: message.descriptors, at: now)
    }

    private static func checkSession(_ input: inout Input) {
        var session = start(input.octet())
        var now = Instant.zero
        var open: Set<UInt64> = []
        var numbers: [UInt64] = []
        var tokens: [UInt64] = []
        var steps = 0
        while !input.isAtEnd, steps < 300 {
            steps += 1
            let what = input.octet()
            switch what % 12 {
            case 0:
                now += .seconds(Int(what))
                session.handleTimeout(at: now)
                require(session.deadline.map { $0 > now } ?? true, "a deadline has passed")
            case 1:
                let number = session.call(call(what), timeout: .seconds(Int(what & 31)), at: now)
                open.insert(number)
            case 2: numbers.append(session.subscribe(match(what), at: now))
            case 3: if let number = numbers.popLast() { session.unsubscribe(number) }
            case 4: numbers.append(session.watchName(input.one(of: ["a.b", ":1.3", "a"]), at: now))
            case 5: if let number = numbers.popLast() { session.unwatchName(number) }
            case 6: session.export("/a", ["a.b": ["Do"], "a.c": ["Do", "Undo"]])
            case 7:
                if let token = tokens.popLast() {
                    if what & 64 == 0 { session.reply(token, [.byte(what)]) } else { session.fail(token, "a", "b") }
                }
            case 8: take(&session)
            case 9: session.receive(input.take(Int(what)).span, descriptors: descriptors(what), at: now)
            default: receive(message(what, &input), &session, at: now)
            }
            check(session.takeEvents(), &open, &tokens, session)
            require(session.unfinishedOctets <= BusMessage.longest, "the session holds too much input")
            require(session.outputOctets <= BusSession.Limit.output + BusMessage.longest, "too much output")
            if session.end != nil { require(session.deadline == nil, "an end has a deadline") }
        }
        session.close(.closed)
        check(session.takeEvents(), &open, &tokens, session)
        require(open.isEmpty, "a call has no end")
    }

    private static func descriptors(_ what: UInt8) -> [Descriptor] {
        what & 0x80 == 0 ? [] : (0..<Int(what & 3)).map { _ in Descriptor(dup(0), kind: .file) }
    }

    private static func call(_ what: UInt8) -> BusMessage {
        .call(
            what & 32 == 0 ? "a.b" : ":1.3", "/", "a.b", what & 64 == 0 ? "Do" : "1", [.byte(what)],
            descriptors: descriptors(what))
    }

    private static func match(_ what: UInt8) -> BusMatch {
        BusMatch(
            sender: what & 64 == 0 ? "a.b" : what & 128 == 0 ? ":1.3" : nil, path: what & 16 == 0 ? "/a" : nil,
            interface: what & 32 == 0 ? "a.b" : nil)
    }

    /// A message that mostly has a valid form.
    private static func message(_ what: UInt8, _ input: inout Input) -> BusMessage {
        var message = BusMessage([.call, .reply, .error, .signal][Int(what >> 6)], serial: 1)
        message.sender = input.one(of: [":1.3", "org.freedesktop.DBus", ":1.4", nil])
        message.replySerial = UInt32(input.octet())
        message.path = input.one(of: ["/a", "/org/freedesktop/DBus", "/"])
        message.interface = input.one(of: ["a.b", "org.freedesktop.DBus", "org.freedesktop.DBus.Peer", nil])
        message.member = input.one(of: ["Do", "NameOwnerChanged", "Ping", "Undo"])
        message.errorName = "a.b"
        message.isReplyExpected = what & 32 == 0
        let text = BusValue.string(input.one(of: ["a.b", ":1.3", "", "x"]))
        message.body = [text, .string(""), .string(input.one(of: [":1.3", ":1.4", ""]))]
        message.descriptors = descriptors(input.octet())
        return message
    }

    /// What the session sends is text or valid messages.
    private static func take(_ session: inout BusSession) {
        while let output = session.takeOutput() {
            session.wrote(output.octets.count)
            var rest = output.octets[...]
            while rest.first != 0x6C, let end = rest.firstIndex(of: 0x0A) { rest = rest[(end + 1)...] }
            while !rest.isEmpty {
                let octets = Array(rest)
                guard let length = try? BusMessage.length(of: octets.span), length <= octets.count,
                    (try? BusMessage(
                        decoding: octets.span.extracting(first: length), descriptors: output.descriptors)) != nil
                else { fatalError("the session sends no message") }
                rest = rest.dropFirst(length)
            }
        }
    }

    private static func check(
        _ events: [BusEvent], _ open: inout Set<UInt64>, _ tokens: inout [UInt64], _ session: BusSession
    ) {
        for (index, event) in events.enumerated() {
            switch event {
            case .answer(let number, _): require(open.remove(number) != nil, "a call ends twice")
            case .call(_, let token?): tokens.append(token)
            case .signal(_, let numbers): require(!numbers.isEmpty, "a signal for nobody")
            case .ended:
                require(index == events.count - 1 && session.end != nil && open.isEmpty, "an event follows the end")
            case .ready, .subscribed, .owner, .call: break
            }
        }
        require(tokens.count <= 512, "too many calls wait")
    }

    /// What happens does not depend on the division of the octets into reads.
    private static func checkParts(_ octets: [UInt8]) {
        func run(_ size: Int) -> String {
            var session = start(octets.first ?? 0)
            session.export("/a", ["a.b": ["Do"]])
            _ = session.subscribe(BusMatch(), at: .zero)
            for start in stride(from: 0, to: octets.count, by: size) {
                session.receive(Array(octets[start...].prefix(size)).span, at: .zero)
            }
            let output = session.takeOutput()?.octets ?? []
            return "\(session.takeEvents()) \(output)"
        }
        require(run(max(1, octets.count)) == run(1), "the events depend on the reads")
    }
}
