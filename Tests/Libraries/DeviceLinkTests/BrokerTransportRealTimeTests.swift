import CoreBluetooth
import DeviceLink
import TestConditions
import Testing

/// A client and a lamp that meet at a broker, in virtual time.
private final class BrokerBench: @unchecked Sendable {
    let queue = DispatchQueue(label: "broker.bench")
    let clock: HandClock
    let broker: FakeBroker
    let lampBus: MQTTTopicBus
    let phoneBus: MQTTTopicBus
    let link: DeviceConnection
    private(set) var device: LinkedDevice!
    // The state below belongs to the queue.
    private(set) var done: [Int64] = []
    private(set) var results: [Int64: Result<LinkValue, DeviceRequestError>] = [:]
    private(set) var events: [DeviceConnection.Event] = []
    private(set) var entrance: [LinkedDevice.Event] = []
    private(set) var submitted: Int64 = 0

    init(seed: UInt64 = 1, lampKey: LinkKey? = nil, refusal: String? = nil) throws {
        clock = HandClock(queue: queue)
        broker = FakeBroker(queue: queue, clock: clock, seed: seed)
        broker.refusal = refusal
        lampBus = try broker.bus()
        phoneBus = try broker.bus()
        let key = LinkKey.random()
        let way = CloudTransport(to: "lamp.1", key: key, over: phoneBus, queue: queue, clock: clock)
        let reports = Reports()
        link = DeviceConnection(to: "lamp.1", over: [way], queue: queue, clock: clock) {
            reports.bench?.events.append($0)
        }
        device = try LinkedDevice(
            "lamp.1", listeners: [CloudListener("lamp.1", key: lampKey ?? key, over: lampBus, clock: clock)],
            queue: queue, clock: clock
        ) {
            reports.bench?.entrance.append($0)
        } onRequest: { request in
            reports.bench?.done.append(request.arguments["number"]?.integer ?? -1)
            request.reply(.success(request.arguments))
        }
        reports.bench = self
        device.start()
        link.start()
    }

    private final class Reports: @unchecked Sendable { weak var bench: BrokerBench? }

    func submit(limit: Duration = .seconds(30)) {
        let number = submitted
        submitted += 1
        link.request("set", ["number": .integer(number)], limit: limit) { [weak self] in self?.results[number] = $0 }
    }

    @discardableResult
    func run(_ limit: Duration, until condition: @escaping () -> Bool = { false }) -> Bool {
        clock.run(limit, until: condition)
    }

    /// Runs until each request has ended.
    func finish(_ limit: Duration = .seconds(120)) -> Bool {
        run(limit) { [self] in results.count == Int(submitted) }
    }

    /// On the queue of the bench.
    func change(_ body: (FakeBroker) -> Void) { queue.sync { body(broker) } }

    var replied: [Int64] {
        queue.sync { results.filter { if case .success = $0.value { true } else { false } }.keys.sorted() }
    }
    var failures: [LinkRequestError] {
        queue.sync {
            results.values.compactMap { if case .failure(.unanswered(let error)) = $0 { error } else { nil } }
        }
    }
    var reasons: [String] {
        queue.sync { events.compactMap { if case .wayFailed(_, let reason) = $0 { reason } else { nil } } }
    }
}

@Suite(.timeLimit(.minutes(10)))
struct BrokerTransportRealTimeTests {
    @Test func requestsGoOverABrokerAndTheirRepliesComeBack() throws {
        let bench = try BrokerBench()
        for _ in 0..<20 { bench.submit() }
        #expect(bench.finish())
        #expect(bench.replied == Array(0..<20))
        #expect(bench.queue.sync { bench.done } == Array(0..<20))
        #expect(bench.queue.sync { bench.events } == [.way("cloud")])
        #expect(bench.queue.sync { bench.entrance } == [.opened("cloud", "bluetooth/link/lamp%2E1/up/+")])
    }

