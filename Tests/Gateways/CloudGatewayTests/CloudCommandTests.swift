import BLEAdapter
import BLEWire
import MQTTClient
import Testing

@testable import CloudGateway

@Suite struct CloudCommandTests {
    private func error(_ actions: [CloudAction]) throws -> String? {
        let reply = try #require(actions.publications.last)
        return (try json(reply.payload)["error"] as? [String: Any])?["code"] as? String
    }

    @Test func aConnectionIsAnsweredWithTheServices() throws {
        var bench = try CloudBench.ready()
        #expect(bench.command("1", "connect").commands == [.connect(CloudBench.peer)])
        bench.session.linkConnected(CloudBench.peer, at: bench.now, time: 5)
        let linked = bench.take()
        #expect(linked.commands == [.submit(.discoverServices(nil), CloudBench.peer)])
        #expect(linked.stored.map(\.topic) == ["bluetooth/hall/link/ACBC32890EA9"])
        bench.session.completed(CloudBench.peer, at: bench.now, .success(.services([])))
        let reply = try #require(bench.take().publications.first)
        #expect(reply.topic == "bluetooth/hall/reply/me")
        let object = try json(reply.payload)
        #expect(object["id"] as? String == "1")
        #expect((object["result"] as? [String: Any])?["services"] as? [String] == [])
    }

