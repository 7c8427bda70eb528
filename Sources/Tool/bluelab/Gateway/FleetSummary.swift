import BLEWire
import Foundation
import GatewayFleet

/// The whole of a run.
struct FleetSummary {
    let record: FleetSummaryRecord

    /// - Parameters:
    ///   - last: The state after the end.
    ///   - beginning: Before the first connection.
    ///   - connected: When all gateways had connected.
    ///   - full: At the end of the load.
    ///   - end: After the end.
    init(
        _ last: FleetState, _ beginning: FleetSample, _ connected: FleetSample, _ full: FleetSample,
        _ end: FleetSample, _ outcome: FleetOutcome?, _ command: FleetCommand
    ) {
        let counts = last.counts
        let missing = command.subscribers > 0 ? last.receipts.missing(of: counts.acknowledged) : 0
        let gateways = command.gateways
        let memory = (full.fleet?.memory ?? 0) - (beginning.fleet?.memory ?? 0)
        let brokerMemory = full.broker.flatMap { after in beginning.broker.map { after.memory - $0.memory } }
        func spent(_ figures: (FleetSample) -> ProcessFigures?) -> Double? {
            guard let after = figures(end), let before = figures(connected) else { return nil }
            return max(0, after.processorTime - before.processorTime)
        }
        func perMessage(_ seconds: Double?) -> Double? {
            guard let seconds, counts.acknowledged > 0 else { return nil }
            return (seconds / Double(counts.acknowledged) * 1e9).rounded() / 1e9
        }
        record = FleetSummaryRecord(
            gateways: gateways, devices: command.devices, heard: counts.heard, limited: counts.limited,
            skipped: counts.skipped, dropped: counts.dropped, stored: counts.stored,
            acknowledged: counts.acknowledged, received: last.receipts.received,
            duplicates: last.receipts.duplicates, queued: counts.queued, overflowed: counts.overflowed,
            refused: counts.refused, failed: counts.failed, missing: missing,
            lost: counts.queued + counts.overflowed + counts.refused + counts.failed + missing,
            connectionTime: last.connections.complete.map { FleetText.seconds($0 - .zero) },
            connections: counts.connections, failedConnections: counts.failedConnections,
            acknowledgementMedian: FleetText.seconds(counts.acknowledgement.quantile(0.5)),
            acknowledgement99: FleetText.seconds(counts.acknowledgement.quantile(0.99)),
            deliveryMedian: FleetText.seconds(last.receipts.delivery.quantile(0.5)),
            delivery99: FleetText.seconds(last.receipts.delivery.quantile(0.99)),
            messageOctets: last.receipts.received > 0 ? last.receipts.octets / last.receipts.received : nil,
            memoryPerGateway: max(0, memory / gateways),
            brokerMemoryPerGateway: brokerMemory.map { max(0, $0 / gateways) },
            threads: full.fleet?.threads ?? 0, fleetTimePerMessage: perMessage(spent(\.fleet)),
            brokerTimePerMessage: perMessage(spent(\.broker)),
            sustained: outcome.map { $0.sustained.rounded() },
            saturation: outcome.flatMap { $0.bottleneck == nil ? nil : $0.rate.rounded() },
            bottleneck: outcome?.bottleneck?.rawValue, storms: last.connections.storms.map(FleetStormRecord.init))
    }
}

/// A time without all connections, in the record of the summary. Times are those since the first loss.
struct FleetStormRecord: Encodable {
    let away: Int
    let firstBack: Double?
    let allBack: Double?
    let attempts: Int
    let busiestSecond: Int

    init(_ storm: ConnectionWatch.Outage) {
        (away, attempts, busiestSecond) = (storm.away, storm.attempts, storm.busiestSecond)
        firstBack = storm.firstBack.map { FleetText.seconds($0 - storm.began) }
        allBack = storm.ended.map { FleetText.seconds($0 - storm.began) }
    }

