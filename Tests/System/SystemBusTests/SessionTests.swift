import BLETransport
import BLEWire
import TestConditions
import Testing

@testable import SystemBus

struct SessionTests {
    private static let timeout = TimeSpan.seconds(25)

    private func call(_ bench: inout SessionBench, to destination: String = "a.b", _ member: String = "Do") -> UInt64 {
        bench.session.call(.call(destination, "/", "a.b", member), timeout: Self.timeout, at: bench.now)
    }

    // MARK: The start

    @Test func theStartIsThatOfTheSpecification() throws {
        var bench = SessionBench()
        #expect(bench.sent() == [])
        #expect(bench.text == "\0AUTH EXTERNAL 31303030\r\n")
        bench.line("OK 0123")
        #expect(bench.sent() == [])
        #expect(bench.text.hasSuffix("\r\nNEGOTIATE_UNIX_FD\r\n"))
        bench.line("AGREE_UNIX_FD")
        let hello = try #require(bench.sent().first)
        #expect(bench.text.hasSuffix("\r\nBEGIN\r\n"))
        #expect(hello.member == "Hello")
        #expect(hello.destination == "org.freedesktop.DBus")
        #expect(bench.session.uniqueName == nil)
        try bench.reply(to: hello, [.string(":1.7")])
        #expect(bench.events() == ["ready :1.7"])
        #expect(bench.session.uniqueName == ":1.7")
        #expect(bench.session.deadline == nil)
    }

    @Test func linesMayComeInPartsAndWithMessages() throws {
        var bench = SessionBench()
        for octet in Array("OK 0123\r\nAGREE_UNIX_FD\r\n".utf8) { bench.receive([octet]) }
        #expect(bench.sent().map(\.member) == ["Hello"])
        #expect(bench.session.end == nil)
    }

    @Test(arguments: ["REJECTED EXTERNAL", "ERROR", "DATA"]) func aBusThatRefusesEndsTheSession(_ line: String) {
        var bench = SessionBench()
        bench.line(line)
        #expect(bench.session.end == .refused)
        #expect(bench.events() == ["ended: \(BusCallError.refused)"])
    }

    @Test(arguments: [
        ["HELLO\r\n"], ["OK\n"], ["OK 1\r\n", "REJECTED\r\n"], ["O\0K\r\n"], ["ÖK\r\n"], ["\r\n"],
        [String(repeating: "x", count: 2000)], [String(repeating: "x", count: 2000) + "\r\n"],
    ])
    func linesOfNoFormEndTheSession(_ lines: [String]) {
        var bench = SessionBench()
        for line in lines { bench.receive(Array(line.utf8)) }
        #expect(bench.session.end == .violation("an unknown line during authentication"))
    }

    @Test func aBusThatIsSilentEndsTheSession() {
        var bench = SessionBench()
        #expect(bench.session.deadline == Instant.zero + BusSession.Limit.start)
        bench.session.handleTimeout(at: .zero + BusSession.Limit.start - .nanoseconds(1))
        #expect(bench.session.end == nil)
        bench.session.handleTimeout(at: .zero + BusSession.Limit.start)
        #expect(bench.session.end == .silent)
        #expect(bench.session.deadline == nil)
    }

    /// The time to connect does not count.
    @Test func theTimeToTheNameBeginsWithTheConnection() {
        var session = BusSession(user: 1000)
        #expect(session.deadline == nil)
        session.handleTimeout(at: .zero + .seconds(60))
        session.start(at: .zero + .seconds(60))
        #expect(session.deadline == Instant.zero + .seconds(60) + BusSession.Limit.start)
        #expect(session.end == nil)
    }

    @Test func wordsOfPeersCannotRewriteALine() {
        let error = BusCallError.error("a.b.Error", "a\u{1B}[2K\r\nb\u{202E}c\u{2028}d")
        #expect("\(error)" == "a.b.Error: a [2K  b c d")
        let long = BusCallError.error("a.b.Error", String(repeating: "x", count: 10_000))
        #expect("\(long)".count == "a.b.Error: ".count + BusCallError.wordLimit)
    }

