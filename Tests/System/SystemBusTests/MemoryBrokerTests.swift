import BLEWire
import BusBench
import SystemBus
import TestDoubles
import Testing

/// What the bus in memory does in virtual time.
struct MemoryBrokerTests {
    private let scheduler = ManualScheduler()
    private let broker: MemoryBroker

    init() { broker = MemoryBroker(scheduler) }

    private func call(_ bus: BusConnection, _ name: String, _ answer: @escaping (String) -> Void) {
        bus.call(name, "/object", "test.Object", "Hold") { result in
            switch result {
            case .success(let reply): answer("reply \(reply.body.compactMap(\.text))")
            case .failure(let error): answer("\(error)")
            }
        }
    }

    @Test func aCallWithoutAnAnswerEndsAtItsDeadline() {
        let (client, server) = (broker.connect(), broker.connect())
        var held: [BusCall] = []
        server.export("/object", ["test.Object": ["Hold"]]) { held.append($0) }
        server.requestName("test.server") { _ in }
        scheduler.run()
        var answers: [String] = []
        call(client, "test.server") { answers.append($0) }
        scheduler.run(for: .milliseconds(24_999))
        #expect(answers.isEmpty)
        #expect(held.count == 1)
        scheduler.run(for: .milliseconds(1))
        #expect(answers == ["\(BusCallError.timeout)"])
        // The late answer finds nothing.
        held[0].reply()
        scheduler.run()
        #expect(answers.count == 1)
    }

    @Test func theBusAnswersForAServiceThatEnds() {
        let (client, server) = (broker.connect(), broker.connect())
        var held: [BusCall] = []
        server.export("/object", ["test.Object": ["Hold"]]) { held.append($0) }
        server.requestName("test.server") { _ in }
        var owners: [String?] = []
        scheduler.run()
        client.watchName("test.server") { owners.append($0) }
        var answers: [String] = []
        call(client, "test.server") { answers.append($0) }
        scheduler.run()
        server.close()
        scheduler.run()
        #expect(
            answers == [
                "org.freedesktop.DBus.Error.NoReply: Message recipient disconnected from message bus without replying"
            ])
        #expect(owners == [server.uniqueName, nil])
        call(client, "test.server") { answers.append($0) }
        scheduler.run()
        #expect(answers.last?.hasPrefix(BusCallError.Name.serviceUnknown) == true)
    }

    @Test func aServiceStartsWhenItIsCalled() {
        let client = broker.connect()
        var servers: [BusConnection] = []
        broker.activations["test.server"] = .starts { [broker, scheduler] in
            let server = broker.connect()
            server.export("/object", ["test.Object": ["Hold"]]) { $0.reply([.string("here")]) }
            scheduler.submit(after: .seconds(2)) { server.requestName("test.server") { _ in } }
            servers.append(server)
        }
        broker.activations["test.broken"] = .fails("test.Error", "as scripted")
        broker.activations["test.silent"] = .starts {}
        var answers: [String] = []
        call(client, "test.server") { answers.append($0) }
        client.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "StartServiceByName",
            [.string("test.server"), .uint32(0)]
        ) { answers.append("started \((try? $0.get())?.body.first?.number ?? 0)") }
        call(client, "test.broken") { answers.append($0) }
        call(client, "test.silent") { answers.append($0) }
        scheduler.run(for: .seconds(1))
        #expect(answers == ["test.Error: as scripted"])
        scheduler.run(for: .seconds(1))
        #expect(answers.dropFirst() == ["started 1", "reply [\"here\"]"])
        #expect(servers.count == 1)
        scheduler.run(for: .seconds(25))
        #expect(answers.count == 4)
    }

    @Test func aSlowBusMakesAConnectionBusy() throws {
        let client = broker.connect()
        scheduler.run()
        broker.setReading(client, false)
        var drains = 0
        client.onDrain = { drains += 1 }
        while !client.isBusy {
            try client.emit(.signal("/", "test.A", "B", [.octets(Array(repeating: 0, count: 4096))]))
        }
        scheduler.run()
        #expect(drains == 0)
        broker.setReading(client, true)
        scheduler.run()
        #expect(drains == 1)
        #expect(!client.isBusy)
    }

    @Test func anEndOfTheBusReachesEveryConnection() {
        let connections = [broker.connect(), broker.connect()]
        var ends: [BusCallError] = []
        for each in connections { each.onClose = { ends.append($0) } }
        scheduler.run()
        broker.disconnect(connections[0])
        scheduler.run()
        #expect(ends == [.broken("the bus closed it")])
        broker.end()
        scheduler.run()
        #expect(ends.count == 2)
    }
}
