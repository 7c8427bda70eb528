import BLEAdapter
import BLEWire
import CloudGateway
import MQTTClient

/// The return of many gateways to a broker that was away, in virtual time: each gateway is a `CloudSession` with its own pauses, and the broker
/// admits a number of connections in a second and leaves or refuses the others.
package struct ReconnectionRehearsal: Sendable {
    package struct Result: Equatable, Sendable {
        package var attempts = 0
        /// Attempts in the busiest second after the broker's return.
        package var busiestSecond = 0
        /// From the broker's return until one half, 99 in 100, and all gateways were back.
        package var half = TimeSpan.zero
        package var mostly = TimeSpan.zero
        package var all = TimeSpan.zero
    }

    package var gateways: Int
    /// How long the broker is away.
    package var away: TimeSpan
    /// Connections that the broker admits in a second.
    package var admitted: Int
    /// The brokers of the cluster, which are away together. A gateway tries them in turn.
    package var brokers: Int
    package var seed: UInt64

    package init(gateways: Int, away: TimeSpan, admitted: Int, brokers: Int = 1, seed: UInt64 = 1) {
        (self.gateways, self.away, self.admitted) = (max(1, gateways), away, max(1, admitted))
        (self.brokers, self.seed) = (max(1, brokers), seed)
    }

    package func run() throws(MQTTClientError) -> Result {
        var sessions: [CloudSession] = []
        sessions.reserveCapacity(gateways)
        for index in 0..<gateways {
            let topics = try CloudTopics(prefix: "bluetooth", name: "gateway-\(index)")
            var configuration = CloudConfiguration(name: "gateway-\(index)", version: "1")
            configuration.brokerCount = brokers
            var session = CloudSession(
                configuration, topics: topics, queueName: "00000000",
                seed: seed &* 0x9E37_79B9_7F4A_7C15 &+ UInt64(index),
                identify: { PeerIdentifier(high: 0, low: $0.value) })
            session.start(at: .zero)
            session.brokerConnected(at: .zero)
            session.actions = []
            sessions.append(session)
        }
        // The gateways were up for longer than a stable connection needs.
        let lost = Instant.zero + .seconds(3600)
        let back = lost + away
        var queue = DeadlineQueue()
        for index in sessions.indices {
            sessions[index].brokerDisconnected("The connection was lost.", at: lost)
            if let deadline = sessions[index].deadline { queue.add(deadline, index) }
        }
        var result = Result()
        var returned = 0
        var second: Int64 = -1
        var inSecond = 0
        var admittedInSecond = 0
        while returned < gateways, let (now, index) = queue.takeFirst() {
            sessions[index].handleTimeout(at: now, time: 0)
            let wantsConnection = sessions[index].actions.contains(.connectBroker)
            sessions[index].actions = []
            if wantsConnection {
                result.attempts += 1
                let isBack = now >= back
                if isBack {
                    let current = (now - back).nanoseconds / 1_000_000_000
                    if current != second { (second, inSecond, admittedInSecond) = (current, 0, 0) }
                    inSecond += 1
                    result.busiestSecond = max(result.busiestSecond, inSecond)
                }
                if isBack, admittedInSecond < admitted {
                    admittedInSecond += 1
                    returned += 1
                    sessions[index].brokerConnected(at: now)
                    sessions[index].actions = []
                    let span = now - back
                    if returned == (gateways + 1) / 2 { result.half = span }
                    if returned == max(1, gateways * 99 / 100) { result.mostly = span }
                    result.all = span
                    continue
                }
                sessions[index].brokerDisconnected("The broker refused the connection.", at: now)
            }
            if let deadline = sessions[index].deadline { queue.add(deadline, index) }
        }
        return result
    }
}

/// Moments with a number each, the earliest first: a binary heap.
private struct DeadlineQueue {
    private var items: [(at: Instant, index: Int)] = []

    mutating func add(_ at: Instant, _ index: Int) {
        items.append((at, index))
        var child = items.count - 1
        while child > 0, items[child].at < items[(child - 1) / 2].at {
            items.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    mutating func takeFirst() -> (Instant, Int)? {
        guard let top = items.first else { return nil }
        let first = (top.at, top.index)
        let last = items.removeLast()
        guard !items.isEmpty else { return first }
        items[0] = last
        var parent = 0
        while true {
            var smallest = parent
            for child in [2 * parent + 1, 2 * parent + 2]
            where child < items.count && items[child].at < items[smallest].at {
                smallest = child
            }
            guard smallest != parent else { return first }
            items.swapAt(parent, smallest)
            parent = smallest
        }
    }
}
