import BLEAdapter
import CoreBluetooth
import MQTTClient
import TestConditions

@testable import DeviceLink

/// A clock that a test moves. All users are on its queue.
final class HandClock: QueueSchedulingClock, @unchecked Sendable {
    private let queue: DispatchQueue
    private var entries: [(deadline: ContinuousClock.Instant, body: @Sendable () -> Void)] = []
    private(set) var now = ContinuousClock.now
    let minimumResolution = Swift.Duration.nanoseconds(1)

    init(queue: DispatchQueue) { self.queue = queue }

    func schedule(
        at deadline: ContinuousClock.Instant, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void
    ) {
        entries.append((deadline, body))
    }

    func sleep(until deadline: ContinuousClock.Instant, tolerance: Swift.Duration?) async throws {
        await withCheckedContinuation { done in queue.async { self.entries.append((deadline, { done.resume() })) } }
    }

    /// Moves the time until the condition holds, at most by the limit. Returns whether it holds.
    @discardableResult
    func run(_ limit: Swift.Duration, until condition: () -> Bool = { false }) -> Bool {
        let end = queue.sync { now } + limit
        while true {
            // Calls pass each other on with `async`, in chains that are shorter.
            for _ in 0..<6 { queue.sync {} }
            if queue.sync(execute: condition) { return true }
            let isOver = queue.sync {
                guard let next = entries.map(\.deadline).min(), next <= end else {
                    now = end
                    return true
                }
                now = max(now, next)
                let due = entries.filter { $0.deadline <= now }
                entries.removeAll { $0.deadline <= now }
                for entry in due { entry.body() }
                return false
            }
            if isOver { return queue.sync(execute: condition) }
        }
    }
}

/// A broker in the time of a test. It can restart, refuse, lose and repeat.
final class FakeBroker: @unchecked Sendable {
    private let queue: DispatchQueue
    private let clock: HandClock
    private var connections: [FakeConnection] = []
    /// Another one after each restart: what was under way is lost.
    fileprivate var run = 0
    fileprivate var isUp = true
    private var random: Seeded
    /// The reason for which the broker accepts no client.
    var refusal: String?
    /// The filters that the broker refuses.
    var refusedFilters: Set<String> = []
    /// In percent.
    var duplicates = 0
    /// All messages with their topics.
    private(set) var published: [(topic: String, payload: [UInt8])] = []
    private(set) var accepted = 0

    init(queue: DispatchQueue, clock: HandClock, seed: UInt64 = 1) {
        (self.queue, self.clock) = (queue, clock)
        random = Seeded(seed)
    }

    func bus() throws -> MQTTTopicBus {
        try MQTTTopicBus(queue: queue, clock: clock) { handler in
            let connection = FakeConnection(self, handler)
            connections.append(connection)
            return connection
        }
    }

    func stop() {
        isUp = false
        run += 1
        for connection in connections { connection.lose() }
    }

    func start() { isUp = true }

    fileprivate func later(_ milliseconds: Int, _ body: @escaping @Sendable () -> Void) {
        let run = self.run
        clock.schedule(at: clock.now + .milliseconds(milliseconds), on: queue) { [weak self] in
            if self?.run == run { body() }
        }
    }

    fileprivate func accepts() -> String? {
        if isUp, refusal == nil { accepted += 1 }
        return isUp ? refusal : "Connection refused."
    }

    fileprivate func distribute(_ message: MQTTPublication) {
        published.append((message.topic, message.payload))
        let count = Int.random(in: 0..<100, using: &random) < duplicates ? 2 : 1
        for connection in connections {
            for _ in 0..<count {
                later(Int.random(in: 1...20, using: &random)) { connection.receive(message) }
            }
        }
    }
}

/// A client's connection to the broker of the test.
private final class FakeConnection: BrokerConnection, @unchecked Sendable {
    private let broker: FakeBroker
    private let handler: @Sendable (MQTTEvent) -> Void
    private var isConnected = false
    private var attempt = 0
    private var filters: Set<String> = []

    init(_ broker: FakeBroker, _ handler: @escaping @Sendable (MQTTEvent) -> Void) {
        (self.broker, self.handler) = (broker, handler)
    }

    func connect() {
        attempt += 1
        let attempt = attempt
        broker.later(5) { [self] in
            guard attempt == self.attempt else { return }
            if let reason = broker.accepts() { return handler(.disconnected(reason: reason)) }
            isConnected = true
            handler(.connected)
        }
    }

    func disconnect(_ completion: (@Sendable () -> Void)?) {
        attempt += 1
        isConnected = false
        filters = []
    }

    func lose() {
        let wasConnecting = attempt
        disconnect(nil)
        if wasConnecting > 0 { handler(.disconnected(reason: "The connection was lost.")) }
    }

    func subscribe(_ filter: String) {
        guard isConnected else { return }
        let isRefused = broker.refusedFilters.contains(filter)
        if !isRefused { filters.insert(filter) }
        broker.later(2) { [handler] in handler(.subscribed(filter, refusal: isRefused ? "Not authorized." : nil)) }
    }

    func unsubscribe(_ filter: String) { filters.remove(filter) }

    func publish(_ message: MQTTPublication, number: UInt64) {
        guard isConnected else { return }
        broker.later(1) { [self] in
            handler(.published(number, refusal: nil))
            broker.distribute(message)
        }
    }

    func receive(_ message: MQTTPublication) {
        guard isConnected, filters.contains(where: { MQTTTopic.matches(message.topic, filter: $0) }) else { return }
        handler(.received(MQTTMessage(topic: message.topic, payload: message.payload)))
    }
}