    var line: String {
        var text = "\(away) gateways lost the broker"
        if let firstBack { text += "; the first was back after \(number(firstBack)) s" }
        text += allBack.map { ", all after \(number($0)) s" } ?? "; not all are back"
        return text + "; \(attempts) attempts to connect, at most \(busiestSecond) in a second."
    }
}

/// The record of `--json` at the end.
struct FleetSummaryRecord: Encodable {
    let gateways: Int
    let devices: Int
    let heard: Int
    let limited: Int
    let skipped: Int
    let dropped: Int
    let stored: Int
    let acknowledged: Int
    let received: Int
    let duplicates: Int
    let queued: Int
    let overflowed: Int
    let refused: Int
    let failed: Int
    let missing: Int
    let lost: Int
    let connectionTime: Double?
    let connections: Int
    let failedConnections: Int
    let acknowledgementMedian: Double?
    let acknowledgement99: Double?
    let deliveryMedian: Double?
    let delivery99: Double?
    let messageOctets: Int?
    let memoryPerGateway: Int
    let brokerMemoryPerGateway: Int?
    let threads: Int
    let fleetTimePerMessage: Double?
    let brokerTimePerMessage: Double?
    let sustained: Double?
    let saturation: Double?
    let bottleneck: String?
    let storms: [FleetStormRecord]

    var lines: [String] {
        var lines: [String] = []
        if let connectionTime {
            lines.append("All \(gateways) gateways were online after \(number(connectionTime)) s.")
        }
        lines.append(
            "\(heard) advertisements, \(stored) messages, \(acknowledged) acknowledged, \(received) received, \(duplicates) of them again."
        )
        lines.append(lost == 0 ? "Nothing was lost." : losses)
        if skipped + dropped > 0 {
            lines.append("The fleet did not make \(skipped + dropped) advertisements in time: this machine is full.")
        }
        if limited > 0 { lines.append("The limits of the gateways dropped \(limited) advertisements.") }
        let latencies = [
            FleetText.latency("acknowledgement", acknowledgementMedian, acknowledgement99),
            FleetText.latency("delivery", deliveryMedian, delivery99),
        ].filter { !$0.isEmpty }
        if !latencies.isEmpty {
            lines.append(say("Half and 99 in 100: \(latencies.map(say).joined(separator: "; "))."))
        }
        var costs = ["fleet \(memoryPerGateway >> 10) KiB a gateway, \(threads) threads"]
        if let fleetTimePerMessage { costs.append("\(number(fleetTimePerMessage * 1e6)) us a message") }
        if let brokerMemoryPerGateway { costs.append("broker \(brokerMemoryPerGateway >> 10) KiB a gateway") }
        if let brokerTimePerMessage { costs.append("\(number(brokerTimePerMessage * 1e6)) us a message") }
        if let messageOctets { costs.append("\(messageOctets) octets a message") }
        lines.append(say("Costs: \(costs.map(say).joined(separator: ", "))."))
        lines += storms.map(\.line)
        if let sustained { lines.append(saturationLine(sustained)) }
        return lines
    }

    private var losses: String {
        "Lost: \(queued) still queued, \(overflowed) beyond the queues, \(refused) refused, \(failed) not stored, \(missing) not received."
    }

    private func saturationLine(_ sustained: Double) -> String {
        guard let saturation, let bottleneck else {
            return "The broker followed up to \(Int(sustained)) messages a second."
        }
        let reason =
            switch FleetRamp.Bottleneck(rawValue: bottleneck) {
            case .brokerThread: "the one thread of the broker uses a whole processor"
            case .machine: "the processors of this machine are full, and the fleet and the broker share them"
            case .fleet: "the fleet does not make more"
            case .other, nil: "no processor is full: look at the disk, the network and the limits of the broker"
            }
        return
            "The broker followed up to \(Int(sustained)) messages a second, and no longer at \(Int(saturation)): \(reason)."
    }
}
