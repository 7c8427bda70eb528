import BLEAdapter
import BLETransport
import BLEWire
import CloudGateway
import MQTTClient

/// The state of a fleet at one moment. Counts are those since the start.
package struct FleetState: Sendable {
    package var at: Instant
    package var counts: FleetCounts
    package var receipts: FleetReceipts
    package var connections: ConnectionWatch
    /// The latest reason why a broker was away, refused something, or why a queue failed.
    package var problem: String?
}

/// Many gateways in one process, with simulated devices and with subscribers that check what arrives.
///
/// Only the radio is simulated. Each gateway is a `CloudGateway` with a connection, a queue and limits of its own.
package final class GatewayFleet: Sendable {
    private struct Watched: Sendable {
        var connections: ConnectionWatch
        var problem: String?
        /// The subscribers' answers: nil for one that has subscribed.
        var subscriptions: [Int: String?] = [:]
        var failure: String?
    }

    package let configuration: FleetConfiguration
    private let clock = MachineClock()
    private let watched: Shared
    private let lanes: [FleetWorker]
    private let subscribers: [FleetSubscriber]
    private let receipts: FleetSubscriber.Receipts

    private final class Shared: Sendable {
        let value: Lock<Watched>

        init(_ value: Watched) { self.value = Lock(value) }
    }

    /// - Throws: If OpenSSL is missing, which TLS needs, or a file of its settings does not serve.
    package init(_ configuration: FleetConfiguration, lanes: Int) throws(MQTTClientError) {
        self.configuration = configuration
        let watched = Shared(Watched(connections: ConnectionWatch(total: configuration.gateways)))
        self.watched = watched
        let receipts = FleetSubscriber.Receipts(gateways: configuration.gateways)
        self.receipts = receipts
        var subscribers: [FleetSubscriber] = []
        for number in 0..<configuration.subscribers {
            subscribers.append(
                try FleetSubscriber(number, configuration, receipts) { answer in
                    watched.value.withLock { $0.subscriptions[number] = .some(answer) }
                })
        }
        self.subscribers = subscribers
        let count = max(1, min(lanes, configuration.gateways))
        let clock = self.clock
        self.lanes = (0..<count).map { lane in
            FleetWorker(lane, of: count, configuration, clock: clock) { event in
                let now = clock.now
                watched.value.withLock { watched in
                    switch event {
                    case .connected(let index): watched.connections.connected(index, at: now)
                    case .lost(let index, let reason):
                        watched.connections.lost(index, at: now)
                        watched.problem = reason
                    case .refused(let reason): watched.problem = reason
                    case .failed(let reason): watched.failure = reason
                    }
                }
            }
        }
    }

    // MARK: The course of a run

    /// Connects the subscribers.
    ///
    /// - Returns: nil, or the reason why they are not subscribed within the time.
    package func subscribe(within limit: Duration) async -> String? {
        for subscriber in subscribers { subscriber.start() }
        let wanted = subscribers.count
        await waitForAnswers(limit) { watched in
            watched.subscriptions.count == wanted && watched.subscriptions.values.allSatisfy { $0 == nil }
        }
        return watched.value.withLock { watched in
            let reasons = watched.subscriptions.values.compactMap(\.self)
            if watched.subscriptions.count == wanted, reasons.isEmpty { return nil }
            return reasons.first ?? "The broker did not answer."
        }
    }

    /// Starts the gateways, a few in each moment.
    package func start() { for lane in lanes { lane.start() } }

    /// Lets the devices advertise, at this rate of the whole fleet in a second.
    package func hear(rate: Double) { for lane in lanes { lane.hear(rate: rate) } }

    /// The state now, from sums that are about a tenth of a second old.
    package var state: FleetState {
        var counts = FleetCounts()
        for lane in lanes { counts += lane.counts }
        let attempts = counts.connections + counts.failedConnections
        let now = clock.now
        let watched = self.watched.value.withLock { watched in
            watched.connections.noteAttempts(attempts, at: now)
            return watched
        }
        return FleetState(
            at: now, counts: counts, receipts: receipts.value.withLock { $0 }, connections: watched.connections,
            problem: watched.problem)
    }

    /// The reason why the fleet cannot go on; nil if it can.
    package var failure: String? { watched.value.withLock { $0.failure } }

    /// Ends the run in order: the devices are silent, the queues become empty, each gateway says that it is offline, and the subscribers receive what
    /// is still under way. The folder of the queues stays.
    ///
    /// - Parameter limit: The time for the queues.
    package func finish(within limit: Duration) async -> FleetState {
        for lane in lanes { lane.stopHearing() }
        // A sum that began before the silence is not the last one.
        try? await Task.sleep(for: .milliseconds(300))
        await wait(limit) { $0.counts.queued == 0 }
        for lane in lanes { lane.stopGateways() }
        await wait(.seconds(10)) { $0.counts.stopped == $0.counts.started }
        if !subscribers.isEmpty {
            var received = -1
            // One more second as long as messages arrive.
            while true {
                let state = self.state
                guard state.receipts.received < state.counts.acknowledged, state.receipts.received > received else {
                    break
                }
                received = state.receipts.received
                await wait(.seconds(2)) { $0.receipts.received >= $0.counts.acknowledged }
            }
        }
        let last = state
        for lane in lanes { await lane.end() }
        for subscriber in subscribers { subscriber.end() }
        return last
    }

    private func wait(_ limit: Duration, _ condition: (FleetState) -> Bool) async {
        let end = ContinuousClock.now + limit
        while !condition(state), ContinuousClock.now < end { try? await Task.sleep(for: .milliseconds(50)) }
    }

    private func waitForAnswers(_ limit: Duration, _ condition: (Watched) -> Bool) async {
        let end = ContinuousClock.now + limit
        while !watched.value.withLock({ condition($0) }), ContinuousClock.now < end {
            try? await Task.sleep(for: .milliseconds(20))
        }
    }
}
