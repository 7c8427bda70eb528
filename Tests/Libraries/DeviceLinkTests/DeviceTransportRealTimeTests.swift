import BLESimulator
import CoreBluetooth
import DeviceLink
import TestConditions
import Testing

@testable import struct DeviceLink.LinkEnvelope

/// A phone and a lamp in a world, with Bluetooth and a bus between them.
private final class RadioBench {
    let world: World
    let phone: VirtualDevice
    let lamp: VirtualDevice
    let phoneQueue = DispatchQueue(label: "phone")
    let lampQueue = DispatchQueue(label: "lamp")
    let phoneBus: MemoryTopicBus
    let events = Collected<DeviceConnection.Event>()
    let requests = Collected<String>()
    let replies = Collected<String>()
    private(set) var device: LinkedDevice!
    private(set) var link: DeviceConnection!

    init(
        seed: UInt64 = 1, loss: Double = 0, identifier: String = "lamp-1", hasCloud: Bool = false,
        lampKey: LinkKey? = nil
    ) {
        world = World(seed: seed, environment: RadioEnvironment(packetLoss: loss))
        let clock = world.clock
        lamp = world.addDevice("Lamp")
        phone = world.addDevice("Phone", at: Position(x: 1))
        // The bus is on one queue, so with it both ends are there.
        let queue = phoneQueue
        let bus = MemoryTopicBus(queue: queue)
        phoneBus = bus
        let deviceQueue = hasCloud ? queue : lampQueue
        let key = LinkKey.random()
        let (requests, events) = (requests, events)
        device = lamp.run {
            var listeners: [any DeviceListener] = [
                BluetoothListener(identifier, key: lampKey ?? key, queue: deviceQueue)
            ]
            if hasCloud { listeners.append(CloudListener(identifier, key: key, over: bus, clock: clock)) }
            // check-tests: trap: the arguments are constants or made by the test, and valid.
            let device = try! LinkedDevice(identifier, listeners: listeners, queue: deviceQueue, clock: clock) {
                request in
                requests.add(request.operation)
                request.reply(
                    request.operation == "no" ? .failure(LinkError("no", "It is off.")) : .success(request.arguments))
            }
            device.start()
            return device
        }
        link = phone.run {
            var ways: [any DeviceTransport] = [BluetoothTransport(to: identifier, key: key, queue: queue)]
            if hasCloud { ways.append(CloudTransport(to: identifier, key: key, over: bus, queue: queue, clock: clock)) }
            let link = DeviceConnection(to: identifier, over: ways, queue: queue, clock: clock, onEvent: events.add)
            link.start()
            return link
        }
    }

    func request(_ op: String, _ args: LinkValue = nil) {
        let replies = replies
        link.request(op, args) { result in
            switch result {
            case .success(let value): replies.add("\(op) \(value.json)")
            case .failure(let error): replies.add("\(op): \(error)")
            }
        }
        phoneQueue.sync {}
    }

    @discardableResult
    func run(_ limit: Duration = .seconds(60), until condition: @escaping @Sendable () -> Bool) async -> Bool {
        await world.run(timeout: limit) { condition() }
    }
}

/// Ways over the simulated radio and a bus, in virtual time.
@Suite(.timeLimit(.minutes(10)))
struct DeviceTransportRealTimeTests {
    @Test func aRequestGoesOverBluetoothAndItsReplyComesBack() async {
        let bench = RadioBench()
        let replies = bench.replies
        bench.request("set", ["on": true])
        bench.request("no")
        #expect(await bench.run { replies.all.count == 2 })
        #expect(replies.all == [#"set {"on":true}"#, "no: It is off. (no)"])
        #expect(bench.events.all == [.way("bluetooth")])
    }

    @Test func theCancellationOfATaskEndsItsRequest() async throws {
        let bench = RadioBench()
        let (requests, link) = (bench.requests, bench.link!)
        let events = link.events
        // No time passes before the cancellation, so the first request stays here.
        let early = Task { () -> DeviceRequestError? in
            do throws(DeviceRequestError) {
                _ = try await link.request("early")
                return nil
            } catch {
                return error
            }
        }
        early.cancel()
        #expect(await early.value == .unanswered(LinkRequestError(.waiting, .cancelled)))
        bench.request("set", 1)
        let replies = bench.replies
        #expect(await bench.run { replies.all.count == 1 })
        #expect(requests.all == ["set"])
        // The device does not answer this one.
        bench.lamp.setLoss(1)
        let late = Task { () -> DeviceRequestError? in
            do throws(DeviceRequestError) {
                _ = try await link.request("late")
                return nil
            } catch {
                return error
            }
        }
        await bench.run(.seconds(1)) { false }
        late.cancel()
        let end = try #require(await late.value)
        guard case .unanswered(let failure) = end else { throw end }
        #expect(failure.reason == .cancelled)
        for await event in events {
            #expect(event == .way("bluetooth"))
            break
        }
    }

    /// An envelope of 8 kB is many values; notifications wait for space.
    @Test(arguments: [0, 0.1]) func longEnvelopesAreCutAndJoined(_ loss: Double) async {
        let bench = RadioBench(seed: 2, loss: loss)
        let replies = bench.replies
        let text = LinkValue.text(String(repeating: "灯", count: 2600))
        for number in 0..<5 { bench.request("echo", [.integer(Int64(number)), text]) }
        #expect(await bench.run { replies.all.count == 5 })
        #expect(replies.all == (Int64(0)..<5).map { "echo \(LinkValue.list([.integer($0), text]).json)" })
    }

