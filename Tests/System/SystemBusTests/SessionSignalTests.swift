import BLETransport
import BLEWire
import Testing

@testable import SystemBus

struct SessionSignalTests {
    // MARK: Rules

    private func rules(_ messages: [BusMessage]) -> [String] {
        messages.map { "\($0.member ?? "") \($0.body.first?.text ?? "")" }
    }

    @Test func aRuleIsAddedOnceAndRemovedWithItsLastUse() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let match = BusMatch(sender: ":1.3", path: "/a")
        let first = bench.session.subscribe(match, at: bench.now)
        let second = bench.session.subscribe(match, at: bench.now)
        let sent = bench.sent()
        #expect(rules(sent) == ["AddMatch \(match.rule)"])
        #expect(bench.events() == [])
        try bench.reply(to: sent[0])
        #expect(bench.events() == ["subscribed \(first) ", "subscribed \(second) "])
        let third = bench.session.subscribe(match, at: bench.now)
        #expect(bench.events() == ["subscribed \(third) "])
        try bench.signal("/a", "a.b", "S", from: ":1.3")
        try bench.signal("/a", "a.b", "S", from: ":1.4")
        try bench.signal("/b", "a.b", "S", from: ":1.3")
        #expect(bench.events() == ["signal S [\(first), \(second), \(third)]"])
        bench.session.unsubscribe(first)
        bench.session.unsubscribe(first)
        bench.session.unsubscribe(third)
        #expect(bench.sent() == [])
        bench.session.unsubscribe(second)
        let removal = bench.sent()
        #expect(rules(removal) == ["RemoveMatch \(match.rule)"])
        #expect(removal.map(\.isReplyExpected) == [false])
        try bench.signal("/a", "a.b", "S", from: ":1.3")
        #expect(bench.events() == [])
    }

    @Test func anAnswerToARemovedRuleDoesNotConfirmItsSuccessor() throws {
        var bench = try SessionBench(passesDescriptors: true)
        bench.session.unsubscribe(bench.session.subscribe(BusMatch(), at: bench.now))
        let again = bench.session.subscribe(BusMatch(), at: bench.now)
        let sent = bench.sent()
        #expect(sent.map(\.member) == ["AddMatch", "RemoveMatch", "AddMatch"])
        try bench.reply(to: sent[0])
        #expect(bench.events() == [])
        try bench.reply(to: sent[2])
        #expect(bench.events() == ["subscribed \(again) "])
    }

    @Test func aRefusedRuleEndsItsSubscriptions() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let number = bench.session.subscribe(BusMatch(), at: bench.now)
        try bench.fail(try #require(bench.sent().first), "a.b.Error")
        #expect(bench.events() == ["subscribed \(number) a.b.Error: No."])
        try bench.signal("/a", "a.b", "S", from: ":1.3")
        #expect(bench.events() == [])
        #expect(bench.session.end == nil)
    }

    @Test func theNumberOfSubscriptionsIsBounded() throws {
        var bench = try SessionBench(passesDescriptors: true)
        for index in 0..<BusSession.Limit.subscriptions {
            _ = bench.session.subscribe(BusMatch(path: "/a\(index)"), at: bench.now)
        }
        let refused = bench.session.subscribe(BusMatch(), at: bench.now)
        #expect(bench.events() == ["subscribed \(refused) \(BusCallError.full)"])
        let watch = bench.session.watchName("a.b", at: bench.now)
        #expect(bench.events() == ["owner \(watch) -"])
        let invalid = BusMatch(argument: "\0")
        var other = try SessionBench(passesDescriptors: true)
        let number = other.session.subscribe(invalid, at: other.now)
        #expect(other.events() == ["subscribed \(number) \(BusCallError.invalid)"])
    }

    /// A rule that stays counts at the bus, so that it is removed also above the limit of the output.
    @Test func aRuleIsRemovedAlsoAboveTheLimitOfTheOutput() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let number = bench.session.subscribe(BusMatch(), at: bench.now)
        try bench.reply(to: try #require(bench.sent().first))
        let block = BusMessage.signal("/", "a.b", "C", [.octets([UInt8](repeating: 0, count: 1 << 20))])
        while (try? bench.session.send(block)) != nil {}
        #expect(throws: BusCallError.full) { try bench.session.send(.signal("/", "a.b", "C")) }
        bench.session.unsubscribe(number)
        #expect(bench.sent().last?.member == "RemoveMatch")
    }

    @Test func aWatchAfterTheEndHasNoOwner() {
        var bench = SessionBench()
        bench.session.close(.closed)
        _ = bench.events()
        let number = bench.session.watchName("a.b", at: bench.now)
        #expect(bench.events() == ["owner \(number) -"])
    }

    // MARK: Names

    private func ownerChange(_ bench: inout SessionBench, _ name: String, _ owner: String, from sender: String) throws {
        try bench.signal(
            "/org/freedesktop/DBus", "org.freedesktop.DBus", "NameOwnerChanged",
            [.string(name), .string(""), .string(owner)], from: sender)
    }

    @Test func signalsOfAServiceComeFromItsOwner() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let number = bench.session.subscribe(BusMatch(sender: "org.bluez"), at: bench.now)
        let sent = bench.sent()
        let owner = BusMatch.owner(of: "org.bluez").rule
        #expect(
            rules(sent) == [
                "AddMatch \(owner)", "GetNameOwner org.bluez", "AddMatch type='signal',sender='org.bluez'",
            ])
        try bench.reply(to: sent[0])
        try bench.reply(to: sent[1], [.string(":1.3")])
        try bench.reply(to: sent[2])
        #expect(bench.events() == ["subscribed \(number) "])
        try bench.signal("/", "a.b", "S", from: ":1.4")
        #expect(bench.events() == [])
        try bench.signal("/", "a.b", "S", from: ":1.3")
        #expect(bench.events() == ["signal S [\(number)]"])
        // Another owner in the same read as a signal of the old one.
        try ownerChange(&bench, "org.bluez", ":1.4", from: "org.freedesktop.DBus")
        try bench.signal("/", "a.b", "S", from: ":1.3")
        try bench.signal("/", "a.b", "T", from: ":1.4")
        #expect(bench.events() == ["signal T [\(number)]"])
        bench.session.unsubscribe(number)
        #expect(rules(bench.sent()) == ["RemoveMatch type='signal',sender='org.bluez'", "RemoveMatch \(owner)"])
    }

    @Test func theOwnerOfAWatchedNameIsReported() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let number = bench.session.watchName("org.bluez", at: bench.now)
        let sent = bench.sent()
        try bench.reply(to: sent[0])
        try bench.fail(sent[1], BusCallError.Name.nameHasNoOwner)
        #expect(bench.events() == ["owner \(number) -"])
        try ownerChange(&bench, "org.bluez", ":1.3", from: "org.freedesktop.DBus")
        try ownerChange(&bench, "org.bluez", ":1.3", from: "org.freedesktop.DBus")
        #expect(bench.events() == ["owner \(number) :1.3"])
        // Nobody but the bus says who owns a name.
        try ownerChange(&bench, "org.bluez", ":1.9", from: ":1.9")
        try ownerChange(&bench, "org.other", ":1.9", from: "org.freedesktop.DBus")
        #expect(bench.events() == [])
        let second = bench.session.watchName("org.bluez", at: bench.now)
        #expect(bench.events() == ["owner \(second) :1.3"])
        #expect(bench.sent() == [])
        try ownerChange(&bench, "org.bluez", "", from: "org.freedesktop.DBus")
        #expect(bench.events() == ["owner \(number) -", "owner \(second) -"])
        bench.session.unwatchName(number)
        #expect(bench.sent() == [])
        bench.session.unwatchName(second)
        #expect(bench.sent().map(\.member) == ["RemoveMatch"])
    }

    @Test func aSubscriptionOfAUniqueNameLeavesAWatchOfItAlone() throws {
        var bench = try SessionBench(passesDescriptors: true)
        let watch = bench.session.watchName(":1.3", at: bench.now)
        bench.session.unsubscribe(bench.session.subscribe(BusMatch(sender: ":1.3"), at: bench.now))
        let sent = bench.sent()
        #expect(sent.map(\.member) == ["AddMatch", "GetNameOwner", "AddMatch", "RemoveMatch"])
        try bench.reply(to: sent[1], [.string(":1.3")])
        try ownerChange(&bench, ":1.3", "", from: "org.freedesktop.DBus")
        #expect(bench.events() == ["owner \(watch) :1.3", "owner \(watch) -"])
    }

    @Test func aBusThatDoesNotWatchANameEndsTheSession() throws {
        var bench = try SessionBench(passesDescriptors: true)
        _ = bench.session.watchName("org.bluez", at: bench.now)
        try bench.fail(bench.sent()[0], "a.b.Error")
        #expect(bench.session.end == .broken("a.b.Error: No."))
    }

    // MARK: Objects

    private func exporting() throws -> SessionBench {
        var bench = try SessionBench(passesDescriptors: true)
        bench.session.export("/agent", ["org.bluez.Agent1": ["Cancel", "Release"], "a.b": ["Release", "Do"]])
        return bench
    }

    private func lastToken(_ bench: inout SessionBench) -> UInt64? {
        var found: UInt64?
        for case .call(_, let token) in bench.session.takeEvents() { found = token }
        return found
    }

    @Test func aCallIsAnsweredOnce() throws {
        var bench = try exporting()
        try bench.call("/agent", "a.b", "Do")
        let token = try #require(lastToken(&bench))
        bench.session.reply(token, [.string("x")])
        bench.session.reply(token, [.string("y")])
        bench.session.fail(token, "a.b.Error", "z")
        let sent = bench.sent()
        #expect(sent.map(\.kind) == [.reply])
        #expect(sent[0].destination == ":1.9")
        #expect(sent[0].body == [.string("x")])
        #expect(sent[0].replySerial != nil)
        #expect(!sent[0].isReplyExpected)
        try bench.call("/agent", "a.b", "Do")
        let other = try #require(lastToken(&bench))
        bench.session.fail(other, "a.b.Error", "z\0")
        #expect(bench.sent().map { "\($0.errorName ?? "") \($0.errorText)" } == ["a.b.Error z "])
    }

    @Test func anAnswerOfNoFormIsAnError() throws {
        var bench = try exporting()
        try bench.call("/agent", "a.b", "Do")
        bench.session.reply(try #require(lastToken(&bench)), [.string("\0")])
        try bench.call("/agent", "a.b", "Do")
        bench.session.fail(try #require(lastToken(&bench)), "no name", "x")
        #expect(bench.sent().map(\.errorName) == [BusCallError.Name.failed, BusCallError.Name.failed])
    }

    @Test(arguments: [
        ("/", "a.b", "Do", BusCallError.Name.unknownObject),
        ("/agent/child", "a.b", "Do", BusCallError.Name.unknownObject),
        ("/agent", "a.c", "Do", BusCallError.Name.unknownInterface),
        ("/agent", "a.b", "Undo", BusCallError.Name.unknownMethod),
        ("/agent", nil, "Undo", BusCallError.Name.unknownMethod),
        ("/agent", "org.freedesktop.DBus.Peer", "GetMachineId", BusCallError.Name.unknownMethod),
    ])
    func whatDoesNotExistHasAStandardError(_ path: String, _ interface: String?, _ member: String, _ name: String)
        throws
    {
        var bench = try exporting()
        try bench.call(path, interface, member, wantsReply: false)
        #expect(bench.sent() == [])
        try bench.call(path, interface, member)
        #expect(bench.sent().map(\.errorName) == [name])
        #expect(bench.events() == [])
    }

    @Test func anInterfaceMayBeMissing() throws {
        var bench = try exporting()
        try bench.call("/agent", nil, "Cancel")
        #expect(bench.events() == ["call org.bluez.Agent1.Cancel with answer"])
        try bench.call("/agent", nil, "Release")
        #expect(bench.events() == ["call a.b.Release with answer"])
    }

    @Test func aCallThatWantsNoAnswerGetsNone() throws {
        var bench = try exporting()
        try bench.call("/agent", "a.b", "Do", wantsReply: false)
        #expect(bench.events() == ["call a.b.Do without answer"])
        #expect(bench.sent() == [])
    }

    @Test func everyPathAnswersPing() throws {
        var bench = try exporting()
        try bench.call("/nowhere", "org.freedesktop.DBus.Peer", "Ping", wantsReply: false)
        #expect(bench.sent() == [])
        try bench.call("/nowhere", "org.freedesktop.DBus.Peer", "Ping")
        #expect(bench.sent().map(\.kind) == [.reply])
    }

    @Test func aWithdrawnObjectIsUnknown() throws {
        var bench = try exporting()
        bench.session.withdraw("/agent")
        try bench.call("/agent", "a.b", "Do")
        #expect(bench.sent().map(\.errorName) == [BusCallError.Name.unknownObject])
    }

    @Test func theNumberOfUnansweredCallsIsBounded() throws {
        var bench = try exporting()
        for _ in 0..<BusSession.Limit.unanswered { try bench.call("/agent", "a.b", "Do") }
        #expect(bench.sent() == [])
        let token = try #require(lastToken(&bench))
        try bench.call("/agent", "a.b", "Do")
        #expect(bench.events() == [])
        #expect(bench.sent().map(\.errorName) == [BusCallError.Name.limitsExceeded])
        bench.session.reply(token)
        try bench.call("/agent", "a.b", "Do")
        #expect(bench.events() == ["call a.b.Do with answer"])
    }

    @Test func messagesOfUnknownTypesAreIgnored() throws {
        var bench = try SessionBench(passesDescriptors: true)
        bench.receive([0x6C, 9, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0])
        #expect(bench.session.end == nil)
        #expect(bench.events() == [])
    }
}