    @Test func aValueIsReadByItsCharacteristic() throws {
        var bench = try CloudBench.ready()
        bench.connect()
        _ = bench.take()
        let actions = bench.command("2", "read", #"{"service":"180F","characteristic":"2A19"}"#)
        #expect(actions.commands == [.submit(.read(handle: 3), CloudBench.peer)])
        bench.session.completed(CloudBench.peer, at: bench.now, .success(.value([87])))
        let result = try json(try #require(bench.take().publications.first).payload)["result"] as? [String: Any]
        #expect(result?["value"] as? String == "57")
        #expect((result?["text"] as? String)?.contains("87") == true)
    }

    @Test func valuesOfASubscriptionAreStored() throws {
        var bench = try CloudBench.ready()
        bench.connect()
        _ = bench.take()
        bench.session.received([1], handle: 3, from: CloudBench.peer, time: 0)
        #expect(bench.take() == [])
        #expect(
            bench.command("3", "subscribe", #"{"characteristic":"2A19"}"#).commands
                == [.submit(.setNotify(valueHandle: 3, end: 9, mode: .notification), CloudBench.peer)])
        bench.session.completed(CloudBench.peer, at: bench.now, .success(.done))
        _ = bench.take()
        bench.session.received([88], handle: 3, from: CloudBench.peer, time: 9)
        let stored = try #require(bench.take().stored.first)
        #expect(stored.topic == "bluetooth/hall/value/ACBC32890EA9/3")
        #expect(try json(stored.payload)["value"] as? String == "58")
        #expect(try json(stored.payload)["characteristic"] as? String == "2A19")
    }

    @Test func aValueIsWrittenWithAndWithoutAResponse() throws {
        var bench = try CloudBench.ready()
        bench.connect()
        _ = bench.take()
        #expect(
            bench.command("4", "write", #"{"handle":3,"value":"01 ff"}"#).commands
                == [.submit(.write(handle: 3, value: [1, 255]), CloudBench.peer)])
        bench.session.completed(CloudBench.peer, at: bench.now, .success(.done))
        #expect(try error(bench.take()) == nil)
        let actions = bench.command("5", "write", #"{"handle":3,"value":"02","response":false}"#)
        #expect(actions.commands == [.writeCommand([2], handle: 3, CloudBench.peer, number: 1)])
        bench.session.wroteCommand(1, isAccepted: false)
        #expect(try error(bench.take()) == "busy")
    }

    @Test func aRepeatedCommandIsCarriedOutOnce() throws {
        var bench = try CloudBench.ready()
        bench.connect()
        _ = bench.take()
        let arguments = #"{"handle":3,"value":"01"}"#
        #expect(bench.command("6", "write", arguments).commands.count == 1)
        #expect(bench.command("6", "write", arguments) == [])
        bench.session.completed(CloudBench.peer, at: bench.now, .success(.done))
        let reply = try #require(bench.take().publications.first)
        let again = bench.command("6", "write", arguments)
        #expect(again.commands == [])
        #expect(again.publications == [reply])
        // Another client's identifiers are its own.
        bench.send(#"{"id":"6","op":"write","target":"\#(CloudBench.target)","args":\#(arguments)}"#, client: "you")
        #expect(bench.take().commands.count == 1)
        #expect(bench.session.counts.repeatedCommands == 2)
    }

    @Test func aRetainedCommandIsNotCarriedOut() throws {
        var bench = try CloudBench.ready()
        bench.send(#"{"id":"1","op":"connect","target":"\#(CloudBench.target)"}"#, isRetained: true)
        #expect(bench.take() == [])
    }

    @Test func aReplyComesAgainAfterADisconnection() throws {
        var bench = try CloudBench.ready()
        _ = bench.command("7", "connect")
        bench.session.brokerDisconnected("ended", at: bench.now)
        bench.session.linkEnded(CloudBench.peer, "out of range", time: 0)
        #expect(bench.take().publications == [])
        bench.now = try #require(bench.session.deadline)
        bench.session.handleTimeout(at: bench.now, time: 0)
        bench.session.brokerConnected(at: bench.now)
        let actions = bench.take()
        #expect(try error(actions) == "disconnected")
        bench.session.brokerPublished(try #require(actions.numbers.last))
        bench.session.brokerDisconnected("ended", at: bench.now)
        bench.now = try #require(bench.session.deadline)
        bench.session.handleTimeout(at: bench.now, time: 0)
        bench.session.brokerConnected(at: bench.now)
        #expect(!bench.take().publications.contains { $0.topic.contains("reply") })
    }

    @Test(arguments: [
        "", "null", "[]", "{", "1", "\"x\"", "{}", #"{"id":1,"op":"connect"}"#, #"{"id":"","op":"connect"}"#,
        #"{"id":"1"}"#, #"{"id":"1","op":7}"#, #"{"id":"1","op":"connect","args":[]}"#,
        #"{"id":"1","op":"read","args":{"handle":-1}}"#, #"{"id":"1","op":"read","args":{"handle":70000}}"#,
        #"{"id":"1","op":"connect","target":{}}"#, "\u{0}\u{1}",
    ]) func whatIsNoCommandIsRefused(payload: String) throws {
        var bench = try CloudBench.ready()
        bench.send(payload)
        let actions = bench.take()
        #expect(actions.commands == [])
        #expect(try error(actions) == "invalid")
    }

    @Test func hugeAndDeepPayloadsAreRefused() throws {
        var bench = try CloudBench.ready()
        let deep = String(repeating: "[", count: 8000) + String(repeating: "]", count: 8000)
        for payload in [
            String(repeating: "x", count: 1 << 20), deep,
            #"{"id":"1","op":"connect","args":{"x":\#(deep)}}"#,
            #"{"id":"\#(String(repeating: "i", count: 65))","op":"connect"}"#,
        ] {
            bench.send(payload)
            #expect(try error(bench.take()) == "invalid")
        }
        #expect(bench.session.counts.invalidCommands == 4)
    }

    @Test(arguments: [
        (#"{"id":"1","op":"explode"}"#, "unknown-op"), (#"{"id":"1","op":"connect"}"#, "invalid"),
        (#"{"id":"1","op":"connect","target":"nowhere"}"#, "invalid"),
        (#"{"id":"1","op":"read","target":"AC:BC:32:89:0E:A9","args":{"handle":3}}"#, "not-connected"),
    ]) func aCommandThatIsNotPossibleSaysWhy(payload: String, code: String) throws {
        var bench = try CloudBench.ready()
        bench.send(payload)
        #expect(try error(bench.take()) == code)
    }

    @Test(arguments: [
        (#"{"handle":0}"#, "invalid"), (#"{"characteristic":"zz"}"#, "invalid"), (#"{}"#, "invalid"),
        (#"{"characteristic":"2A37"}"#, "not-found"), (#"{"service":"180D","characteristic":"2A19"}"#, "not-found"),
    ]) func aReadOfNothingSaysWhy(arguments: String, code: String) throws {
        var bench = try CloudBench.ready()
        bench.connect()
        _ = bench.take()
        #expect(try error(bench.command("r", "read", arguments)) == code)
    }

    @Test func longValuesAndOddDigitsAreRefused() throws {
        var bench = try CloudBench.ready()
        bench.connect()
        _ = bench.take()
        for (index, value) in ["0", "0g", String(repeating: "00", count: 513)].enumerated() {
            #expect(try error(bench.command("w\(index)", "write", #"{"handle":3,"value":"\#(value)"}"#)) == "invalid")
        }
    }

    @Test func theOperationsOfALinkAreBounded() throws {
        var bench = try CloudBench.ready()
        bench.connect()
        _ = bench.take()
        for index in 0..<32 {
            #expect(bench.command("\(index)", "read", #"{"handle":3}"#).commands.count == 1)
        }
        #expect(try error(bench.command("33", "read", #"{"handle":3}"#)) == "busy")
    }

    @Test func theLinksAreBounded() throws {
        var bench = try CloudBench.ready { $0.linkLimit = 2 }
        for index in 0..<3 {
            bench.send(#"{"id":"\#(index)","op":"connect","target":"00:00:00:00:00:0\#(index)"}"#)
        }
        #expect(try error(bench.take()) == "busy")
        #expect(bench.session.linkCount == 2)
    }

    @Test func aDeviceThatDoesNotAcceptTheConnectionTimesOut() throws {
        var bench = try CloudBench.ready()
        _ = bench.command("1", "connect")
        bench.advance(DeviceCommands.linkTimeout)
        bench.session.handleTimeout(at: bench.now, time: 0)
        let actions = bench.take()
        #expect(actions.commands == [.cancelConnection(CloudBench.peer)])
        #expect(
            try error(
                Array(
                    actions.filter {
                        if case .publish(let message, _) = $0 { message.topic.contains("reply") } else { false }
                    })) == "timeout")
        bench.session.linkEnded(CloudBench.peer, "the gateway ended it", time: 0)
        #expect(bench.session.linkCount == 0)
    }

    @Test func theEndOfALinkAnswersWhatWaits() throws {
        var bench = try CloudBench.ready()
        bench.connect()
        _ = bench.command("r", "read", #"{"handle":3}"#)
        #expect(bench.command("d", "disconnect").commands == [.cancelConnection(CloudBench.peer)])
        bench.session.linkEnded(CloudBench.peer, "the gateway ended it", time: 0)
        let ids = try bench.take().publications.map { try json($0.payload)["id"] as? String }
        #expect(ids == ["r", "d"])
        // A late result of the adapter has no effect.
        bench.session.completed(CloudBench.peer, at: bench.now, .success(.value([1])))
        #expect(bench.take() == [])
    }

    @Test func theLossOfTheAdapterEndsItsLinks() throws {
        var bench = try CloudBench.ready()
        bench.connect()
        _ = bench.command("r", "read", #"{"handle":3}"#)
        bench.session.adapterStateChanged(.poweredOff, time: 0)
        #expect(bench.session.linkCount == 0)
        #expect(try json(bench.take().publications[0].payload)["error"] != nil)
    }

    @Test(arguments: ["a/b", "", "+", "#", String(repeating: "c", count: 65)])
    func aClientIsOneLevelOfATopic(client: String) throws {
        let topics = try CloudTopics(prefix: "bluetooth", name: "hall")
        #expect(topics.client(ofCommand: "bluetooth/hall/command/\(client)") == nil)
    }
}