    @Test func eventsOfTheDeviceArrive() async throws {
        let bench = RadioBench(seed: 3)
        let (replies, events) = (bench.replies, bench.events)
        bench.request("hello")
        await bench.run { replies.all.count == 1 }
        for number in Int64(0)..<10 { try bench.device.send(event: "count", .integer(number)) }
        #expect(await bench.run { events.all.count >= 11 })
        #expect(
            Array(events.all.dropFirst())
                == (Int64(0)..<10).map { DeviceConnection.Event.event(operation: "count", arguments: .integer($0)) })
        #expect(throws: LinkFormatError.tooLong) {
            try bench.device.send(event: "e", .text(String(repeating: "x", count: 8200)))
        }
    }

    @Test func aLostLinkComesBackAndNoRequestIsCarriedOutTwice() async {
        let bench = RadioBench(seed: 4)
        let (replies, requests) = (bench.replies, bench.requests)
        for round in 0..<5 {
            bench.request("a\(round)")
            await bench.run(.milliseconds(Int64(100 + round * 37))) { false }
            bench.lamp.powerOff()
            await bench.run(.seconds(2)) { false }
            bench.lamp.powerOn()
            bench.request("b\(round)")
            let count = 2 * (round + 1)
            #expect(await bench.run(.seconds(40)) { replies.all.count == count })
        }
        let expected = (0..<5).flatMap { ["a\($0)", "b\($0)"] }
        #expect(requests.all == expected)
        #expect(replies.all == expected.map { "\($0) null" })
    }

    @Test func theCloudTakesOverWhileTheLampIsOutOfRange() async {
        let bench = RadioBench(seed: 5, hasCloud: true)
        let (replies, events, requests) = (bench.replies, bench.events, bench.requests)
        bench.request("first")
        #expect(await bench.run { replies.all.count == 1 })
        bench.lamp.powerOff()
        bench.request("second")
        #expect(await bench.run(.seconds(20)) { replies.all.count == 2 })
        #expect(events.all.contains(.way("cloud")))
        bench.lamp.powerOn()
        #expect(await bench.run(.seconds(90)) { events.all.last == .way("bluetooth") })
        bench.request("third")
        #expect(await bench.run { replies.all.count == 3 })
        bench.phoneQueue.sync { bench.phoneBus.isConnected = false }
        bench.lamp.powerOff()
        #expect(
            await bench.run(.seconds(20)) {
                events.all.contains { $0 == .way(nil) } && events.all.last != .way("bluetooth")
            })
        bench.request("fourth")
        #expect(await bench.run(.seconds(60)) { replies.all.count == 4 })
        #expect(replies.all.last == "fourth: \(LinkRequestError(.waiting, .timeLimit))")
        #expect(requests.all == ["first", "second", "third"])
    }

    @Test func anotherKeyIsReportedAndNothingIsCarriedOut() async {
        let bench = RadioBench(seed: 6, lampKey: .random())
        let (replies, events) = (bench.replies, bench.events)
        bench.request("set")
        #expect(await bench.run(.seconds(60)) { replies.all.count == 1 })
        #expect(replies.all == ["set: \(LinkRequestError(.waiting, .timeLimit))"])
        let reasons = events.all.compactMap { if case .wayFailed("bluetooth", let reason) = $0 { reason } else { nil } }
        #expect(reasons.contains { $0.contains("Compare the keys.") }, "\(reasons)")
        #expect(bench.requests.all.isEmpty)
    }

    @Test func aLongIdentifierIsFoundAmongDevicesWithTheSameBeginning() async {
        let bench = RadioBench(seed: 7, identifier: String(repeating: "lamp", count: 16))
        let queue = DispatchQueue(label: "other")
        let others = (2..<5).map { number in
            bench.world.addDevice("Other \(number)", at: Position(x: 0.5, y: Double(number) / 4)).run {
                let identifier = String(repeating: "lamp", count: number)
                // check-tests: trap: the arguments are constants or made by the test, and valid.
                let device = try! LinkedDevice(
                    identifier, listeners: [BluetoothListener(identifier, key: .random(), queue: queue)], queue: queue,
                    clock: bench.world.clock
                ) { $0.reply(.success("wrong")) }
                device.start()
                return device
            }
        }
        defer { withExtendedLifetime(others) {} }
        let replies = bench.replies
        bench.request("set")
        #expect(await bench.run { replies.all.count == 1 })
        #expect(replies.all == ["set null"])
    }

    @Test func topicsHaveNoMoreLevelsThanABrokerAllows() {
        final class Recorder: TopicBus, @unchecked Sendable {
            var topics: [String] = []
            let isConnected = true
            func publish(_ octets: [UInt8], to topic: String) { topics.append(topic) }
            func subscribe(
                to filter: String, onMessage: @escaping @Sendable (String, [UInt8]) -> Void,
                onState: @escaping @Sendable (TopicBusState) -> Void
            ) -> Int {
                topics.append(filter)
                onState(.connected)
                return 1
            }
            func unsubscribe(_ number: Int) {}
        }
        let recorder = Recorder()
        let identifier = String(repeating: "/", count: 32) + "#+\u{0}灯"
        CloudTransport(to: identifier, key: .random(), over: recorder).open { _ in }
        CloudListener(identifier, key: .random(), over: recorder).open { _ in }
        #expect(recorder.topics.count == 3)
        for topic in recorder.topics {
            #expect(topic.count { $0 == "/" } == 4)
            #expect(topic.utf8.count <= 256)
            #expect(!topic.contains("#") && !topic.dropLast().contains("+") && !topic.contains("\u{0}"))
        }
    }
}
