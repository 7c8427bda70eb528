import BLEAdapter
import BLETransport
import BLEWire
import DurableQueue
import Foundation
import MQTTClient
import Synchronization
import TestConditions
import TestDoubles
import Testing

@testable import CloudGateway

/// The driver: what it asks of the broker, the adapter and the folder, and what it tells its program.
///
/// One after another, because the gateways of a program share the delay of its reads.
@Suite(.serialized) struct CloudServerTests {
    private static let status = "bluetooth/hall/status"
    private static let statistics = "bluetooth/hall/statistics"

    // MARK: The beginning

    @Test func theGatewayConnectsSubscribesAndScans() throws {
        let bench = try GatewayBench()
        bench.start()
        #expect(bench.calls == [.connect])
        #expect(bench.adapter.takeCommands() == [])
        bench.report { $0.adapterStateChanged(.poweredOn) }
        #expect(bench.adapter.takeCommands() == [.startScan(ScanRequest(allowDuplicates: true))])
        let before = Int(Date().timeIntervalSince1970 * 1000)
        bench.advertise(1)
        let after = Int(Date().timeIntervalSince1970 * 1000)
        #expect(bench.calls == [], "without the broker, the message waits on the disk")
        bench.send(.connected)
        #expect(bench.calls == [.subscribe("bluetooth/hall/command/+"), .session(Self.status), .stored([0])])
        #expect(bench.events == ["connected with broker"])
        // Milliseconds since 1970.
        let message = try #require(bench.run { bench.broker.publications.first { $0.number == 0 } }?.message)
        let time = try #require(json(message.payload)["time"] as? Int)
        #expect((before - 1...after + 1).contains(time))
        bench.advertise(2)
        #expect(bench.calls == [.stored([1])])
        #expect(bench.run { bench.broker.configuration?.will } == CloudSession.will(bench.gateway.session.topics))
    }

    @Test func eachBrokerOfAClusterIsTriedInTurn() throws {
        let bench = try GatewayBench(brokers: ["one", "two", "three"])
        bench.start()
        for _ in 0..<2 {
            bench.send(.disconnected(reason: "refused"))
            let pause = try #require(bench.run { bench.gateway.session.deadline }) - bench.now
            #expect(CloudBrokerConnection.nextBrokerPause.contains(pause))
            bench.advanceToDeadline()
        }
        bench.send(.connected)
        #expect(bench.events == ["disconnected: refused", "connected with three"])
    }

