import BLEAdapter
import BLETransport
import BLEWire
import CloudGateway
import Dispatch
import DurableQueue
import MQTTClient

/// Counts of a fleet since its start.
package struct FleetCounts: Sendable {
    /// The moment of the counts.
    package var at = Instant.zero
    package var started = 0
    package var stopped = 0
    /// Advertisements that the devices sent.
    package var heard = 0
    /// Advertisements that the fleet could not make in time.
    package var skipped = 0
    /// Advertisements beyond the rate limits of the gateways.
    package var limited = 0
    /// Advertisements that a gateway did not take in time.
    package var dropped = 0
    package var stored = 0
    package var acknowledged = 0
    package var refused = 0
    /// Messages that the broker did not take at first.
    package var postponed = 0
    /// Messages that the limits of the queues removed.
    package var overflowed = 0
    /// Messages that a queue did not take or did not return.
    package var failed = 0
    /// Messages that the broker has not acknowledged.
    package var queued = 0
    package var connections = 0
    package var failedConnections = 0
    /// From the publication to the broker's acknowledgement.
    package var acknowledgement = LatencyHistogram()

    static func += (left: inout FleetCounts, right: FleetCounts) {
        left.at = max(left.at, right.at)
        left.started += right.started
        left.stopped += right.stopped
        left.heard += right.heard
        left.skipped += right.skipped
        left.limited += right.limited
        left.dropped += right.dropped
        left.stored += right.stored
        left.acknowledged += right.acknowledged
        left.refused += right.refused
        left.postponed += right.postponed
        left.overflowed += right.overflowed
        left.failed += right.failed
        left.queued += right.queued
        left.connections += right.connections
        left.failedConnections += right.failedConnections
        left.acknowledgement += right.acknowledgement
    }
}

/// Some gateways of a fleet on one queue, with the devices that they hear.
final class FleetWorker: @unchecked Sendable {
    // `@unchecked Sendable`: everything but `counts` is used on `queue`.

    enum Event: Sendable {
        case connected(Int)
        case lost(Int, reason: String)
        case refused(reason: String)
        case failed(reason: String)
    }

    let queue: DispatchQueue
    private let configuration: FleetConfiguration
    private let clock: MachineClock
    private let onEvent: @Sendable (Event) -> Void
    /// The latest sum, which other queues read.
    private let latest = Lock(FleetCounts())
    /// The gateways of the fleet that run here.
    private let indexes: [Int]
    private var gateways: [CloudGateway] = []
    private var adapters: [FleetAdapter] = []
    private var schedule: AdvertisementSchedule
    private var hears = false
    private var heard = 0
    private var stopped = 0
    /// Whether further gateways may start.
    private var starts = true
    private var acknowledgement = LatencyHistogram()
    private var timer: (any DispatchSourceTimer)?
    private let connectsPerSecond: Double
    private var began = Instant.zero
    private var nextSum = Instant.zero

    private static let tick = DispatchTimeInterval.milliseconds(5)
    private static let sumInterval = TimeSpan.milliseconds(100)
    private static let segmentOctets = 64 << 10
    private static let messageOctets = 8 << 10

    /// - Parameter lanes: The lanes of the fleet. This one has each gateway whose index leaves the remainder `lane`.
    init(
        _ lane: Int, of lanes: Int, _ configuration: FleetConfiguration, clock: MachineClock,
        onEvent: @escaping @Sendable (Event) -> Void
    ) {
        (self.configuration, self.clock, self.onEvent) = (configuration, clock, onEvent)
        indexes = Array(stride(from: lane, to: configuration.gateways, by: lanes))
        queue = DispatchQueue(label: "bluetooth.fleet.\(lane)")
        schedule = AdvertisementSchedule(devices: indexes.count * configuration.devices, rate: 0)
        connectsPerSecond = Double(max(1, configuration.connectsPerSecond)) / Double(lanes)
    }

    var counts: FleetCounts { latest.withLock { $0 } }

    func start() {
        queue.async { [self] in
            began = clock.now
            let timer = DispatchSource.makeTimerSource(queue: queue)
            timer.setEventHandler { [unowned self] in self.handleTick() }
            timer.schedule(deadline: .now(), repeating: Self.tick, leeway: .milliseconds(1))
            timer.resume()
            self.timer = timer
        }
    }