    @Test func helloNeedsAUniqueName() throws {
        for values: [BusValue] in [[], [.string("org.x")], [.byte(1)]] {
            var bench = SessionBench()
            bench.authenticate(passesDescriptors: true)
            let hello = try #require(bench.sent().first)
            try bench.reply(to: hello, values)
            #expect(bench.session.end == .violation("no unique name"))
        }
    }

    @Test func callsWaitForTheStart() throws {
        var bench = SessionBench()
        let descriptor = Descriptor(dup(0), kind: .file)
        let first = call(&bench)
        let passing = bench.session.call(
            .call("a.b", "/", "a.b", "Pass", [.descriptor(0)], descriptors: [descriptor]), timeout: Self.timeout,
            at: bench.now)
        _ = call(&bench, "Last")
        #expect(bench.sent() == [])
        bench.authenticate(passesDescriptors: false)
        // Nothing follows Hello before its answer: dbus-daemon reads what follows the authentication closely without descriptors.
        let sent = bench.sent()
        #expect(sent.map(\.member) == ["Hello"])
        try bench.reply(to: sent[0], [.string(":1.7")])
        #expect(bench.sent().map(\.member) == ["Do", "Last"])
        #expect(bench.events() == ["ready :1.7", "answer \(passing) \(BusCallError.noDescriptors)"])
        #expect(first != passing)
    }

    @Test func whatWaitsForTheStartDoesNotStopIt() throws {
        var bench = SessionBench()
        try bench.session.send(.signal("/", "a.b", "C", [.octets([UInt8](repeating: 0, count: 2 << 20))]))
        #expect(bench.session.isAboveMark)
        #expect(bench.session.wantsInput)
        bench.authenticate(passesDescriptors: true)
        try bench.reply(to: try #require(bench.sent().first), [.string(":1.7")])
        #expect(!bench.session.wantsInput)
        #expect(bench.sent().map(\.member) == ["C"])
        #expect(bench.session.wantsInput)
    }

    // MARK: Calls

    @Test func answersFindTheirCalls() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let (first, second) = (call(&bench, "One"), call(&bench, "Two"))
        let sent = bench.sent()
        #expect(sent.map(\.member) == ["One", "Two"])
        try bench.fail(sent[1], "a.b.Error", from: ":1.3")
        try bench.reply(to: sent[0], from: ":1.3", [.string("x")])
        #expect(bench.events() == ["answer \(second) a.b.Error: No.", "answer \(first) [\"x\"]"])
        // A second answer to the same call, and one to no call.
        try bench.reply(to: sent[0], from: ":1.3")
        var stray = sent[0]
        stray.serial = 999
        try bench.reply(to: stray, from: ":1.3")
        #expect(bench.events() == [])
        #expect(bench.session.end == nil)
    }

