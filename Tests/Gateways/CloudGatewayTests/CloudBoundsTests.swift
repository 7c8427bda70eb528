import BLEAdapter
import BLEWire
import MQTTClient
import Testing

@testable import CloudGateway

/// Bounds and deadlines against brokers, clients and adapters that do not answer.
@Suite struct CloudBoundsTests {
    private func code(_ message: MQTTPublication?) throws -> String? {
        (try json(try #require(message).payload)["error"] as? [String: Any])?["code"] as? String
    }

    private func replies(_ actions: [CloudAction]) -> [MQTTPublication] {
        actions.publications.filter { $0.topic.contains("/reply/") }
    }

    // MARK: The broker

    @Test func aBrokerThatAcknowledgesNothingGetsABoundedNumberOfPublications() throws {
        var bench = try CloudBench.ready()
        var sent = 0
        for index in 0..<1000 {
            bench.session.adapterStateChanged(index.isMultiple(of: 2) ? .poweredOff : .poweredOn, time: 0)
            sent += bench.take().publications.count
        }
        #expect(sent <= 256)
        #expect(bench.session.counts.droppedPublications >= 1000 - 256)
        // The next connection begins anew.
        bench.session.brokerDisconnected("ended", at: bench.now)
        bench.now = try #require(bench.session.deadline)
        bench.session.handleTimeout(at: bench.now, time: 0)
        bench.session.brokerConnected(at: bench.now)
        #expect(bench.take().publications.contains { $0.topic == "bluetooth/hall/status" })
    }

    @Test func aBrokerThatAcknowledgesNothingGetsABoundedNumberOfReplies() throws {
        var bench = try CloudBench.ready()
        var numbers: [UInt64] = []
        for index in 0..<1000 { numbers += bench.command("\(index)", "explode").numbers }
        #expect(numbers.count == 256)
        #expect(bench.session.counts.droppedReplies == 1000 - 256)
        bench.session.brokerPublished(numbers[0])
        #expect(replies(bench.command("again", "explode")).count == 1)
    }

    @Test func aReplyThatTheBrokerPostponesComesWithTheNextConnection() throws {
        var bench = try CloudBench.ready()
        let number = try #require(bench.command("1", "explode").numbers.first)
        bench.session.brokerPostponed(number)
        bench.session.brokerDisconnected("ended", at: bench.now)
        bench.now = try #require(bench.session.deadline)
        bench.session.handleTimeout(at: bench.now, time: 0)
        bench.session.brokerConnected(at: bench.now)
        #expect(bench.take().numbers.contains(number))
    }

    @Test func homeAssistantCausesAtMostOneAnnouncementInAMinute() throws {
        var bench = try CloudBench.ready { $0.homeAssistantPrefix = "ha" }
        func births() -> Int {
            bench.take().publications.count { $0.topic.hasPrefix("ha/") && $0.topic.contains("connection") }
        }
        for _ in 0..<10 {
            bench.session.brokerReceived(MQTTMessage(topic: "ha/status", payload: Array("online".utf8)), at: bench.now)
        }
        #expect(births() == 1)
        // The last one is not forgotten.
        bench.advance(.seconds(60))
        #expect(try #require(bench.session.deadline) <= bench.now)
        bench.session.handleTimeout(at: bench.now, time: 0)
        #expect(births() == 1)
        bench.advance(.seconds(60))
        bench.session.handleTimeout(at: bench.now, time: 0)
        #expect(births() == 0)
    }

    // MARK: Commands

    @Test func aCommandThatWasNotPossibleIsLookedAtAgain() throws {
        var bench = try CloudBench.ready()
        #expect(try code(bench.command("1", "explode").publications.last) == "unknown-op")
        #expect(bench.command("1", "connect").commands == [.connect(CloudBench.peer)])
    }

    @Test func aReplyThatIsTooLongIsRefused() throws {
        var bench = try CloudBench.ready()
        _ = bench.command("1", "connect")
        bench.session.linkConnected(CloudBench.peer, at: bench.now, time: 0)
        let uuid = BluetoothUUID(0x180F as UInt16)
        bench.session.completed(
            CloudBench.peer, at: bench.now,
            .success(.services([DiscoveredService(uuid: uuid, range: HandleRange(start: 1, end: 9), isPrimary: true)])))
        let characteristic = DiscoveredCharacteristic(
            uuid: uuid, properties: 0x12, declarationHandle: 2, valueHandle: 3, end: 9)
        bench.session.completed(
            CloudBench.peer, at: bench.now,
            .success(.characteristics([DiscoveredCharacteristic](repeating: characteristic, count: 10_000))))
        let reply = try #require(replies(bench.take()).last)
        #expect(try code(reply) == "too-large")
        #expect(reply.payload.count < 1000)
    }

    // MARK: Links

    @Test func aDiscoveryWithoutAnEndFailsAndEndsTheLink() throws {
        var bench = try CloudBench.ready()
        _ = bench.command("1", "connect")
        bench.session.linkConnected(CloudBench.peer, at: bench.now, time: 0)
        _ = bench.take()
        bench.advance(DeviceCommands.discoveryTimeout)
        #expect(try #require(bench.session.deadline) <= bench.now)
        bench.session.handleTimeout(at: bench.now, time: 0)
        let actions = bench.take()
        #expect(try code(replies(actions).first) == "timeout")
        #expect(actions.commands == [.cancelConnection(CloudBench.peer)])
    }

    @Test func anAdapterThatDoesNotReportTheEndLosesTheLink() throws {
        var bench = try CloudBench.ready()
        bench.connect()
        _ = bench.command("d", "disconnect")
        bench.advance(DeviceCommands.endTimeout)
        bench.session.handleTimeout(at: bench.now, time: 0)
        let answers = replies(bench.take())
        #expect(answers.count == 1)
        #expect(try code(answers.first) == "timeout")
        #expect(bench.session.linkCount == 0)
        #expect(bench.command("again", "connect").commands == [.connect(CloudBench.peer)])
    }

    @Test func aResultOfAnotherKindIsAFailure() throws {
        var bench = try CloudBench.ready()
        bench.connect()
        for (op, result) in [("read", GATTResult.done), ("write", .value([1])), ("subscribe", .services([]))] {
            _ = bench.command(op, op, #"{"characteristic":"2A19","value":"01"}"#)
            bench.session.completed(CloudBench.peer, at: bench.now, .success(result))
            #expect(try code(replies(bench.take()).last) == "failed")
        }
        var other = try CloudBench.ready()
        _ = other.command("1", "connect")
        other.session.linkConnected(CloudBench.peer, at: other.now, time: 0)
        _ = other.take()
        other.session.completed(CloudBench.peer, at: other.now, .success(.done))
        let actions = other.take()
        #expect(try code(replies(actions).first) == "failed")
        #expect(actions.commands == [.cancelConnection(CloudBench.peer)])
    }
}