    @Test func aGatewayThatCannotStartSaysWhy() throws {
        func failure(_ body: () throws -> GatewayBench) -> String? {
            #expect(throws: CloudStartError.self) { _ = try body() }?.description
        }
        let blind = FakeAdapter()
        blind.knowsAddresses = false
        #expect(
            failure { try GatewayBench(adapter: blind) }
                == "The adapter does not know the addresses of devices, which the gateway publishes.")
        let prefix = String(repeating: "p", count: 250)
        #expect(failure { try GatewayBench { $0.prefix = prefix } }?.hasSuffix("Choose a shorter prefix.") == true)
        let first = try GatewayBench()
        #expect(
            failure { try GatewayBench(folder: first.folder) }
                == "The queue cannot be opened: \(DurableQueueError.inUse(folder: first.folder))")
    }

    @Test func aClientThatCannotBeMadeSaysWhy() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let failure = #expect(throws: CloudStartError.self) {
            _ = try CloudGateway(
                adapter: FakeAdapter(), configuration: CloudConfiguration(name: "hall", version: "1"),
                broker: MQTTConfiguration(host: "h", port: 1, clientIdentifier: "c"), folder: folder,
                limits: DurableQueue.Limits(), queue: DispatchQueue(label: "gateway"), sharesThreads: false,
                clock: { .zero }
            ) { (_, _) throws(MQTTClientError) in throw MQTTClientError("The library is missing.", "Install it.") }
        }
        #expect(failure?.description == MQTTClientError("The library is missing.", "Install it.").description)
    }

    /// The sequence numbers and the name of the queue outlive the process.
    @Test func anotherRunContinuesTheQueue() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var names: Set<String> = []
        for run in 0..<3 as Range<UInt64> {
            let bench = try GatewayBench(folder: folder)
            bench.becomeReady()
            if run > 0 {
                // What the run before stored, and the broker did not acknowledge.
                #expect(bench.run { bench.broker.publications.map(\.number).contains(run - 1) })
                bench.send(.published(run - 1, refusal: nil))
            }
            bench.advertise(run)
            #expect(bench.run { bench.broker.publications.last?.number } == run)
            names.insert(bench.run { bench.gateway.session.queueName })
            // The bench of this run must not remove the folder of the next.
            bench.keepsFolder = true
            bench.run { bench.gateway.stop() }
            bench.send(.published(try #require(bench.run { bench.broker.numbersOfSession.last }), refusal: nil))
        }
        #expect(names.count == 1)
        let queue = try DurableQueue(folder: folder)
        #expect(queue.count == 1)
        #expect(try queue.next()?.sequence == 2)
    }

    // MARK: Events of the broker

    /// The same reason again is no news, until a connection was there in between.
    @Test func aReasonIsReportedOnce() throws {
        let bench = try GatewayBench()
        bench.start()
        for reason in ["refused", "refused", "absent", "refused"] {
            bench.send(.disconnected(reason: reason))
            bench.advanceToDeadline()
        }
        #expect(bench.events == ["disconnected: refused", "disconnected: absent", "disconnected: refused"])
        bench.send(.connected, .disconnected(reason: "refused"))
        #expect(bench.events.suffix(2) == ["connected with broker", "disconnected: refused"])
        #expect(bench.figure("connections_total") == 1)
        #expect(bench.figure("connections_failed_total") == 4)
    }

    @Test func messagesOfALostConnectionComeAgain() throws {
        let bench = try GatewayBench()
        bench.becomeReady()
        for address in 0..<3 as Range<UInt64> { bench.advertise(address) }
        _ = bench.calls
        for _ in 0..<2 {
            bench.send(.published(1, refusal: nil), .disconnected(reason: "ended"))
            bench.advanceToDeadline()
            bench.send(.connected)
            #expect(
                bench.calls == [
                    .connect, .subscribe("bluetooth/hall/command/+"), .session(Self.status), .stored([0, 2]),
                ])
        }
    }

    /// One step for all acknowledgements that arrive together: one publication of as many messages.
    @Test func acknowledgementsThatArriveTogetherAreOneStep() throws {
        let bench = try GatewayBench()
        bench.becomeReady()
        bench.advertiseAtOnce(0..<250)
        #expect(bench.calls == [.stored(Array(0..<100))])
        for first in [0, 60] as [UInt64] {
            bench.run {
                for number in first..<first + 60 { bench.broker.handler?(.published(number, refusal: nil)) }
                // A write to the disk for each of them would cost too much.
                #expect(bench.broker.calls == [])
            }
            #expect(bench.calls == [.stored(Array(first + 100..<first + 160))])
        }
        #expect(bench.figure("messages_acknowledged_total") == 120)
        #expect(bench.figure("queued_messages") == 130)
    }

    @Test func theTimeUntilAnAcknowledgementIsTold() throws {
        let bench = try GatewayBench()
        bench.becomeReady()
        bench.advertise(1)
        bench.advertise(2)
        bench.advance(.milliseconds(30))
        bench.send(.published(0, refusal: nil))
        bench.send(.published(1, refusal: "Not authorized."))
        #expect(bench.acknowledgements == [.milliseconds(30)])
        bench.advertise(3)
        bench.advance(.milliseconds(7))
        bench.send(.published(2, refusal: nil))
        #expect(bench.acknowledgements == [.milliseconds(30), .milliseconds(7)])
    }

    @Test func aRefusalIsReportedOnceForEachReason() throws {
        let bench = try GatewayBench()
        bench.becomeReady()
        let number = try #require(bench.run { bench.broker.numbersOfSession.last })
        for address in 0..<4 as Range<UInt64> { bench.advertise(address) }
        bench.send(.published(number, refusal: "Not authorized."))
        bench.send(.published(0, refusal: "Not authorized."))
        bench.send(.published(1, refusal: "Too large."), .published(2, refusal: "Too large."))
        bench.send(.postponed(3, reason: "Quota exceeded."))
        #expect(
            bench.events.dropFirst() == ["refused: Not authorized.", "refused: Too large.", "refused: Quota exceeded."])
        #expect(bench.figure("messages_refused_total") == 3)
        #expect(bench.figure("messages_postponed_total") == 1)
        #expect(bench.figure("queued_messages") == 1)
        bench.send(.subscribed("bluetooth/hall/command/+", refusal: nil))
        bench.send(.subscribed("bluetooth/hall/command/+", refusal: "No."))
        #expect(bench.events.last == "refused bluetooth/hall/command/+: No.")
        #expect(bench.events.count == 5)
    }

    @Test func aPublicationOfTheSessionThatIsPostponedIsDropped() throws {
        let bench = try GatewayBench()
        bench.becomeReady()
        bench.command("1", "explode")
        let reply = try #require(bench.run { bench.broker.numbersOfSession.last })
        bench.send(.postponed(reply, reason: "Quota exceeded."))
        #expect(bench.events.last == "refused: Quota exceeded.")
        #expect(bench.figure("messages_postponed_total") == 0)
        bench.send(.disconnected(reason: "ended"))
        bench.advanceToDeadline()
        bench.send(.connected)
        #expect(bench.run { bench.broker.numbersOfSession.count { $0 == reply } } == 2, "a reply comes again")
    }

    // MARK: The adapter

    @Test func aLinkIsDrivenByCommands() throws {
        let bench = try GatewayBench()
        bench.becomeReady()
        _ = bench.adapter.takeCommands()
        bench.connect()
        let range = HandleRange(start: 1, end: 9)
        #expect(
            bench.adapter.takeCommands() == [
                .connect(CloudBench.peer, ConnectionOptions()), .submit(.discoverServices(nil), CloudBench.peer),
                .submit(.discoverCharacteristics(service: range, nil), CloudBench.peer),
            ])
        let reply = "bluetooth/hall/reply/me"
        #expect(
            bench.run { bench.broker.payload(reply) }
                == #"{"id":"c","result":{"services":[{"uuid":"180F","characteristics":[{"uuid":"2A19","handle":3,"properties":18}]}]}}"#
        )
        bench.subscribe()
        #expect(
            bench.adapter.takeCommands() == [
                .submit(.setNotify(valueHandle: 3, end: 9, mode: .notification), CloudBench.peer)
            ])
        #expect(bench.run { bench.broker.payload(reply) } == #"{"id":"s","result":{"handle":3}}"#)
        bench.report { $0.received([87].span, handle: 3, from: CloudBench.peer) }
        let value = bench.run { bench.broker.payload("bluetooth/hall/value/ACBC32890EA9/3") }
        #expect(value?.contains(#""value":"57""#) == true)
        bench.command("d", "disconnect")
        #expect(bench.adapter.takeCommands() == [.cancelConnection(CloudBench.peer)])
        bench.report { $0.disconnected(CloudBench.peer, .cancelled, isReconnecting: false) }
        #expect(bench.run { bench.broker.payload(reply) } == #"{"id":"d","result":{}}"#)
        let link = bench.run { bench.broker.payload("bluetooth/hall/link/ACBC32890EA9") }
        #expect(link?.hasSuffix(#""state":"disconnected","reason":"the gateway ended it"}"#) == true)
        bench.command("again", "connect")
        bench.report { $0.connectionFailed(CloudBench.peer, .limitReached) }
        #expect(
            bench.run { bench.broker.payload(reply) }
                == #"{"id":"again","error":{"code":"disconnected","message":"The link ended: the controller has no room for another link."}}"#
        )
    }

    /// A Write Command that finds no room is not sent, and the client hears of it; the next one is.
    @Test func aWriteCommandWaitsForNoRoom() throws {
        let bench = try GatewayBench()
        bench.becomeReady()
        bench.connect()
        _ = bench.adapter.takeCommands()
        let reply = "bluetooth/hall/reply/me"
        for (id, hasRoom) in [("1", true), ("2", false), ("3", true)] {
            try #require(bench.adapter.centrals.last).hasRoom = hasRoom
            bench.command(id, "write", #"{"handle":3,"value":"0\#(id)","response":false}"#)
            let octet = try #require(UInt8(id))
            #expect(bench.adapter.takeCommands() == (hasRoom ? [.write([octet], handle: 3, CloudBench.peer)] : []))
            let text = try #require(bench.run { bench.broker.payload(reply) })
            #expect(text == #"{"id":"\#(id)","result":{}}"# || !hasRoom && text.contains(#""code":"busy""#), "\(text)")
        }
    }

    /// The host reads at once while there is a link, and with a pause while it only scans. The pause is one for the process, so nothing
    /// else may run.
    @Test func packetsWaitOnlyWhileThereIsNoLinkRealTime() throws {
        func delay() -> UInt32 { PollingThread.readDelay.load(ordering: .relaxed) }
        let bench = try GatewayBench()
        bench.start()
        #expect(delay() == 0)
        for _ in 0..<2 {
            bench.report { $0.adapterStateChanged(.poweredOn) }
            #expect(delay() == 5000)
            bench.report { $0.adapterStateChanged(.resetting) }
            #expect(delay() == 0)
        }
        bench.report { $0.adapterStateChanged(.poweredOn) }
        bench.send(.connected)
        for round in 0..<2 {
            bench.command("\(round)", "connect")
            #expect(delay() == 0)
            bench.report { $0.connectionFailed(CloudBench.peer, .establishmentFailed) }
            #expect(delay() == 5000)
        }
        // A gateway among many leaves the delay of its process alone.
        let other = try GatewayBench(sharesThreads: true)
        other.start()
        other.report { $0.adapterStateChanged(.resetting) }
        #expect(delay() == 5000)
        bench.send(.disconnected(reason: "ended"))
        bench.run { bench.gateway.stop() }
        #expect(delay() == 0)
    }

    /// Advertisements come with the adapter's step; a state does not wait for it.
    @Test func theSchedulerOfTheAdapterDecidesWhenAdvertisementsAreTaken() throws {
        let scheduler = FakeScheduler()
        let adapter = FakeAdapter()
        adapter.callbackScheduler = scheduler
        let bench = try GatewayBench(adapter: adapter)
        bench.becomeReady()
        for round in 0..<2 as Range<UInt64> {
            bench.advertise(2 * round)
            bench.advertise(2 * round + 1)
            #expect(bench.calls == [])
            let blocks = scheduler.take()
            #expect(blocks.count == 1, "round \(round)")
            bench.run { for block in blocks { block() } }
            #expect(bench.calls == [.stored([2 * round, 2 * round + 1])])
        }
        bench.advertise(9)
        bench.report { $0.adapterStateChanged(.poweredOff) }
        #expect(bench.calls == [.session(Self.status), .stored([4])])
        #expect(scheduler.take().count == 1)
    }

    @Test func theAdvertisementsOfAGatewayAmongManyAreGatheredRealTime() async throws {
        let bench = try GatewayBench(sharesThreads: true)
        bench.becomeReady()
        #expect(bench.run { bench.broker.pollingGroup == nil })
        for round in 0..<2 as Range<UInt64> {
            bench.advertise(round)
            #expect(await eventually { bench.run { bench.broker.publications.last?.number == round } })
        }
    }

    // MARK: Time

    @Test func aBrokerThatAcknowledgesNothingIsLeftEachTime() throws {
        let bench = try GatewayBench()
        bench.becomeReady()
        bench.advertise(1)
        for round in 1...2 {
            _ = bench.calls
            bench.advance(.milliseconds(29_999))
            #expect(!bench.calls.contains(.disconnect), "round \(round)")
            bench.advance(.milliseconds(1))
            #expect(bench.calls.contains(.disconnect), "round \(round)")
            #expect(bench.events.last == "disconnected: The broker acknowledged nothing for 30 s.")
            #expect(bench.events.count == 2 * round)
            #expect(bench.run { bench.gateway.session.brokerFailure } == "The broker acknowledged nothing for 30 s.")
            bench.advanceToDeadline()
            bench.send(.connected)
            #expect(bench.calls.contains(.stored([0])))
        }
        bench.send(.published(0, refusal: nil))
        bench.advance(.seconds(31))
        #expect(!bench.calls.contains(.disconnect))
    }

    @Test func anAttemptWithoutAnAnswerIsGivenUpEachTime() throws {
        let bench = try GatewayBench()
        bench.start()
        for round in 0..<2 {
            #expect(bench.calls == [.connect])
            bench.advance(.milliseconds(29_999))
            #expect(bench.calls == [])
            bench.advance(.milliseconds(1))
            #expect(bench.calls == [.disconnect], "round \(round)")
            bench.advanceToDeadline()
        }
    }

    @Test func statisticsComeEachMinuteWithTheQueue() throws {
        let bench = try GatewayBench()
        bench.becomeReady()
        #expect(bench.statistics == 1)
        bench.advertise(1)
        bench.advertise(2)
        bench.send(.published(0, refusal: nil))
        for minute in 1...2 {
            bench.send(.published(UInt64(minute), refusal: nil))
            bench.advance(.milliseconds(59_999))
            #expect(bench.statistics == minute)
            bench.advertise(UInt64(minute + 2))
            bench.advance(.milliseconds(1))
            #expect(bench.statistics == minute + 1)
            #expect(
                bench.run { bench.broker.payload(Self.statistics) }
                    == #"{"advertisements":\#(minute + 2),"limited":0,"values":0,"commands":0,"connections":1,"queued":1,"devices":\#(minute + 2),"links":0}"#
            )
        }
    }

    @Test func aRateDelaysTheMessagesThatWaited() throws {
        let bench = try GatewayBench { $0.publicationRate = 10 }
        bench.becomeReady()
        for address in 0..<4 as Range<UInt64> { bench.advertise(address) }
        #expect(bench.calls == [.stored([0])])
        for number in 1..<4 as Range<UInt64> {
            bench.advance(.milliseconds(99))
            #expect(!bench.calls.contains(.stored([number])))
            bench.advance(.milliseconds(1))
            #expect(bench.calls.contains(.stored([number])))
        }
    }

    /// The timer runs for each pause, and the attempts go on.
    @Test func theTimerConnectsAgainEachTimeRealTime() async throws {
        // A cluster, whose pauses are short.
        let bench = try GatewayBench(isRealTime: true, brokers: ["a", "b", "c", "d"])
        bench.start()
        for round in 1...2 {
            bench.send(.disconnected(reason: "refused"))
            #expect(
                await eventually { bench.run { bench.broker.calls.count { $0 == .connect } == round + 1 } },
                "round \(round)")
        }
        // A deadline that goes and comes again sets the timer anew.
        bench.send(.connected)
        bench.send(.disconnected(reason: "ended"))
        #expect(await eventually { bench.run { bench.broker.calls.count { $0 == .connect } == 4 } })
    }

    // MARK: The thread of the broker

    /// Acknowledgements that the thread of the polling group reads together are one step as well.
    @Test func theThreadOfTheBrokerFlushesOnceRealTime() async throws {
        let bench = try GatewayBench()
        bench.becomeReady()
        bench.advertiseAtOnce(0..<250)
        _ = bench.calls
        var numbers: [Int32] = [-1, -1]
        try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &numbers) == 0)
        defer { close(numbers[1]) }
        let group = try #require(bench.run { bench.broker.pollingGroup })
        let stream = DispatchStream(
            TransportConnection(socket: numbers[0], name: "pair"), queue: bench.queue, group: group)
        bench.run {
            stream.onReceive = { octets in
                for number in 0..<20 {
                    bench.broker.handler?(.published(UInt64(octets[0]) + UInt64(number), refusal: nil))
                }
            }
            stream.start()
        }
        for first in [0, 20, 40] as [UInt8] {
            var octet = first
            try #require(write(numbers[1], &octet, 1) == 1)
            let expected = Array(UInt64(first) + 100..<UInt64(first) + 120)
            #expect(await eventually { bench.run { bench.broker.calls } == [.stored(expected)] }, "from \(first)")
            _ = bench.calls
        }
        bench.run { stream.close() }
    }

    // MARK: The end

    @Test func theEndIsToldToTheBrokerAndTheProgramOnce() throws {
        let bench = try GatewayBench()
        bench.becomeReady()
        bench.connect()
        _ = (bench.calls, bench.adapter.takeCommands())
        bench.run { bench.gateway.stop() }
        #expect(bench.calls == [.session(Self.status), .stored([1])])
        #expect(bench.run { bench.broker.payload(Self.status) } == #"{"state":"offline","reason":"stopped"}"#)
        #expect(bench.adapter.takeCommands() == [.cancelConnection(CloudBench.peer), .stopScan])
        #expect(bench.events == ["connected with broker"])
        bench.run { bench.gateway.stop() }
        #expect(bench.calls == [])
        let number = try #require(bench.run { bench.broker.numbersOfSession.last })
        bench.send(.published(number, refusal: nil))
        #expect(bench.calls == [.disconnect])
        #expect(bench.events == ["connected with broker", "stopped"])
        // What comes later changes nothing.
        bench.run { bench.gateway.stop() }
        bench.send(.published(number, refusal: nil), .disconnected(reason: "ended"))
        bench.advance(.seconds(100))
        #expect(bench.calls == [])
        #expect(bench.run { bench.broker.pollingGroup == nil })
    }

    @Test func theEndOfASilentBrokerComesAfterTwoSeconds() throws {
        let bench = try GatewayBench()
        bench.becomeReady()
        bench.run { bench.gateway.stop() }
        _ = bench.calls
        bench.advance(.milliseconds(1999))
        #expect(bench.calls == [])
        bench.advance(.milliseconds(1))
        #expect(bench.calls == [.disconnect])
        #expect(bench.events.last == "stopped")
    }

    /// A client whose connection attempt blocks delays the end by one second at most, and a late answer is no second end.
    @Test func theEndDoesNotWaitForTheClientRealTime() async throws {
        let bench = try GatewayBench()
        bench.broker.completesDisconnect = false
        bench.start()
        bench.run { bench.gateway.stop() }
        #expect(bench.events == [])
        #expect(await eventually { bench.run { bench.events } == ["stopped"] })
        let quick = try GatewayBench()
        quick.start()
        let isOver = Atomic(false)
        quick.run { quick.gateway.stop() }
        #expect(quick.events == ["stopped"])
        // check-tests: wait: the moment after the gateway's own limit of one second, when a second event would have come.
        quick.queue.asyncAfter(deadline: .now() + .milliseconds(1300)) { isOver.store(true, ordering: .relaxed) }
        #expect(await eventually { isOver.load(ordering: .relaxed) })
        #expect(quick.run { quick.events } == ["stopped"])
    }

    // MARK: The disk

    /// A failure of the disk is reported once, another one again.
    @Test func aMessageThatTheQueueDoesNotTakeIsReported() throws {
        let bench = try GatewayBench(limits: DurableQueue.Limits(messageOctets: 64))
        bench.becomeReady()
        for address in 0..<3 as Range<UInt64> { bench.advertise(address) }
        #expect(bench.events.count == 2)
        #expect(bench.events.last?.hasSuffix("but the queue takes 64 at most.") == true)
        bench.report { $0.discovered(CloudBench.advertisement(7, name: "A longer name")) }
        #expect(bench.events.count == 3)
        #expect(bench.figure("messages_unstored_total") == 4)
        #expect(bench.figure("advertisements_total") == 4)
        #expect(bench.figure("queued_messages") == 0)
    }
}