    @Test func onlyTheCalledConnectionAnswers() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let number = call(&bench, to: ":1.3")
        let sent = try #require(bench.sent().first)
        try bench.reply(to: sent, from: ":1.4")
        #expect(bench.events() == [])
        try bench.reply(to: sent, from: ":1.3")
        #expect(bench.events() == ["answer \(number) []"])
        // The bus answers for a connection that is gone.
        let other = call(&bench, to: ":1.3")
        let second = try #require(bench.sent().first)
        try bench.fail(second, "org.freedesktop.DBus.Error.NoReply")
        #expect(bench.events() == ["answer \(other) org.freedesktop.DBus.Error.NoReply: No."])
    }

    @Test func aCallHasADeadline() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let late = bench.session.call(.call("a.b", "/", "a.b", "A"), timeout: .seconds(2), at: bench.now)
        let early = bench.session.call(.call("a.b", "/", "a.b", "B"), timeout: .seconds(1), at: bench.now)
        #expect(bench.session.deadline == Instant.zero + .seconds(1))
        bench.session.handleTimeout(at: .zero + .seconds(1))
        #expect(bench.events() == ["answer \(early) \(BusCallError.timeout)"])
        #expect(bench.session.deadline == Instant.zero + .seconds(2))
        let sent = bench.sent()
        try bench.reply(to: sent[1], from: ":1.3")
        #expect(bench.events() == [], "an answer that is too late")
        try bench.reply(to: sent[0], from: ":1.3")
        #expect(bench.events() == ["answer \(late) []"])
        #expect(bench.session.deadline == nil)
    }

    /// The answer to Hello ends the session, and the other calls of the same instant have an end before.
    @Test func callsThatEndWithTheSessionHaveOneEnd() throws {
        var bench = SessionBench()
        let number = bench.session.call(.call("a.b", "/", "a.b", "A"), timeout: BusSession.Limit.start, at: bench.now)
        let late = call(&bench)
        let subscription = bench.session.subscribe(BusMatch(), at: bench.now)
        bench.session.handleTimeout(at: .zero + BusSession.Limit.start)
        #expect(
            bench.events() == [
                "answer \(number) \(BusCallError.timeout)", "answer \(late) \(BusCallError.silent)",
                "subscribed \(subscription) \(BusCallError.silent)", "ended: \(BusCallError.silent)",
            ])
    }

    @Test func aBusThatDoesNotAnswerItsOwnCallsEndsTheSession() throws {
        var bench = try SessionBench(passesDescriptors: true)
        _ = bench.session.watchName("org.bluez", at: bench.now)
        let subscription = bench.session.subscribe(BusMatch(), at: bench.now)
        bench.session.handleTimeout(at: .zero + .seconds(25))
        let events = bench.events()
        #expect(events == ["subscribed \(subscription) \(BusCallError.silent)", "ended: \(BusCallError.silent)"])
    }

    @Test func anErrorOfHelloEndsTheSession() throws {
        var bench = SessionBench()
        bench.authenticate(passesDescriptors: true)
        try bench.fail(try #require(bench.sent().first), "a.b.Error")
        #expect(bench.session.end == .broken("a.b.Error: No."))
    }

    @Test(
        arguments: [
            .noBus("/a", "b"), .refused, .silent, .broken("a"), .violation("a message that is too long"),
        ] as [BusCallError])
    func theReasonOfAnEndEndsWithTheCommandThatHelps(_ reason: BusCallError) {
        let commands = ["sudo apt-get install dbus", "sudo journalctl -u dbus", "systemctl status dbus"]
        #expect(commands.contains { "\(reason)".hasSuffix($0) })
    }

    @Test func theNumberOfWaitingCallsIsBounded() throws {
        var bench = try SessionBench(passesDescriptors: true)
        for _ in 0..<BusSession.Limit.calls { _ = call(&bench) }
        #expect(!bench.session.hasEvents)
        let refused = call(&bench)
        #expect(bench.events() == ["answer \(refused) \(BusCallError.full)"])
        let sent = bench.sent()
        #expect(sent.count == BusSession.Limit.callsAtBus)
        #expect(Set(sent.map(\.serial)).count == sent.count)
        try bench.reply(to: sent[0], from: ":1.3")
        _ = bench.events()
        _ = call(&bench)
        #expect(!bench.session.hasEvents)
    }

    /// A bus refuses calls above its own limit, so they wait in the session.
    @Test func callsAboveTheLimitOfTheBusWaitForTheirTurn() throws {
        var bench = try SessionBench(passesDescriptors: true)
        var numbers = (0..<BusSession.Limit.callsAtBus).map { _ in call(&bench) }
        numbers.append(bench.session.call(.call("a.b", "/", "a.b", "Late"), timeout: .seconds(5), at: bench.now))
        numbers.append(call(&bench))
        let sent = bench.sent()
        #expect(sent.count == BusSession.Limit.callsAtBus)
        #expect(bench.session.outputOctets > 0)
        // Calls to the bus and signals do not wait.
        _ = bench.session.subscribe(BusMatch(), at: bench.now)
        try bench.session.send(.signal("/", "a.b", "S"))
        #expect(bench.sent().map(\.member) == ["AddMatch", "S"])
        // A call whose time ends while it waits never leaves.
        bench.session.handleTimeout(at: .zero + .seconds(5))
        #expect(bench.events() == ["answer \(numbers[100]) \(BusCallError.timeout)"])
        try bench.reply(to: sent[7], from: ":1.3")
        #expect(bench.events() == ["answer \(numbers[7]) []"])
        let next = bench.sent()
        #expect(next.map(\.member) == [sent[0].member])
        #expect(bench.session.outputOctets == 0)
        try bench.reply(to: try #require(next.first), from: ":1.3")
        #expect(bench.events() == ["answer \(numbers[101]) []"])
    }

    /// The bus counts a call until its answer, also if the session has given it up.
    @Test func aCallThatWasGivenUpCountsUntilItsAnswer() throws {
        var bench = try SessionBench(passesDescriptors: true)
        for _ in 0..<BusSession.Limit.callsAtBus { _ = call(&bench) }
        let sent = bench.sent()
        bench.session.handleTimeout(at: .zero + Self.timeout)
        #expect(bench.events().count == BusSession.Limit.callsAtBus)
        bench.now = .zero + Self.timeout
        _ = call(&bench)
        #expect(bench.sent() == [])
        try bench.reply(to: sent[0], from: ":1.3")
        #expect(bench.events() == [])
        #expect(bench.sent().count == 1)
    }

    @Test func waitingCallsWithDescriptorsFailWithoutTheirPassing() throws {
        var bench = SessionBench()
        for _ in 0..<BusSession.Limit.callsAtBus { _ = call(&bench) }
        let late = bench.session.call(
            .call("a.b", "/", "a.b", "A", [.descriptor(0)], descriptors: [Descriptor(dup(0), kind: .file)]),
            timeout: Self.timeout, at: bench.now)
        bench.authenticate(passesDescriptors: false)
        try bench.reply(to: try #require(bench.sent().first), [.string(":1.7")])
        _ = bench.events()
        try bench.reply(to: try #require(bench.sent().first), from: ":1.3")
        #expect(bench.events().last == "answer \(late) \(BusCallError.noDescriptors)")
    }

    /// What cannot be read fails its call, and a call of others has an answer.
    @Test func whatIsAboveTheLimitsFailsItsCall() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let numbers = [call(&bench), call(&bench)]
        let sent = bench.sent()
        // 65 variants, and too many values.
        var deep = (0..<65).reduce(into: [UInt8]()) { octets, _ in octets += [1, 0x76, 0] }
        deep += [1, 0x79, 0, 5]
        var many: [UInt8] = []
        let length = UInt32(2 * (BusReader.mostValues + 1))
        for shift in stride(from: 0, to: 32, by: 8) { many.append(UInt8(truncatingIfNeeded: length >> UInt32(shift))) }
        many += [UInt8](repeating: 0, count: Int(length))
        bench.receive(try answer(to: sent[0], "v", deep))
        bench.receive(try answer(to: sent[1], "aq", many))
        #expect(
            bench.events() == [
                "answer \(numbers[0]) \(BusCallError.invalid)", "answer \(numbers[1]) \(BusCallError.tooLong)",
            ])
        bench.session.export("/a", ["a.b": ["Do"]])
        bench.receive(try body(of: callOfOthers, "v", deep))
        bench.receive(try body(of: callOfOthers, "aq", many))
        #expect(
            bench.sent().map(\.errorName)
                == [BusCallError.Name.invalidArguments, BusCallError.Name.limitsExceeded])
        // Signals are dropped, and the session goes on.
        _ = bench.session.subscribe(BusMatch(), at: bench.now)
        var signal = BusMessage.signal("/a", "a.b", "S")
        signal.sender = ":1.9"
        bench.receive(try body(of: signal, "v", deep))
        bench.receive(try body(of: signal, "aq", many))
        #expect(bench.events() == [])
        #expect(bench.session.end == nil)
    }

    private var callOfOthers: BusMessage {
        var call = BusMessage.call(":1.7", "/a", "a.b", "Do")
        call.sender = ":1.9"
        return call
    }

    private func answer(to call: BusMessage, _ signature: String, _ octets: [UInt8]) throws -> [UInt8] {
        var reply = BusMessage(.reply)
        (reply.replySerial, reply.sender) = (call.serial, ":1.3")
        return try body(of: reply, signature, octets)
    }

    /// The octets of a message with a body that the module does not write: a text of as many octets takes its place.
    private func body(of message: BusMessage, _ signature: String, _ octets: [UInt8]) throws -> [UInt8] {
        var message = message
        message.serial = 9
        let codes = Array(signature.utf8)
        // The signature of octets has as many codes.
        message.body = codes.count == 1 ? [.byte(0)] : [.octets([])]
        var header = try message.encoded()
        header.removeLast(codes.count == 1 ? 1 : 4)
        let mark: [UInt8] = codes.count == 1 ? [1, 0x79, 0] : [2, 0x61, 0x79, 0]
        var place = header.count - mark.count
        while !header[place...].starts(with: mark) { place -= 1 }
        header.replaceSubrange((place + 1)..<(place + 1 + codes.count), with: codes)
        for shift in 0..<4 { header[4 + shift] = UInt8(truncatingIfNeeded: octets.count >> (8 * shift)) }
        return header + octets
    }

    @Test func theOctetsForTheBusAreBounded() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let block = BusMessage.signal("/", "a.b", "C", [.octets([UInt8](repeating: 0, count: 1 << 20))])
        #expect(bench.session.wantsInput)
        try bench.session.send(block)
        #expect(bench.session.isAboveMark)
        #expect(!bench.session.wantsInput)
        var sent = 1
        while (try? bench.session.send(block)) != nil { sent += 1 }
        #expect(sent == 8)
        #expect(throws: BusCallError.full) { try bench.session.send(block) }
        let number = call(&bench)
        #expect(bench.events() == ["answer \(number) \(BusCallError.full)"])
        _ = bench.sent()
        #expect(bench.session.outputOctets == 0)
        #expect(bench.session.wantsInput)
    }

    @Test func aMessageOfNoFormIsNotSent() throws {
        var bench = try SessionBench(passesDescriptors: false)
        let number = bench.session.call(.call("a.b", "/", "a.b", "1"), timeout: Self.timeout, at: bench.now)
        let descriptor = Descriptor(dup(0), kind: .file)
        let passing = bench.session.call(
            .call("a.b", "/", "a.b", "D", [.descriptor(0)], descriptors: [descriptor]), timeout: Self.timeout,
            at: bench.now)
        #expect(
            bench.events() == [
                "answer \(number) \(BusCallError.invalid)", "answer \(passing) \(BusCallError.noDescriptors)",
            ])
        #expect(bench.sent() == [])
        #expect(bench.session.deadline == nil)
    }

    @Test func theEndFailsEveryCall() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let number = call(&bench)
        let subscription = bench.session.subscribe(BusMatch(sender: "a.b"), at: bench.now)
        _ = bench.session.watchName("a.c", at: bench.now)
        bench.session.close(.broken("x"))
        let reason = "\(BusCallError.broken("x"))"
        #expect(
            bench.events() == [
                "answer \(number) \(reason)", "subscribed \(subscription) \(reason)", "ended: \(reason)",
            ])
        let later = call(&bench)
        let other = bench.session.subscribe(BusMatch(), at: bench.now)
        #expect(bench.events() == ["answer \(later) \(reason)", "subscribed \(other) \(reason)"])
        bench.session.close(.closed)
        bench.line("x")
        #expect(bench.events() == [])
        #expect(bench.sent() == [])
    }

    // MARK: Hostile octets

    /// Any program of the machine may send a signal, and its body need not be what the client reads.
    @Test func aBodyThatCannotBeReadFailsItsMessageOnly() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let number = call(&bench)
        let sent = try #require(bench.sent().first)
        // A boolean with the value 2.
        func broken(_ message: BusMessage) throws -> [UInt8] {
            var message = message
            (message.serial, message.sender, message.body) = (77, ":1.3", [.bool(true)])
            var octets = try message.encoded()
            octets[octets.count - 4] = 2
            return octets
        }
        bench.receive(try broken(.signal("/", "test.Any", "S")))
        var request = BusMessage(.call)
        (request.path, request.member) = ("/", "Do")
        bench.receive(try broken(request))
        #expect(bench.sent().map(\.errorName) == [BusCallError.Name.invalidArguments])
        #expect(bench.events() == [])
        var reply = BusMessage(.reply)
        reply.replySerial = sent.serial
        bench.receive(try broken(reply))
        #expect(bench.events() == ["answer \(number) \(BusCallError.invalid)"])
        #expect(bench.session.end == nil)
    }

    /// Any program of the machine may send one that the bus passes.
    @Test func aMessageThatIsTooLongIsSkipped() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let number = call(&bench)
        let sent = try #require(bench.sent().first)
        for kind in [BusMessage.Kind.signal, .reply] {
            var message = kind == .signal ? .signal("/", "test.Any", "S") : BusMessage(.reply)
            (message.serial, message.sender) = (77, ":1.3")
            if kind == .reply { message.replySerial = sent.serial }
            var octets = try message.encoded()
            // The body, of 5 MiB.
            octets[6] = 0x50
            bench.receive(octets)
            for _ in 0..<80 { bench.receive([UInt8](repeating: 0x6C, count: 1 << 16)) }
            #expect(bench.session.unfinishedOctets == 0)
        }
        #expect(bench.events() == ["answer \(number) \(BusCallError.tooLong)"])
        try bench.signal("/", "test.Any", "T", from: ":1.3")
        #expect(bench.session.end == nil)
    }

    @Test func aMessageThatNoBusPassesEndsTheSessionBeforeItArrives() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let number = call(&bench)
        bench.receive([0x6C, 2, 0, 1, 0, 0, 0, 8, 1, 0, 0, 0, 8, 0, 0, 0])
        let reason = BusCallError.violation("a message that is too long")
        #expect(bench.session.end == reason)
        #expect(bench.events() == ["answer \(number) \(reason)", "ended: \(reason)"])
        #expect(bench.session.unfinishedOctets == 0)
    }

    @Test func octetsAfterTheEndAreDropped() throws {
        var bench = try SessionBench(passesDescriptors: true)
        bench.receive([UInt8](repeating: 0, count: 16))
        #expect(bench.session.end == .violation("an invalid message"))
        for _ in 0..<10 { bench.receive([UInt8](repeating: 0, count: 1 << 16)) }
        #expect(bench.session.unfinishedOctets == 0)
    }

    /// What happens does not depend on the division of the octets into reads.
    @Test func messagesMayComeInParts() throws {
        var octets: [UInt8] = []
        for index in 0..<50 as Range<UInt32> {
            var signal = BusMessage.signal("/", "a.b", "S", [.string(String(repeating: "x", count: Int(index)))])
            (signal.serial, signal.sender) = (index + 1, ":1.3")
            octets += try signal.encoded()
        }
        for size in [1, 7, 16, 100, 5000] {
            var bench = try SessionBench(passesDescriptors: true)
            let number = bench.session.subscribe(BusMatch(interface: "a.b"), at: bench.now)
            var events: [String] = []
            for start in stride(from: 0, to: octets.count, by: size) {
                bench.receive(Array(octets[start...].prefix(size)))
                events += bench.events()
            }
            #expect(events == Array(repeating: "signal S [\(number)]", count: 50))
        }
    }

    @Test func anAnswerWithTooManyValuesFailsItsCallOnly() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let number = call(&bench)
        let sent = try #require(bench.sent().first)
        let values = [BusValue](repeating: .uint16(0), count: BusReader.mostValues)
        try bench.reply(to: sent, from: ":1.3", [.array("q", values)])
        #expect(bench.events() == ["answer \(number) \(BusCallError.tooLong)"])
        var call = BusMessage(.call)
        (call.path, call.member, call.sender, call.body) = ("/", "Do", ":1.3", [.array("q", values)])
        try bench.receive(call)
        #expect(bench.sent().map(\.errorName) == [BusCallError.Name.limitsExceeded])
        #expect(bench.session.end == nil)
    }

    // MARK: Descriptors

    private func descriptors(_ count: Int) -> [Descriptor] { (0..<count).map { _ in Descriptor(dup(0), kind: .file) } }

    private func passing(_ count: Int, announced: Int? = nil) throws -> [UInt8] {
        var signal = BusMessage.signal("/", "a.b", "S", [.descriptor(0)])
        (signal.serial, signal.sender) = (1, ":1.3")
        signal.descriptors = descriptors(announced ?? count)
        return try signal.encoded()
    }

    @Test func descriptorsGoToTheirMessages() throws {
        var bench = try SessionBench(passesDescriptors: true)
        _ = bench.session.subscribe(BusMatch(interface: "a.b"), at: bench.now)
        let own = descriptors(3)
        // Two messages in one read, and a third in parts.
        bench.receive(try passing(1) + passing(2), own)
        let third = try passing(1)
        let last = descriptors(1)
        bench.receive(Array(third[..<20]), last)
        bench.receive(Array(third[20...]))
        var received: [[Descriptor]] = []
        for case .signal(let message, _) in bench.session.takeEvents() { received.append(message.descriptors) }
        #expect(received == [[own[0]], [own[1], own[2]], last])
    }

    @Test func descriptorsThatNobodyTakesAreClosed() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let number = dup(0)
        var pass: Descriptor? = Descriptor(number, kind: .file)
        weak let released = pass
        // Without a subscription the signal is dropped.
        if let pass { bench.receive(try passing(1), [pass]) }
        pass = nil
        #expect(released == nil)
        #expect(bench.session.end == nil)
        #expect(!bench.session.hasEvents)
    }

    @Test func descriptorsThatAreNotAnnouncedEndTheSession() throws {
        var bench = try SessionBench(passesDescriptors: true)
        bench.receive(try passing(1), descriptors(2))
        #expect(bench.session.end == .violation("file descriptors without a message"))
    }

    @Test func announcedDescriptorsThatAreMissingEndTheSession() throws {
        var bench = try SessionBench(passesDescriptors: true)
        bench.receive(try passing(2), descriptors(1))
        #expect(bench.session.end == .violation("an invalid message"))
    }

    @Test func theNumberOfWaitingDescriptorsIsBounded() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let octets = try passing(1)
        bench.receive(Array(octets[..<1]), descriptors(250))
        #expect(bench.session.end == nil)
        bench.receive(Array(octets[1..<2]), descriptors(4))
        #expect(bench.session.end == .violation("too many file descriptors"))
    }

    @Test func aMessageWithDescriptorsIsWrittenByItself() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let own = descriptors(1)
        try bench.session.send(.signal("/", "a.b", "A"))
        var passing = BusMessage.signal("/", "a.b", "B", [.descriptor(0)])
        passing.descriptors = own
        try bench.session.send(passing)
        try bench.session.send(.signal("/", "a.b", "C"))
        try bench.session.send(.signal("/", "a.b", "D"))
        let parts = [bench.session.takeOutput(), bench.session.takeOutput(), bench.session.takeOutput()]
        #expect(parts.map { $0?.descriptors } == [[], own, []])
        #expect(bench.session.takeOutput()?.octets == nil)
    }
}
