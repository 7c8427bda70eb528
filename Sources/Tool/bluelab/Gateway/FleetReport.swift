import BLEWire
import Foundation
import GatewayFleet

/// The state of a fleet and of the processes at one moment.
struct FleetSample {
    let state: FleetState
    let fleet: ProcessFigures?
    let broker: ProcessFigures?
    let machine: MachineFigures?
}

/// What happened between two samples.
struct FleetPeriod {
    private let before: FleetSample
    private let after: FleetSample

    init(_ before: FleetSample, _ after: FleetSample) { (self.before, self.after) = (before, after) }

    private var seconds: Double { max(0.001, Double((after.state.at - before.state.at).nanoseconds) / 1e9) }

    /// A rate of the gateways, whose counts are a little older than the sample.
    private func rate(_ count: (FleetCounts) -> Int) -> Double {
        let span = Double((after.state.counts.at - before.state.counts.at).nanoseconds) / 1e9
        return Double(count(after.state.counts) - count(before.state.counts)) / max(0.001, span)
    }

    private var received: Double {
        Double(after.state.receipts.received - before.state.receipts.received) / seconds
    }

    private func processors(_ figures: (FleetSample) -> ProcessFigures?) -> Double? {
        guard let after = figures(after), let before = figures(before) else { return nil }
        return max(0, after.processorTime - before.processorTime) / seconds
    }

    private var acknowledgement: LatencyHistogram {
        after.state.counts.acknowledgement - before.state.counts.acknowledgement
    }
    private var delivery: LatencyHistogram { after.state.receipts.delivery - before.state.receipts.delivery }

    private var machine: Double {
        guard let after = after.machine, let before = before.machine else { return 0 }
        return after.share(since: before)
    }

    /// - Parameters:
    ///   - wanted: Advertisements in a second.
    ///   - subscribers: The subscribers of the fleet. Without one the step does not say what was received.
    func step(wanted: Double, subscribers: Int) -> FleetRamp.Step {
        FleetRamp.Step(
            wanted: wanted, heard: rate(\.heard), stored: rate(\.stored),
            acknowledged: rate(\.acknowledged),
            received: subscribers > 0 ? received : nil,
            growth: after.state.counts.queued - before.state.counts.queued,
            acknowledgement: acknowledgement.quantile(0.99), delivery: delivery.quantile(0.99),
            fleetProcessors: processors(\.fleet) ?? 0, brokerProcessors: processors(\.broker),
            brokerThreads: after.broker?.threads, machine: machine)
    }

    var record: FleetProgressRecord {
        FleetProgressRecord(
            seconds: rounded(Double(after.state.at.nanoseconds) / 1e9), connected: after.state.connections.online,
            heard: rounded(rate(\.heard)), limited: rounded(rate(\.limited)),
            skipped: rounded(rate(\.skipped)), acknowledged: rounded(rate(\.acknowledged)),
            received: rounded(received), queued: after.state.counts.queued,
            acknowledgementMedian: FleetText.seconds(acknowledgement.quantile(0.5)),
            acknowledgement99: FleetText.seconds(acknowledgement.quantile(0.99)),
            deliveryMedian: FleetText.seconds(delivery.quantile(0.5)),
            delivery99: FleetText.seconds(delivery.quantile(0.99)),
            fleetProcessors: rounded(processors(\.fleet) ?? 0), brokerProcessors: processors(\.broker).map(rounded),
            machine: rounded(machine), memory: after.fleet?.memory ?? 0, brokerMemory: after.broker?.memory,
            threads: after.fleet?.threads ?? 0, problem: problem)
    }

    /// A reason matters only while a gateway is away.
    private var problem: String? {
        let connections = after.state.connections
        return connections.online < connections.total ? after.state.problem : nil
    }

    var text: String {
        let record = self.record
        var parts = [
            "\(Int(record.seconds)) s", "\(record.connected) of \(after.state.connections.total) online",
            "heard \(Int(record.heard))/s", "acknowledged \(Int(record.acknowledged))/s",
            "received \(Int(record.received))/s", "queued \(record.queued)",
        ]
        if record.limited > 0 { parts.append("limited \(Int(record.limited))/s") }
        if record.skipped > 0 { parts.append("skipped \(Int(record.skipped))/s") }
        parts.append(FleetText.latency("acknowledgement", record.acknowledgementMedian, record.acknowledgement99))
        parts.append(FleetText.latency("delivery", record.deliveryMedian, record.delivery99))
        parts.append("fleet \(number(record.fleetProcessors)) processors, \(record.memory >> 20) MiB")
        if let broker = record.brokerProcessors {
            parts.append("broker \(number(broker)) processors, \((record.brokerMemory ?? 0) >> 20) MiB")
        }
        parts.append("machine \(Int(record.machine * 100)) %")
        if let problem = record.problem { parts.append(problem) }
        return parts.filter { !$0.isEmpty }.map(say).joined(separator: "  ")
    }

    private func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}

enum FleetText {
    static func seconds(_ microseconds: Int?) -> Double? { microseconds.map { Double($0) / 1e6 } }

    static func latency(_ name: String, _ median: Double?, _ high: Double?) -> String {
        guard let median, let high else { return "" }
        return "\(name) \(number(median * 1000)) ms, 99 %: \(number(high * 1000)) ms"
    }

    static func seconds(_ span: TimeSpan) -> Double { Double(span.nanoseconds / 1_000_000) / 1000 }
}

/// The record of `--json` at the start.
struct FleetRecord: Encodable {
    let gateways: Int
    let devices: Int
    let interval: Double
    let rate: Double
    let brokers: [String]
    let subscribers: Int

    init(_ configuration: FleetConfiguration) {
        (gateways, devices) = (configuration.gateways, configuration.devices)
        interval = Double(configuration.interval.nanoseconds) / 1e9
        rate = configuration.rate
        brokers = configuration.broker.addresses.map(\.description)
        subscribers = configuration.subscribers
    }
}

/// The record of `--json` for each period. Rates are those of a second.
struct FleetProgressRecord: Encodable {
    let seconds: Double
    let connected: Int
    let heard: Double
    let limited: Double
    let skipped: Double
    let acknowledged: Double
    let received: Double
    let queued: Int
    let acknowledgementMedian: Double?
    let acknowledgement99: Double?
    let deliveryMedian: Double?
    let delivery99: Double?
    let fleetProcessors: Double
    let brokerProcessors: Double?
    let machine: Double
    let memory: Int
    let brokerMemory: Int?
    let threads: Int
    let problem: String?
}