extension CloudServerTests {
    // MARK: Figures

    private static let lines: [(name: String, type: String, help: String)] = [
        ("broker_connected", "gauge", "1 while the broker is connected."),
        ("adapter_on", "gauge", "1 while the Bluetooth adapter is on."),
        ("advertisements_total", "counter", "Advertisements that were stored."),
        ("advertisements_limited_total", "counter", "Advertisements beyond the rate limits."),
        ("advertisements_dropped_total", "counter", "Advertisements that came too fast."),
        ("values_total", "counter", "Notifications and indications that were stored."),
        ("values_dropped_total", "counter", "Notifications and indications that came too fast."),
        ("commands_total", "counter", "Commands that were carried out or refused."),
        ("commands_repeated_total", "counter", "Commands that came again."),
        ("commands_invalid_total", "counter", "Commands that could not be read."),
        ("replies_dropped_total", "counter", "Replies that waited for the broker and found no room."),
        ("publications_dropped_total", "counter", "Publications from memory that found no room."),
        ("connections_total", "counter", "Connections to the broker."),
        ("connections_failed_total", "counter", "Attempts to connect to the broker that failed."),
        ("messages_acknowledged_total", "counter", "Messages that the broker acknowledged."),
        ("messages_refused_total", "counter", "Messages that the broker refused."),
        ("messages_postponed_total", "counter", "Answers of the broker that it does not take a message now."),
        ("messages_overflowed_total", "counter", "Messages that the limit of the queue removed."),
        ("messages_damaged_total", "counter", "Messages that the file system damaged."),
        ("messages_unstored_total", "counter", "Messages that the queue did not take."),
        ("queued_messages", "gauge", "Messages that the broker has not acknowledged."),
        ("queued_octets", "gauge", "The size of the queue on the disk."),
        ("devices", "gauge", "Devices that the rate limit remembers."),
        ("links", "gauge", "Bluetooth links."),
    ]