    /// Lets the devices advertise.
    ///
    /// - Parameter rate: Advertisements in a second, of all devices of the fleet.
    func hear(rate: Double) {
        queue.async { [self] in
            schedule.begin(rate * Double(indexes.count) / Double(configuration.gateways), at: clock.now)
            hears = true
        }
    }

    func stopHearing() { queue.async { [self] in hears = false } }

    /// Lets each gateway say that it is offline. No further gateway starts.
    func stopGateways() {
        queue.async { [self] in
            starts = false
            for gateway in gateways { gateway.stop() }
        }
    }

    /// Ends the lane and its gateways. Returns when they no longer use their queues.
    func end() async {
        await withCheckedContinuation { continuation in
            queue.async { [self] in
                sum()
                timer?.cancel()
                timer = nil
                gateways = []
                adapters = []
                continuation.resume()
            }
        }
    }

    private func handleTick() {
        let now = clock.now
        startGateways(now)
        if hears { advertise(now) }
        if now >= nextSum {
            nextSum = now + Self.sumInterval
            sum()
        }
    }

    private func advertise(_ now: Instant) {
        let count = schedule.takeDue(at: now)
        guard count > 0 else { return }
        let time = MachineClock.date / 1000
        for _ in 0..<count {
            let number = schedule.takeDevice()
            let gateway = number % indexes.count
            guard gateway < adapters.count else { continue }
            adapters[gateway].hear(number / indexes.count, time: time)
            heard += 1
        }
    }

    // MARK: Gateways

    private func startGateways(_ now: Instant) {
        guard starts, gateways.count < indexes.count else { return }
        let wanted = Int(connectsPerSecond * Double((now - began).nanoseconds) / 1e9) + 1
        while gateways.count < min(wanted, indexes.count) {
            do throws(CloudStartError) {
                try startGateway(indexes[gateways.count])
            } catch {
                // The sums go on: the end of the fleet waits for the gateways that run.
                starts = false
                onEvent(.failed(reason: error.description))
                return
            }
        }
    }

    private func startGateway(_ index: Int) throws(CloudStartError) {
        var settings = configuration.gateway
        settings.name = configuration.name(of: index)
        let adapter = FleetAdapter(gateway: configuration.first + index, devices: configuration.devices, queue: queue)
        let gateway = try CloudGateway(
            adapter: adapter, configuration: settings,
            broker: configuration.broker(of: index, name: settings.name),
            folder: "\(configuration.folder)/\(settings.name)",
            limits: DurableQueue.Limits(
                octets: configuration.queueLimit, segmentOctets: Self.segmentOctets, messageOctets: Self.messageOctets),
            queue: queue, sharesThreads: true)
        gateway.onEvent = { [unowned self] event in
            switch event {
            case .brokerConnected: onEvent(.connected(index))
            case .brokerDisconnected(let reason): onEvent(.lost(index, reason: reason))
            case .subscriptionRefused(_, let reason), .publicationRefused(let reason):
                onEvent(.refused(reason: reason))
            case .queueFailed(let failure): onEvent(.failed(reason: failure.description))
            case .stopped: stopped += 1
            }
        }
        gateway.onAcknowledgement = { [unowned self] span in acknowledgement.add(Int(span.nanoseconds / 1000)) }
        gateways.append(gateway)
        adapters.append(adapter)
        gateway.run()
    }

    private func sum() {
        var sum = FleetCounts()
        (sum.at, sum.started) = (clock.now, gateways.count)
        (sum.stopped, sum.heard, sum.skipped) = (stopped, heard, schedule.skipped)
        sum.acknowledgement = acknowledgement
        for gateway in gateways {
            let counts = gateway.session.counts
            sum.limited += counts.limitedAdvertisements
            sum.connections += counts.connections
            sum.failedConnections += counts.failedConnections
            sum.dropped += gateway.droppedAdvertisements
            let outbox = gateway.outbox.counts
            sum.stored += outbox.stored
            sum.acknowledged += outbox.acknowledged
            sum.refused += outbox.refused
            sum.postponed += outbox.postponed
            sum.failed += outbox.unstored
            let losses = gateway.queueLosses
            sum.overflowed += losses.overflowed
            sum.failed += losses.damaged
            sum.queued += gateway.outbox.count
        }
        latest.withLock { $0 = sum }
    }
}
