import BLEAdapter
import BLETransport
import Dispatch
import Foundation
import TestConditions
import Testing

@testable import MQTTClient

/// A client and brokers over sockets.
@Suite(.serialized, .timeLimit(.minutes(5))) struct MQTTClientRealTimeTests {
    private static let payload = 60_000
    private static let count = 400

    /// A client on a queue, and its events.
    private final class Bench: Sendable {
        let queue = DispatchQueue(label: "owner")
        let events = EventLog()
        let client: MQTTClient

        init(_ ports: [Int], _ version: MQTTConfiguration.Version = .v5) throws {
            let addresses = ports.map { MQTTConfiguration.Address(host: "127.0.0.1", port: $0) }
            var configuration = MQTTConfiguration(addresses, clientIdentifier: "c")
            configuration.version = version
            client = try MQTTClient(configuration, on: queue) { [events] in events.add($0) }
        }

        func connect() { queue.sync { client.connect() } }

        /// Ends the connection and waits until the broker has been told.
        func disconnect() {
            let isEnded = DispatchSemaphore(value: 0)
            queue.sync { client.disconnect { isEnded.signal() } }
            #expect(isEnded.wait(timeout: .now() + 30) == .success)
        }
    }

    private static func messages() -> [UInt8] {
        (0..<count).flatMap { number in
            publish("t", [UInt8(number >> 8), UInt8(number & 0xFF)] + [UInt8](repeating: 0x55, count: payload - 2))
        }
    }

    private static func numbers(_ events: [MQTTEvent]) -> [Int] {
        events.compactMap { event in
            guard case .received(let message) = event else { return nil }
            return message.payload.prefix(2).reduce(0) { $0 << 8 | Int($1) }
        }
    }

    @Test func aClientReadsNoMoreWhileItsOwnerIsBusy() throws {
        let (isBusy, isStalled) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let rest = Lock(0)
        let broker = try FakeBroker { connection, _ in
            try connection.accept()
            isBusy.wait()
            let messages = Self.messages()
            let left = try connection.sendUntilStalled(messages)
            rest.withLock { $0 = left.count }
            isStalled.signal()
            try connection.send(left)
            try connection.awaitEnd()
        }
        let bench = try Bench([broker.port])
        bench.connect()
        #expect(bench.events.wait { $0.contains(.connected) })
        bench.queue.suspend()
        isBusy.signal()
        #expect(isStalled.wait(timeout: .now() + 60) == .success)
        // The system holds some megabytes.
        #expect(rest.withLock { $0 } > Self.payload * Self.count / 2)
        #expect(Self.numbers(bench.events.all).count <= 1)
        bench.queue.resume()
        #expect(bench.events.wait { Self.numbers($0).count == Self.count })
        #expect(Self.numbers(bench.events.all) == Array(0..<Self.count))
        bench.disconnect()
    }

    /// A message with quality of service 0 counts as published when the system has taken it, and not when the stream has failed.
    @Test func whatABrokenConnectionDidNotTakeIsNotPublished() throws {
        let (isToEnd, hasEnded) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let broker = try FakeBroker { connection, _ in
            try connection.accept()
            isToEnd.wait()
            // With a packet that it has not read, so that the system resets the connection.
            connection.end()
            hasEnded.signal()
        }
        let bench = try Bench([broker.port])
        bench.connect()
        #expect(bench.events.wait { $0.contains(.connected) })
        bench.queue.sync {
            bench.client.subscribe("a")
            isToEnd.signal()
            #expect(hasEnded.wait(timeout: .now() + 60) == .success)
            for number in 0..<3 as Range<UInt64> {
                bench.client.publish(MQTTPublication(topic: "t", payload: [], isAcknowledged: false), number: number)
            }
        }
        #expect(bench.events.wait { $0.contains { if case .disconnected = $0 { true } else { false } } })
        #expect(!bench.events.all.contains { if case .published = $0 { true } else { false } })
    }

    /// The thread of a group serves the connection.
    @Test func aGroupServesAConnection() throws {
        let broker = try FakeBroker { connection, _ in
            try connection.accept()
            try connection.send(Self.messages())
            while true {
                let packet = try connection.packet()
                if packet.first == 0x32 { try connection.send([0x40, 2, packet.body[3], packet.body[4]]) }
            }
        }
        let bench = try Bench([broker.port])
        let group = try PollingGroup(queue: bench.queue) { serveStreams in
            serveStreams()
            return .unlimited
        }
        bench.queue.sync {
            bench.client.pollingGroup = group
            bench.client.connect()
        }
        #expect(bench.events.wait { Self.numbers($0).count == Self.count })
        #expect(Self.numbers(bench.events.all) == Array(0..<Self.count))
        bench.queue.sync {
            bench.client.publish((0..<50).map { (MQTTPublication(topic: "t", payload: []), $0) })
        }
        #expect(bench.events.wait { $0.contains(.published(49, refusal: nil)) })
        bench.disconnect()
    }

    @Test func aClientTriesTheBrokersOfAClusterInTurn() throws {
        let ends = Lock(0)
        let brokers = try (0..<3).map { _ in
            try FakeBroker { connection, _ in
                try connection.accept()
                // The next attempt ends this one.
                if try connection.packet().first == 0xE0 { ends.withLock { $0 += 1 } }
            }
        }
        let bench = try Bench(brokers.map(\.port))
        for attempt in 0..<5 {
            bench.connect()
            #expect(bench.events.wait { $0.count == attempt + 1 })
            #expect(bench.queue.sync { bench.client.address.port } == brokers[attempt % 3].port)
        }
        #expect(brokers.map(\.connections) == [2, 2, 1])
        #expect(bench.events.all.allSatisfy { $0 == .connected })
        bench.disconnect()
        #expect(eventuallyOnThisThread { ends.withLock { $0 == 5 } })
    }

    @Test(arguments: [MQTTConfiguration.Version.v311, .v5])
    func messagesGoBothWaysAndTheEndIsSaid(version: MQTTConfiguration.Version) throws {
        let last = Lock<[UInt8]>([])
        let broker = try FakeBroker { connection, _ in
            try connection.accept(version == .v5 ? .five : .old)
            while true {
                let packet = try connection.packet()
                last.withLock { $0.append(packet.first) }
                switch packet.first {
                case 0x82:
                    try connection.send(
                        [0x90, version == .v5 ? 4 : 3] + packet.body.prefix(2) + (version == .v5 ? [0, 1] : [1]))
                    try connection.send(publish("a/b", [7], flags: 2, identifier: 9, version))
                case 0x32: try connection.send([0x40, 2] + packet.body[3...4])
                default: break
                }
            }
        }
        let bench = try Bench([broker.port], version)
        bench.connect()
        #expect(bench.events.wait { $0 == [.connected] })
        bench.queue.sync { bench.client.subscribe("a/#") }
        #expect(bench.events.wait { $0.count == 3 })
        bench.queue.sync {
            bench.client.publish(MQTTPublication(topic: "x", payload: [], isAcknowledged: false), number: 1)
            bench.client.publish(MQTTPublication(topic: "y", payload: []), number: 2)
        }
        bench.queue.sync { bench.client.unsubscribe("a/#") }
        #expect(bench.events.wait { $0.count == 5 })
        let events = bench.events.all
        for event in [
            .subscribed("a/#", refusal: nil), .received(MQTTMessage(topic: "a/b", payload: [7])),
            .published(1, refusal: nil), .published(2, refusal: nil),
        ] as [MQTTEvent] {
            #expect(events.contains(event), "\(event)")
        }
        bench.disconnect()
        #expect(bench.events.all.count == 5)
        #expect(
            eventuallyOnThisThread { last.withLock { $0.sorted() == [0x30, 0x32, 0x40, 0x82, 0xA2, 0xE0] } },
            "\(last.withLock { $0 })")
    }

    /// The octets that ended the process in libmosquitto 2.0.11, and others. The next connection works.
    @Test func aHostileBrokerEndsTheConnectionAlone() throws {
        let lies: [[UInt8]] = [
            hexadecimal("20 05 00 00 02 7F 00"), hexadecimal("00 00"),
            hexadecimal("20 FF FF FF FF FF"), hexadecimal("20 03 00 00 00 30 FF FF FF 7F"), [],
        ]
        let broker = try FakeBroker { connection, number in
            guard number < lies.count else {
                try connection.accept()
                return try connection.awaitEnd()
            }
            _ = try connection.packet()
            try connection.send(lies[number])
            if !lies[number].isEmpty { try connection.awaitEnd() }
        }
        let bench = try Bench([broker.port])
        for number in lies.indices {
            bench.connect()
            #expect(bench.events.wait { $0.count { $0 != .connected } == number + 1 })
        }
        let reasons = bench.events.all.compactMap { event in
            if case .disconnected(let reason) = event { reason } else { nil }
        }
        let violation = "The broker violates MQTT: it sent "
        #expect(
            reasons == [
                violation + "CONNACK with an unknown property (127).",
                violation + "a packet of type 0.",
                violation + "CONNACK with a length of more than four octets.",
                violation + "PUBLISH with 268435455 octets.", "The connection was lost.",
            ])
        bench.connect()
        #expect(bench.events.wait { $0.last == .connected })
        bench.disconnect()
    }

    @Test func aPortWithoutABrokerIsSaidPlainly() throws {
        let port = try FakeBroker { _, _ in }.port
        let bench = try Bench([port])
        bench.connect()
        #expect(bench.events.wait { !$0.isEmpty })
        #expect(
            bench.events.all == [
                .disconnected(reason: "No broker listens at 127.0.0.1:\(port): the connection was refused.")
            ])
    }

    /// A broker that reads nothing: what waits is bounded, and the end does not wait for it.
    @Test func aBrokerThatReadsNothingHoldsABoundedNumberOfOctets() throws {
        let isOver = DispatchSemaphore(value: 0)
        let broker = try FakeBroker { connection, _ in
            try connection.accept()
            isOver.wait()
        }
        let bench = try Bench([broker.port])
        bench.connect()
        #expect(bench.events.wait { $0 == [.connected] })
        let payload = [UInt8](repeating: 0, count: 1 << 20)
        for number in 0..<64 as Range<UInt64> {
            bench.queue.sync { bench.client.publish(MQTTPublication(topic: "t", payload: payload), number: number) }
        }
        #expect(bench.events.wait { $0.count > 1 })
        let postponed = bench.events.all.dropFirst()
        #expect(
            postponed.allSatisfy { event in
                if case .postponed = event { true } else { false }
            })
        // Some are in the buffers of the system, and at most twice the limit in the client.
        #expect(postponed.count > 32 && postponed.count < 64)
        bench.disconnect()
        isOver.signal()
    }

    @Test func messagesAboveTheLimitAreReportedOnceInAConnection() throws {
        let reports = Lock<[Int]>([])
        let large = publish("t", [UInt8](repeating: 1, count: MQTTMessage.payloadLimit + 1))
        let broker = try FakeBroker { connection, _ in
            try connection.accept()
            try connection.send(large + large + publish("t", [2]))
            _ = try connection.packet()
        }
        let bench = try Bench([broker.port])
        bench.queue.sync { bench.client.reportDropped = { octets in reports.withLock { $0.append(octets) } } }
        for count in 1...2 {
            bench.connect()
            #expect(bench.events.wait { $0.count == 2 * count })
            #expect(bench.events.all.suffix(2) == [.connected, .received(MQTTMessage(topic: "t", payload: [2]))])
            #expect(reports.withLock { $0 } == [Int](repeating: MQTTMessage.payloadLimit + 1, count: count))
        }
        bench.disconnect()
    }

    /// The last octets leave although the broker is slow.
    @Test func theEndComesAfterWhatWaits() throws {
        let isEnding = DispatchSemaphore(value: 0)
        let packets = Lock<[UInt8]>([])
        let broker = try FakeBroker { connection, _ in
            try connection.accept()
            isEnding.wait()
            while true {
                let packet = try connection.packet()
                packets.withLock { $0.append(packet.first) }
            }
        }
        let bench = try Bench([broker.port])
        bench.connect()
        #expect(bench.events.wait { $0 == [.connected] })
        // More than the buffers of the system hold.
        let payload = [UInt8](repeating: 0, count: 20 << 20)
        let isTold = DispatchSemaphore(value: 0)
        bench.queue.sync {
            bench.client.publish(MQTTPublication(topic: "t", payload: payload), number: 1)
            bench.client.disconnect { isTold.signal() }
            isEnding.signal()
        }
        #expect(isTold.wait(timeout: .now() + 30) == .success)
        #expect(eventuallyOnThisThread { packets.withLock { $0 == [0x32, 0xE0] } })
    }

    @Test func aBrokerThatFallsSilentIsDead() throws {
        let packets = Lock<[UInt8]>([])
        let broker = try FakeBroker { connection, _ in
            _ = try connection.packet()
            // The broker's keep alive is 1 s.
            try connection.send(hexadecimal("20 06 00 00 03 13 00 01"))
            while true {
                let packet = try connection.packet()
                packets.withLock { $0.append(packet.first) }
            }
        }
        let bench = try Bench([broker.port])
        bench.connect()
        #expect(bench.events.wait { $0.count == 2 })
        #expect(bench.events.all == [.connected, .disconnected(reason: "The broker sent nothing for 1 s.")])
        #expect(eventuallyOnThisThread { packets.withLock { $0 == [0xC0] } })
    }

    @Test func aClientThatIsReleasedSaysGoodbye() throws {
        let packets = Lock<[UInt8]>([])
        let broker = try FakeBroker { connection, _ in
            try connection.accept()
            while true {
                let packet = try connection.packet()
                packets.withLock { $0.append(packet.first) }
            }
        }
        do {
            let bench = try Bench([broker.port])
            bench.connect()
            #expect(bench.events.wait { $0 == [.connected] })
        }
        #expect(eventuallyOnThisThread { packets.withLock { $0 == [0xE0] } })
    }
}

/// The events of a client, from its queue.
final class EventLog: @unchecked Sendable {
    // `@unchecked Sendable`: `events` is used with `condition` locked.

    private let condition = NSCondition()
    private var events: [MQTTEvent] = []

    func add(_ event: MQTTEvent) {
        condition.lock()
        events.append(event)
        condition.broadcast()
        condition.unlock()
    }

    var all: [MQTTEvent] {
        condition.lock()
        defer { condition.unlock() }
        return events
    }

    /// Waits until the events are as given; returns false after a minute.
    func wait(_ isDone: ([MQTTEvent]) -> Bool) -> Bool {
        condition.lock()
        defer { condition.unlock() }
        let limit = Date(timeIntervalSinceNow: 60)
        while !isDone(events) { guard condition.wait(until: limit) else { return isDone(events) } }
        return true
    }
}