    /// Restarts lose what is under way, and the broker repeats some messages.
    @Test(arguments: 1...6 as ClosedRange<UInt64>) func eachRequestIsCarriedOutOnceWhateverTheBrokerDoes(seed: UInt64)
        throws
    {
        let bench = try BrokerBench(seed: seed)
        bench.change { $0.duplicates = 20 }
        var random = Seeded(seed)
        for _ in 0..<8 {
            for _ in 0..<Int.random(in: 1...8, using: &random) { bench.submit(limit: .seconds(300)) }
            bench.run(.milliseconds(Int.random(in: 0...3000, using: &random)))
            bench.change { $0.stop() }
            bench.run(.milliseconds(Int.random(in: 0...4000, using: &random)))
            bench.change { $0.start() }
            bench.run(.milliseconds(Int.random(in: 0...3000, using: &random)))
        }
        // A way has its next turn a minute after the last attempt at the latest.
        #expect(bench.finish(.seconds(200)))
        let all = Array(0..<bench.submitted)
        #expect(bench.replied == all, "\(bench.failures)")
        #expect(bench.queue.sync { bench.done } == all)
        #expect(bench.queue.sync { bench.broker.accepted } > 2)
    }

    @Test func aBrokerThatIsAwayIsNamedAndTheLinkReturnsWithIt() throws {
        let bench = try BrokerBench()
        bench.submit()
        #expect(bench.finish())
        bench.change { $0.stop() }
        bench.submit(limit: .seconds(10))
        #expect(bench.finish())
        // The request left nothing: the way was closed at once.
        #expect(bench.failures == [LinkRequestError(.waiting, .timeLimit)])
        #expect(bench.reasons.first == "The connection was lost.")
        #expect(Set(bench.reasons).isSubset(of: ["Connection refused.", "The connection was lost."]))
        bench.change { $0.start() }
        bench.submit(limit: .seconds(120))
        #expect(bench.finish())
        #expect(bench.replied == [0, 2])
        #expect(bench.queue.sync { bench.done } == [0, 2])
    }

    @Test func aWrongPasswordIsSaidAndNothingIsPublished() throws {
        let bench = try BrokerBench(refusal: "The broker refused the user or the password.")
        bench.submit(limit: .seconds(20))
        #expect(bench.finish())
        #expect(bench.failures == [LinkRequestError(.waiting, .timeLimit)])
        #expect(Set(bench.reasons) == ["The broker refused the user or the password."])
        #expect(
            bench.queue.sync { bench.entrance } == [.failed("cloud", "The broker refused the user or the password.")])
        #expect(bench.queue.sync { bench.broker.published.isEmpty })
    }

    @Test func anotherKeyGetsNothing() throws {
        let bench = try BrokerBench(lampKey: .random())
        bench.submit()
        #expect(bench.finish())
        #expect(bench.failures == [LinkRequestError(.waiting, .timeLimit)])
        #expect(bench.queue.sync { bench.done.isEmpty })
        #expect(bench.queue.sync { bench.broker.published.allSatisfy { $0.topic.contains("/up/") } })
    }

    @Test func aRefusedSubscriptionFailsTheEntranceAlone() throws {
        let bench = try BrokerBench()
        bench.change { $0.refusedFilters = ["bluetooth/link/lamp%2E1/up/+"] }
        bench.run(.seconds(5))
        #expect(
            bench.queue.sync { bench.entrance } == [
                .failed(
                    "cloud",
                    "The broker refused the subscription to bluetooth/link/lamp%2E1/up/+: Not authorized.")
            ])
    }

    /// A recording of everything, again and again, also from other names of clients.
    @Test func recordedMessagesDoNothing() throws {
        let bench = try BrokerBench()
        for _ in 0..<5 { bench.submit() }
        #expect(bench.finish())
        let recording = bench.queue.sync { bench.broker.published }
        let attacker = try bench.broker.bus()
        bench.queue.sync {
            _ = attacker.subscribe(to: "x") { _, _ in
            } onState: { _ in
            }
        }
        bench.run(.seconds(1))
        for round in 0..<20 {
            bench.queue.sync {
                for (index, message) in recording.enumerated() {
                    let stranger = String(round * 100 + index, radix: 16)
                    attacker.publish(message.payload, to: message.topic)
                    attacker.publish(message.payload, to: "bluetooth/link/lamp%2E1/up/\(stranger)")
                }
            }
            bench.run(.seconds(1))
        }
        #expect(bench.queue.sync { bench.done } == Array(0..<5))
        bench.submit()
        #expect(bench.finish())
        #expect(bench.replied == Array(0..<6))
    }
}