    /// The text format of Prometheus: for each figure its help, its type and its value.
    private static func metrics(_ values: [Int]) -> String {
        zip(lines, values).map { line, value in
            let name = "bluetooth_cloud_\(line.name)"
            return "# HELP \(name) \(line.help)\n# TYPE \(name) \(line.type)\n\(name) \(value)\n"
        }.joined()
    }

    @Test func aNewGatewayHasOnlyZeros() throws {
        let bench = try GatewayBench()
        #expect(bench.run { bench.gateway.metrics } == Self.metrics([Int](repeating: 0, count: Self.lines.count)))
        #expect(!bench.run { bench.gateway.isBrokerConnected })
        #expect(
            String(decoding: bench.run { bench.gateway.health }, as: UTF8.self)
                == #"{"healthy":false,"broker":"away","adapter":"unknown","queued":0}"#)
    }

    @Test func theMetricsCountWhatHappened() throws {
        let bench = try GatewayBench(limits: DurableQueue.Limits(messageOctets: 1024))
        bench.start()
        for _ in 0..<2 {
            bench.send(.disconnected(reason: "refused"))
            bench.advanceToDeadline()
        }
        bench.send(.connected)
        bench.report { $0.adapterStateChanged(.poweredOn) }
        // 7 that are stored, 1 that is too long for the queue, and 3 that come too soon.
        for address in 0..<7 as Range<UInt64> { bench.advertise(address) }
        bench.advertise(0, count: 3)
        let long = Discovery(
            peer: PeerRecord(identifier: CloudBench.peer, name: nil),
            address: DeviceAddress(kind: .public, value: 7), data: [UInt8](repeating: 0xFF, count: 600),
            isConnectable: true, rssi: 0)
        bench.report { $0.discovered(long) }
        // One message about the link, and 4 values.
        bench.connect()
        bench.subscribe()
        for octet in 0..<4 as Range<UInt8> {
            bench.report { $0.received([octet].span, handle: 3, from: CloudBench.peer) }
        }
        bench.command("e", "explode")
        for _ in 0..<2 { bench.command("c", "connect") }
        for _ in 0..<6 {
            bench.send(.received(MQTTMessage(topic: "bluetooth/hall/command/me", payload: Array("{}".utf8))))
        }
        for number in 0..<5 as Range<UInt64> { bench.send(.published(number, refusal: nil)) }
        for number in 5..<7 as Range<UInt64> { bench.send(.published(number, refusal: "No.")) }
        bench.send(.postponed(7, reason: "Later."))
        let octets = bench.run { bench.gateway.queueOctets }
        #expect(octets == 4096, "a short segment counts as a block")
        #expect(
            bench.run { bench.gateway.metrics }
                == Self.metrics([
                    1, 1, 8, 3, 0, 4, 0, 3, 2, 6, 0, 0, 1, 2, 5, 2, 1, 0, 0, 1, 5, octets, 8, 1,
                ]))
    }

    /// What comes too fast is counted, and the counts of each time add up.
    @Test func theMetricsCountWhatWasDropped() throws {
        let bench = try GatewayBench(
            limits: DurableQueue.Limits(octets: 0, segmentOctets: 16_384, messageOctets: 1024))
        bench.becomeReady()
        bench.connect()
        bench.subscribe()
        for round in 1...2 {
            // While the queue of the gateway is busy.
            bench.run {
                bench.adapter.report { observer in
                    for _ in 0..<2048 + 4 { observer.discovered(CloudBench.advertisement(1)) }
                    for _ in 0..<4096 + 5 { observer.received([1].span, handle: 3, from: CloudBench.peer) }
                }
            }
            #expect(bench.figure("advertisements_dropped_total") == 4 * round)
            #expect(bench.figure("values_dropped_total") == 5 * round)
            #expect(bench.figure("values_total") == 4096 * round)
            #expect(bench.figure("advertisements_limited_total") == 2048 * round - 1)
        }
        let queued = try #require(bench.figure("queued_messages"))
        #expect(queued > 0 && queued < 1000, "the queue has 68 KiB")
        // One message about the link, one advertisement and the values.
        #expect(bench.figure("messages_overflowed_total") == 2 + 2 * 4096 - queued)
        #expect(try #require(bench.figure("queued_octets")) <= 69_632)
        // A broker that acknowledges nothing: replies and publications have bounds.
        let replies = 256
        for index in 0..<replies { bench.command("x\(index)", "explode") }
        #expect(bench.figure("replies_dropped_total") == 2, "the replies to connect and subscribe wait as well")
        for index in 0..<256 {
            bench.report { $0.adapterStateChanged(index.isMultiple(of: 2) ? .poweredOff : .poweredOn) }
        }
        // The connection and the adapter's first state had a publication.
        #expect(bench.figure("publications_dropped_total") == 2)
        #expect(bench.figure("adapter_on") == 1)
        #expect(bench.figure("links") == 0)
    }

    @Test func theHealthFollowsTheBrokerAndTheAdapter() throws {
        let bench = try GatewayBench()
        func health() -> String { String(decoding: bench.run { bench.gateway.health }, as: UTF8.self) }
        bench.start()
        bench.report { $0.adapterStateChanged(.poweredOn) }
        bench.advertise(1)
        #expect(health() == #"{"healthy":false,"broker":"away","adapter":"on","queued":1}"#)
        bench.send(.disconnected(reason: "refused"))
        #expect(health() == #"{"healthy":false,"broker":"away","brokerFailure":"refused","adapter":"on","queued":1}"#)
        bench.advanceToDeadline()
        bench.send(.connected)
        #expect(health() == #"{"healthy":true,"broker":"connected","adapter":"on","queued":1}"#)
        bench.send(.published(0, refusal: nil))
        #expect(health() == #"{"healthy":true,"broker":"connected","adapter":"on","queued":0}"#)
        for (state, text) in [
            (AdapterState.resetting, "resetting"), (.unsupported, "unsupported"), (.unauthorized, "unauthorized"),
            (.poweredOff, "off"), (.unknown, "unknown"),
        ] {
            bench.report { $0.adapterStateChanged(state) }
            #expect(health() == #"{"healthy":false,"broker":"connected","adapter":"\#(text)","queued":0}"#)
        }
        bench.report { $0.adapterStateChanged(.poweredOn) }
        bench.send(.disconnected(reason: "ended"))
        #expect(health() == #"{"healthy":false,"broker":"away","brokerFailure":"ended","adapter":"on","queued":0}"#)
    }
}

/// Keeps the callbacks for the test.
private final class FakeScheduler: CallbackScheduling {
    private let blocks = Lock<[@Sendable () -> Void]>([])

    func take() -> [@Sendable () -> Void] {
        blocks.withLock { blocks in
            defer { blocks = [] }
            return blocks
        }
    }

    func scheduleCallback(_ block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue) {
        blocks.withLock { $0.append({ block() }) }
    }

    func startCallback(_ start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void) { start(nil) }
}
