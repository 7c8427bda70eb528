import BLEAdapter
import BLEWire
import Foundation
import GatewayFleet

/// One run of `bluelab gateway fleet`: the start, the reports, the ramp and the end.
struct FleetRun {
    private let command: FleetCommand
    private let fleet: GatewayFleet
    private let interruption: Interruption
    private let isInterrupted = Flag()

    /// The time in which the subscribers must be ready.
    private static let subscriptionLimit = Duration.seconds(10)
    /// The time in which the queues become empty at the end.
    private static let endLimit = Duration.seconds(30)

    private final class Flag: Sendable {
        private let value = Lock(false)

        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }

    init(_ command: FleetCommand, _ fleet: GatewayFleet, _ interruption: Interruption) {
        (self.command, self.fleet, self.interruption) = (command, fleet, interruption)
    }

    func run() async throws {
        let (interruption, isInterrupted) = (interruption, isInterrupted)
        let watcher = Task {
            await interruption.wait()
            isInterrupted.set()
        }
        defer { watcher.cancel() }
        let beginning = sample()
        if let problem = await fleet.subscribe(within: Self.subscriptionLimit) {
            _ = await fleet.finish(within: .zero)
            throw ToolError(
                .failed, "the subscriber of the fleet did not get ready: \(ValueText.printable(problem))",
                "Look whether the broker runs, or try --subscribers 0.")
        }
        let configuration = fleet.configuration
        let summary: FleetSummary
        do {
            try introduce(configuration)
            fleet.start()
            try await connect()
            let connected = sample()
            var outcome: FleetOutcome?
            if !isInterrupted.isSet {
                fleet.hear(rate: configuration.rate)
                if command.ramp { outcome = try await climb() } else { try await hold() }
            }
            let full = sample()
            let last = await fleet.finish(within: Self.endLimit)
            summary = FleetSummary(last, beginning, connected, full, sample(), outcome, command)
        } catch {
            // The failure of a queue, or an output without a reader.
            _ = await fleet.finish(within: .zero)
            throw error
        }
        try conclude(summary)
    }

    /// Waits until all gateways have connected once.
    private func connect() async throws {
        var previous = sample()
        while !isInterrupted.isSet, fleet.state.connections.complete == nil {
            try await pause(.seconds(1)) { $0.connections.complete != nil }
            try check()
            let current = sample()
            try report(FleetPeriod(previous, current))
            previous = current
        }
    }

    /// Keeps the rate until the time has passed or the user ends the run.
    private func hold() async throws {
        let end = command.duration.map { ContinuousClock.now + $0 }
        var previous = sample()
        while !isInterrupted.isSet {
            let left = end.map { $0 - ContinuousClock.now } ?? command.report
            guard left > .zero else { return }
            try await pause(min(left, command.report))
            try check()
            let current = sample()
            try report(FleetPeriod(previous, current))
            previous = current
        }
    }

    private func climb() async throws -> FleetOutcome? {
        var ramp = FleetRamp(devices: fleet.configuration.gateways * fleet.configuration.devices)
        var rate = fleet.configuration.rate
        while true {
            fleet.hear(rate: rate)
            // The first quarter belongs to the change.
            try await pause(command.step / 4)
            let previous = sample()
            try await pause(command.step * 3 / 4)
            try check()
            guard !isInterrupted.isSet else { return nil }
            let period = FleetPeriod(previous, sample())
            let verdict = ramp.judge(period.step(wanted: rate, subscribers: fleet.configuration.subscribers))
            try report(period)
            switch verdict {
            case .next(let next): rate = next
            case .finished: return FleetOutcome(bottleneck: nil, rate: rate, sustained: ramp.sustained)
            case .saturated(let bottleneck):
                return FleetOutcome(bottleneck: bottleneck, rate: rate, sustained: ramp.sustained)
            }
        }
    }

    private func sample() -> FleetSample {
        FleetSample(
            state: fleet.state, fleet: ProcessFigures.of(getpid()),
            broker: ProcessFigures.sum(of: command.brokerProcess), machine: MachineFigures.now())
    }

    private func pause(_ span: Duration, until condition: (FleetState) -> Bool = { _ in false }) async throws {
        let end = ContinuousClock.now + span
        while !isInterrupted.isSet, fleet.failure == nil, ContinuousClock.now < end, !condition(fleet.state) {
            try await Task.sleep(for: min(.milliseconds(100), end - ContinuousClock.now))
        }
    }

    private func check() throws {
        guard let failure = fleet.failure else { return }
        throw ToolError(.failed, "the fleet cannot go on: \(ValueText.printable(failure))")
    }

    // MARK: Output

    private func introduce(_ configuration: FleetConfiguration) throws {
        if command.json {
            try emit(jsonLine(FleetRecord(configuration), type: "fleet"))
        } else {
            try emit(
                say(
                    "\(configuration.gateways) gateways with \(configuration.devices) devices each, one advertisement of each device in \(number(Double(configuration.interval.nanoseconds) / 1e9)) s: \(number(configuration.rate)) a second."
                ))
        }
    }

    private func report(_ period: FleetPeriod) throws {
        if command.json {
            try emit(jsonLine(period.record, type: "fleet-progress"))
        } else {
            try emit(ValueText.printable(period.text))
        }
    }

    private func conclude(_ summary: FleetSummary) throws {
        let record = summary.record
        if command.json {
            try emit(jsonLine(record, type: "fleet-summary"))
        } else {
            for line in record.lines { try emit(ValueText.printable(say(line))) }
        }
        guard record.lost == 0 else {
            throw ToolError(
                .failed, "\(record.lost) of \(record.stored) messages were lost or did not reach the broker.",
                record.missing > 0
                    ? "The broker acknowledged \(record.missing) messages that the subscriber did not get: look at its limits for queued messages."
                    : "Look at the limits of the queues and of the broker.")
        }
    }
}

/// The end of a ramp.
struct FleetOutcome {
    /// What was full; nil if nothing was at the highest rate.
    let bottleneck: FleetRamp.Bottleneck?
    let rate: Double
    let sustained: Double
}
