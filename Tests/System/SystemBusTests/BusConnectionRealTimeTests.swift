import BLEAdapter
import BLETransport
import BusBench
import Glibc
import TestConditions
import Testing

@testable import SystemBus

/// Connections to a `dbus-daemon` (package dbus) that each test starts for itself.
@Suite(.timeLimit(.minutes(10))) struct BusConnectionRealTimeTests {
    private let daemon: PrivateBus

    init() throws { daemon = try PrivateBus() }

    /// A client that owns "test.server" and offers the object "/object".
    private func server(_ handle: @escaping @Sendable (BusCall) -> Void) async throws -> BusClient {
        let server = BusClient(daemon.address)
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
    @Test func everySubscriptionIsAnswered() async throws {
        let client = BusClient(daemon.address)
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
    @Test func aPathBelongsToItsLatestObject() async throws {
        let server = BusClient(daemon.address)
        await server.run { bus in
            let first = bus.export("/object", ["test.Object": ["Echo"]]) { $0.fail("test.Error", "first") }
            bus.export("/object", ["test.Object": ["Echo"]]) { $0.reply([.string("second")]) }
            first.cancel()
        }
        try await server.requestName("test.server").get()
        let client = BusClient(daemon.address)
        let reply = try await client.call("test.server", "/object", "test.Object", "Echo").get()
        #expect(reply.body == [.string("second")])
        await client.close()
        await server.close()
    }

    @Test func aCallHasAReplyOrAnError() async throws {
        let server = try await server(Self.echo)
        let client = BusClient(daemon.address)
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

    @Test func theDaemonTakesWhatTheSessionSendsAndTellsItsOwnState() async throws {
        let client = BusClient(daemon.address)
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

    @Test func anAbstractAddressAndASecondAddressAreTried() async throws {
        let abstract = try PrivateBus(isAbstract: true)
        let client = BusClient(.path("/nowhere/bus"), .abstract("nothing-\(getpid())"), abstract.address)
        _ = try await client.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "GetId"
        ).get()
        await client.close()
    }

    @Test func aNameHasOneOwner() async throws {
        let first = BusClient(daemon.address)
        let second = BusClient(daemon.address)
        let owners = Collected<String?>()
        let watch = BusClient(daemon.address)
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

    @Test func signalsComeFromTheOwnerOfAName() async throws {
        let server = try await server(Self.echo)
        let stranger = BusClient(daemon.address)
        let client = BusClient(daemon.address)
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

    @Test func aCancelledSubscriptionReceivesNothing() async throws {
        let client = BusClient(daemon.address)
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

    // MARK: Descriptors

    @Test func descriptorsPassInBothDirections() async throws {
        let received = Collected<[UInt8]>()
        let server = try await server { call in
            // Reads what comes with the call, and answers with the end of a pipe.
            var octets = [UInt8](repeating: 0, count: 8)
            let count = read(call.message.descriptors[0].number, &octets, octets.count)
            received.add(Array(octets.prefix(max(0, count))))
            var ends: [Int32] = [0, 0]
            let isOpen = pipe(&ends) == 0 && write(ends[1], "answer", 6) == 6
            if isOpen { close(ends[1]) }
            call.reply([.descriptor(0), .uint16(23)], descriptors: [Descriptor(ends[0], kind: .file)])
        }
        let client = BusClient(daemon.address)
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

    // MARK: The end

    @Test func theEndOfTheBusFailsWaitingCallsAndNamesTheCommandThatHelps() async throws {
        let held = Collected<BusCall>()
        let server = try await server { held.add($0) }
        let client = BusClient(daemon.address)
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
        daemon.kill()
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

    @Test func aClosedConnectionFailsItsCallsAndSaysNothingElse() async throws {
        let held = Collected<BusCall>()
        let server = try await server { held.add($0) }
        let client = BusClient(daemon.address)
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

    @Test func aCallThatNobodyAnswersFailsWithItsRelease() async throws {
        let server = try await server { _ in }
        let client = BusClient(daemon.address)
        let answer = await client.call("test.server", "/object", "test.Object", "Hold")
        #expect(answer == .failure(.error(BusCallError.Name.failed, "The program did not answer.")))
        await client.close()
        await server.close()
    }

    @Test func aMissingBusIsNamed() async throws {
        let client = BusClient(.path("/nowhere/bus"))
        let answer = await client.call("a.b", "/", "a.b", "C")
        #expect(answer == .failure(.noBus("/nowhere/bus", "there is no socket")))
        let text = "\(answer)"
        #expect(text.contains("/nowhere/bus"))
        #expect("\(BusCallError.noBus("/nowhere/bus", "x"))".hasSuffix("apt-get install dbus"))
        #expect(
            await BusClient().call("a.b", "/", "a.b", "C")
                == .failure(.noBus("DBUS_SYSTEM_BUS_ADDRESS", "it names no socket")))
    }

    @Test func aCallEndsAtItsDeadline() async throws {
        let held = Collected<BusCall>()
        let server = try await server { held.add($0) }
        let client = BusClient(daemon.address)
        let answer = await client.result {
            $0.call("test.server", "/object", "test.Object", "Hold", timeout: .milliseconds(50), completion: $1)
        }
        #expect(answer == .failure(.timeout))
        await client.close()
        await server.close()
    }

    // MARK: Load

    @Test func aFloodOfSignalsFillsNoQueue() async throws {
        let count = 20_000
        let sender = BusClient(daemon.address)
        let receiver = BusClient(daemon.address)
        // Count, the last number, and whether the order is kept.
        let seen = Lock<(count: Int, isOrdered: Bool)>((0, true))
        let failure = await receiver.subscribe(BusMatch(interface: "test.Flood")) { message in
            seen.withLock { seen in
                seen.isOrdered = seen.isOrdered && message.body.first == .uint32(UInt32(seen.count))
                seen.count += 1
            }
        }
        #expect(failure == nil)
        let filling = [UInt8](repeating: 7, count: 2000)
        let most = Lock(0)
        let sent = Lock(0)
        @Sendable func send(_ bus: BusConnection) {
            while sent.withLock({ $0 }) < count, !bus.isBusy {
                let number = sent.withLock { $0 }
                guard
                    (try? bus.emit(.signal("/", "test.Flood", "S", [.uint32(UInt32(number)), .octets(filling)]))) != nil
                else {
                    Issue.record("a signal was refused below the mark")
                    return
                }
                sent.withLock { $0 += 1 }
                let queued = bus.queuedOctets
                most.withLock { $0 = max($0, queued) }
            }
        }
        await sender.run { bus in
            bus.onDrain = { send(bus) }
            send(bus)
        }
        #expect(await eventually { seen.withLock { $0.count } == count })
        #expect(seen.withLock { $0.isOrdered })
        #expect(most.withLock { $0 } <= BusSession.Limit.mark + 4096)
        await sender.run { bus in bus.onDrain = nil }
        await sender.close()
        await receiver.close()
    }

    @Test func aFloodOfCallsIsAnsweredWithLimits() async throws {
        let held = Collected<BusCall>()
        let server = try await server { held.add($0) }
        let clients = [BusClient(daemon.address), BusClient(daemon.address)]
        let answers = Collected<Result<BusMessage, BusCallError>>()
        for client in clients {
            await client.run { bus in
                for _ in 0..<500 {
                    bus.call("test.server", "/object", "test.Object", "Hold", timeout: .seconds(180)) {
                        answers.add($0)
                    }
                }
            }
        }
        let refused = 1000 - BusSession.Limit.unanswered
        #expect(await eventually { answers.all.count == refused })
        #expect(held.all.count == BusSession.Limit.unanswered)
        #expect(answers.all.allSatisfy { "\($0)".contains("Too many calls wait for answers.") })
        await server.run { _ in for call in held.all { call.reply() } }
        #expect(await eventually { answers.all.count == 1000 })
        for client in clients { await client.close() }
        await server.close()
    }
}
