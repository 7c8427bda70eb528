import BLEAdapter
import BLETransport
import BusBench
import Glibc
import TestConditions
import Testing

@testable import SystemBus

/// What connections may expect of a bus, of a `dbus-daemon` (package dbus) that each test starts for itself and of the bus in memory.
@Suite(.timeLimit(.minutes(10))) struct BusRealTimeTests {
    /// A client that owns "test.server" and offers the object "/object".
    private func server(_ bus: any BusWorld, _ handle: @escaping @Sendable (BusCall) -> Void) async throws -> BusClient
    {
        let server = bus.client()
        await server.run { _ = $0.export("/object", ["test.Object": ["Echo", "Fail", "Hold", "Pipe"]], handle) }
        try await server.requestName("test.server").get()
        return server
    }

    @Sendable private static func echo(_ call: BusCall) {
        switch call.method {
        case "test.Object.Echo": call.reply(call.message.body)
        default: call.fail("test.Error", "as asked")
        }
    }

    /// A subscription that the end overtakes has its answer, and one that follows an answer of the end has one too.
    @Test(arguments: TestBus.allCases) func everySubscriptionIsAnswered(_ kind: TestBus) async throws {
        let bus = try kind.open()
        let client = bus.client()
        let answers = Collected<BusCallError?>()
        await client.run { bus in
            bus.subscribe(BusMatch(interface: "test.A"), completion: { answers.add($0) }) { _ in }
            bus.call("test.missing", "/", "a.b", "C") { _ in
                bus.subscribe(BusMatch(interface: "test.B"), completion: { answers.add($0) }) { _ in }
            }
            bus.close()
        }
        #expect(await eventually { answers.all.count == 2 })
        #expect(answers.all.allSatisfy { $0 == .closed })
    }

    /// The end of an earlier offer leaves a later one of the same path.
    @Test(arguments: TestBus.allCases) func aPathBelongsToItsLatestObject(_ kind: TestBus) async throws {
        let bus = try kind.open()
        let server = bus.client()
        await server.run { bus in
            let first = bus.export("/object", ["test.Object": ["Echo"]]) { $0.fail("test.Error", "first") }
            bus.export("/object", ["test.Object": ["Echo"]]) { $0.reply([.string("second")]) }
            first.cancel()
        }
        try await server.requestName("test.server").get()
        let client = bus.client()
        let reply = try await client.call("test.server", "/object", "test.Object", "Echo").get()
        #expect(reply.body == [.string("second")])
        await client.close()
        await server.close()
    }

    @Test(arguments: TestBus.allCases) func aCallHasAReplyOrAnError(_ kind: TestBus) async throws {
        let bus = try kind.open()
        let server = try await server(bus, Self.echo)
        let client = bus.client()
        let values: [BusValue] = [
            .string("näh"), .octets([1, 2, 3]), .properties(["a": .int16(-1)]),
            .structure([.byte(1), .variant(.path("/"))]),
        ]
        let reply = try await client.call("test.server", "/object", "test.Object", "Echo", values).get()
        #expect(reply.body == values)
        #expect(reply.sender == (await server.run { $0.uniqueName }))
        let long: [BusValue] = [.octets((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) })]
        #expect(try await client.call("test.server", "/object", "test.Object", "Echo", long).get().body == long)
        let error = await client.call("test.server", "/object", "test.Object", "Fail")
        #expect(error == .failure(.error("test.Error", "as asked")))
        let expected = [
            ("/nothing", "test.Object", "Echo", BusCallError.Name.unknownObject),
            ("/object", "test.Nothing", "Echo", BusCallError.Name.unknownInterface),
            ("/object", "test.Object", "Nothing", BusCallError.Name.unknownMethod),
        ]
        for (path, interface, member, name) in expected {
            let answer = await client.call("test.server", path, interface, member)
            #expect(throws: BusCallError.self) { try answer.get() }
            #expect("\(answer)".contains(name))
        }
        _ = try await client.call("test.server", "/", "org.freedesktop.DBus.Peer", "Ping").get()
        let missing = await client.call("test.missing", "/", "a.b", "C")
        #expect("\(missing)".contains(BusCallError.Name.serviceUnknown))
        await client.close()
        await server.close()
    }

    @Test(arguments: TestBus.allCases) func theDaemonTakesWhatTheSessionSendsAndTellsItsOwnState(_ kind: TestBus)
        async throws
    {
        let bus = try kind.open()
        let client = bus.client()
        let names = try await client.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "ListNames"
        ).get()
        let own = try #require(await client.run { $0.uniqueName })
        #expect(names.body.first?.elements?.contains(.string(own)) == true)
        let features = await client.result {
            $0.property(
                "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "Features", completion: $1)
        }
        #expect(try features.get().elements != nil)
        await client.close()
    }

    /// The deepest values of the specification pass the bus.
    @Test(arguments: TestBus.allCases) func theDeepestValuesPass(_ kind: TestBus) async throws {
        let bus = try kind.open()
        let server = try await server(bus, Self.echo)
        let client = bus.client()
        for variants in [28, 29] {
            let values = [CodingTests.deepest(around: variants)]
            let reply = try await client.call("test.server", "/object", "test.Object", "Echo", values).get()
            #expect(reply.body == values)
        }
        await client.close()
        await server.close()
    }

    /// A bus with its usual limit of 128 calls without an answer refuses none.
    @Test(arguments: TestBus.allCases) func manyCallsWaitInsteadOfBeingRefused(_ kind: TestBus) async throws {
        let bus = try kind.open(hasUsualLimits: true)
        let server = try await server(bus, Self.echo)
        let client = bus.client()
        let answers = Collected<Result<BusMessage, BusCallError>>()
        await client.run { bus in
            for _ in 0..<500 {
                bus.call("test.server", "/object", "test.Object", "Echo", timeout: .seconds(180)) { answers.add($0) }
            }
        }
        #expect(await eventually { answers.all.count == 500 })
        for answer in answers.all { _ = try answer.get() }
        await client.close()
        await server.close()
    }

    /// The end calls `onClose`, and a watch that begins later has no owner.
    @Test(arguments: TestBus.allCases) func aWatchAfterTheEndCallsBack(_ kind: TestBus) async throws {
        let bus = try kind.open()
        let client = bus.client()
        try await client.requestName("test.name").get()
        let owners = Collected<String?>()
        await client.run { bus in
            bus.close()
            bus.watchName("test.name") { owners.add($0) }
        }
        #expect(await eventually { owners.all == [nil] })
    }

    @Test(arguments: TestBus.allCases) func aNameHasOneOwner(_ kind: TestBus) async throws {
        let bus = try kind.open()
        let first = bus.client()
        let second = bus.client()
        let owners = Collected<String?>()
        let watch = bus.client()
        await watch.run { bus in _ = bus.watchName("test.name") { owners.add($0) } }
        #expect(await eventually { owners.all == [nil] })
        try await first.requestName("test.name").get()
        try await first.requestName("test.name").get()
        await #expect(throws: BusCallError.nameTaken("test.name")) { try await second.requestName("test.name").get() }
        let name = await first.run { $0.uniqueName }
        #expect(await eventually { owners.all == [nil, name] })
        await first.close()
        #expect(await eventually { owners.all == [nil, name, nil] })
        await second.close()
        await watch.close()
    }

    @Test(arguments: TestBus.allCases) func signalsComeFromTheOwnerOfAName(_ kind: TestBus) async throws {
        let bus = try kind.open()
        let server = try await server(bus, Self.echo)
        let stranger = bus.client()
        let client = bus.client()
        let received = Collected<String>()
        // The second rule brings the signals of everybody to this connection.
        #expect(await client.subscribe(BusMatch(sender: "test.server")) { received.add($0.member ?? "") } == nil)
        let all = Collected<String>()
        #expect(await client.subscribe(BusMatch(interface: "test.Signal")) { all.add($0.member ?? "") } == nil)
        try await stranger.emit(.signal("/", "test.Signal", "Forged"))
        #expect(await eventually { all.all == ["Forged"] })
        try await server.emit(.signal("/", "test.Signal", "Own", [.byte(1)]))
        #expect(await eventually { all.all == ["Forged", "Own"] })
        #expect(received.all == ["Own"])
        for each in [server, stranger, client] { await each.close() }
    }

    @Test(arguments: TestBus.allCases) func aCancelledSubscriptionReceivesNothing(_ kind: TestBus) async throws {
        let bus = try kind.open()
        let client = bus.client()
        let received = Collected<String>()
        let first = Collected<String>()
        let cancellable = Lock<BusCancellable?>(nil)
        await client.run { bus in
            let subscription = bus.subscribe(BusMatch(interface: "test.Signal")) { message in
                first.add(message.member ?? "")
                cancellable.withLock { $0 }?.cancel()
            }
            cancellable.withLock { $0 = subscription }
        }
        #expect(await client.subscribe(BusMatch(interface: "test.Signal")) { received.add($0.member ?? "") } == nil)
        for member in ["A", "B"] {
            try await client.emit(.signal("/", "test.Signal", member))
        }
        #expect(await eventually { received.all == ["A", "B"] })
        #expect(first.all == ["A"])
        await client.close()
    }

    @Test(arguments: TestBus.allCases) func descriptorsPassInBothDirections(_ kind: TestBus) async throws {
        let bus = try kind.open()
        let received = Collected<[UInt8]>()
        let server = try await server(bus) { call in
            // Reads what comes with the call, and answers with the end of a pipe.
            var octets = [UInt8](repeating: 0, count: 8)
            let count = read(call.message.descriptors[0].number, &octets, octets.count)
            received.add(Array(octets.prefix(max(0, count))))
            var ends: [Int32] = [0, 0]
            let isOpen = pipe(&ends) == 0 && write(ends[1], "answer", 6) == 6
            if isOpen { close(ends[1]) }
            call.reply([.descriptor(0), .uint16(23)], descriptors: [Descriptor(ends[0], kind: .file)])
        }
        let client = bus.client()
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0 && write(ends[1], "call", 4) == 4)
        close(ends[1])
        let own = Descriptor(ends[0], kind: .file)
        let reply = await client.result {
            $0.call(
                "test.server", "/object", "test.Object", "Pipe", [.array("h", [.descriptor(0)])], descriptors: [own],
                completion: $1)
        }
        let message = try reply.get()
        #expect(message.body == [.descriptor(0), .uint16(23)])
        #expect(received.all == [Array("call".utf8)])
        let passed = try #require(message.descriptors.first)
        #expect(fcntl(passed.number, F_GETFD) & FD_CLOEXEC != 0)
        var octets = [UInt8](repeating: 0, count: 8)
        #expect(read(passed.number, &octets, octets.count) == 6)
        #expect(Array(octets.prefix(6)) == Array("answer".utf8))
        await client.close()
        await server.close()
    }

    @Test(arguments: TestBus.allCases) func theEndOfTheBusFailsWaitingCallsAndNamesTheCommandThatHelps(_ kind: TestBus)
        async throws
    {
        let bus = try kind.open()
        let held = Collected<BusCall>()
        let server = try await server(bus) { held.add($0) }
        let client = bus.client()
        let ends = Collected<BusCallError>()
        let serverEnds = Collected<BusCallError>()
        await client.run { bus in bus.onClose = { ends.add($0) } }
        await server.run { bus in bus.onClose = { serverEnds.add($0) } }
        let answers = Collected<Result<BusMessage, BusCallError>>()
        await client.run { bus in
            for _ in 0..<20 {
                bus.call("test.server", "/object", "test.Object", "Hold", timeout: .seconds(180)) { answers.add($0) }
            }
        }
        #expect(await eventually { held.all.count == 20 })
        await bus.end()
        #expect(await eventually { ends.all.count == 1 && serverEnds.all.count == 1 })
        #expect(answers.all.count == 20)
        let reason = try #require(ends.all.first)
        #expect(answers.all.allSatisfy { $0 == .failure(reason) })
        #expect("\(reason)".hasSuffix("sudo journalctl -u dbus"))
        // Nothing raises SIGPIPE, and later calls fail at once.
        await server.run { _ in for call in held.all { call.reply() } }
        #expect(await client.call("test.server", "/object", "test.Object", "Hold") == .failure(reason))
        #expect(ends.all.count == 1)
    }

    @Test(arguments: TestBus.allCases) func aClosedConnectionFailsItsCallsAndSaysNothingElse(_ kind: TestBus)
        async throws
    {
        let bus = try kind.open()
        let held = Collected<BusCall>()
        let server = try await server(bus) { held.add($0) }
        let client = bus.client()
        let ends = Collected<BusCallError>()
        let answers = Collected<Result<BusMessage, BusCallError>>()
        await client.run { bus in
            bus.onClose = { ends.add($0) }
            bus.call("test.server", "/object", "test.Object", "Hold") { answers.add($0) }
        }
        #expect(await eventually { held.all.count == 1 })
        await client.run { bus in
            bus.close()
            answers.add(.failure(.full))
        }
        #expect(
            await eventually { answers.all == [.failure(.full), .failure(.closed)] }, "no callback within a method")
        #expect(ends.all == [])
        await server.close()
    }

    @Test(arguments: TestBus.allCases) func aCallThatNobodyAnswersFailsWithItsRelease(_ kind: TestBus) async throws {
        let bus = try kind.open()
        let server = try await server(bus) { _ in }
        let client = bus.client()
        let answer = await client.call("test.server", "/object", "test.Object", "Hold")
        #expect(answer == .failure(.error(BusCallError.Name.failed, "The program did not answer.")))
        await client.close()
        await server.close()
    }

    @Test(arguments: TestBus.allCases) func aCallEndsAtItsDeadline(_ kind: TestBus) async throws {
        let bus = try kind.open()
        let held = Collected<BusCall>()
        let server = try await server(bus) { held.add($0) }
        let client = bus.client()
        let answer = await client.result {
            $0.call("test.server", "/object", "test.Object", "Hold", timeout: .milliseconds(50), completion: $1)
        }
        #expect(answer == .failure(.timeout))
        await client.close()
        await server.close()
    }

    @Test(arguments: TestBus.allCases) func aFloodOfCallsIsAnsweredWithLimits(_ kind: TestBus) async throws {
        let bus = try kind.open()
        let held = Collected<BusCall>()
        let server = try await server(bus) { held.add($0) }
        let clients = [bus.client(), bus.client(), bus.client()]
        let answers = Collected<Result<BusMessage, BusCallError>>()
        for client in clients {
            await client.run { bus in
                for _ in 0..<BusSession.Limit.callsAtBus {
                    bus.call("test.server", "/object", "test.Object", "Hold", timeout: .seconds(180)) {
                        answers.add($0)
                    }
                }
            }
        }
        let refused = 3 * BusSession.Limit.callsAtBus - BusSession.Limit.unanswered
        #expect(await eventually { answers.all.count == refused })
        #expect(held.all.count == BusSession.Limit.unanswered)
        #expect(answers.all.allSatisfy { "\($0)".contains("Too many calls wait for answers.") })
        await server.run { _ in for call in held.all { call.reply() } }
        #expect(await eventually { answers.all.count == 3 * BusSession.Limit.callsAtBus })
        for client in clients { await client.close() }
        await server.close()
    }
}
