import ArgumentParser
import BLEAdapter
import BLESimulator
import DeviceLink

struct LampDemoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "lamp",
        abstract: "Set a lamp up over Bluetooth, then switch it over four ways while they are cut one after the other.",
        discussion: """
              bluelab demo lamp
              bluelab demo lamp --one-process --seed 7
              bluelab demo lamp --json

            Root gets three network namespaces with real sockets: the lamp, the phone, and the house with the router. Otherwise, and with \
            --one-process, everything is in this process and in virtual time. The first line says which. Both programs use the public API only; \
            their source is in Examples/LampPrograms. Documentation/Lamp.md explains the story. The exit code is 0 only if the lamp carried out each \
            request once, the phone heard each press of the button, and each way was used.
            """)

    @Option(shown: "Determines the random draws of the radio.", valueName: "number", transform: seedValue)
    var seed: UInt64 = 1

    @Flag(help: "Run in one process, with a simulated router, access point and cloud.")
    var oneProcess = false

    @Flag(help: "Run in network namespaces, or fail.")
    var namespaces = false

    @Flag(
        help:
            "Take the time that the story takes: with the usual time limits of a link, half a minute. Otherwise virtual time, or short limits."
    )
    var realTime = false

    @Flag(help: "Print one JSON object per line.")
    var json = false

    @OptionGroup var color: ColorOptions

    func validate() throws {
        if oneProcess, namespaces { throw ValidationError("--one-process and --namespaces exclude each other.") }
    }

    func run() async throws {
        if let end = LampEndpointRun() { return try await end.run(timing: realTime ? LinkTiming() : .short) }
        let terminal = color.terminal()
        let interruption = LampInterruption()
        var obstacle: String?
        if !oneProcess {
            do {
                return try await runProcesses(terminal, interruption)
            } catch let failure as LampNamespaces.NamespaceError {
                obstacle = failure.description
            }
        }
        if namespaces {
            throw ToolError(
                .failed, "network namespaces are not possible here: \(obstacle ?? "").",
                "Try: bluelab demo lamp --one-process")
        }
        try await runSimulation(terminal, interruption, obstacle)
    }

    private func runSimulation(
        _ terminal: Terminal, _ interruption: LampInterruption, _ obstacle: String?
    ) async throws {
        let time = realTime ? "in real time" : "in virtual time (seed \(seed))"
        var lines = [
            "A phone and a lamp in one process, \(time). The radio is virtual; router, access point and cloud are simulated."
        ]
        if let obstacle {
            lines.append("The form with real sockets, in network namespaces, is not possible here: \(obstacle).")
        }
        let start = ContinuousClock.now
        let simulation = LampSimulation(seed: seed, pace: realTime ? .realTime : .unlimited)
        var story = LampScenario(limit: .seconds(300), settling: .seconds(5))
        let display = Lock(display(terminal))
        let record = LampRecord(form: .process, seed: seed, realTime: realTime, obstacle: obstacle)
        display.withLock { $0.begin(record, lines) }
        simulation.run(&story, isInterrupted: { interruption.kind != nil }) { shown, now in
            display.withLock { $0.show(shown, at: now) }
        }
        try finish(story.outcome, display.withLock { $0 }, terminal, interruption)
        if !json {
            let real = realTime ? "" : ", computed in \(seconds(ContinuousClock.now - start, width: 0))"
            let time = seconds(simulation.now, width: 0)
            terminal.print(say(realTime ? "\(time) of real time" : "\(time) of virtual time\(real)"))
        }
        try end(story.outcome, terminal)
    }

    private func runProcesses(_ terminal: Terminal, _ interruption: LampInterruption) async throws {
        let processes = try LampProcesses(seed: seed, isRealTime: realTime)
        let display = Lock(display(terminal))
        let record = LampRecord(form: .namespaces, seed: seed, realTime: realTime)
        let hasBegun = Lock(false)
        interruption.onSignal { processes.stop() }
        let limits = realTime ? "the usual time limits" : "short time limits"
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<LampOutcome, LampNamespaces.NamespaceError>, Never>) in
            processes.run { shown, now in
                // The first report shows that the namespaces exist.
                let isFirst = hasBegun.withLock { hasBegun in
                    defer { hasBegun = true }
                    return !hasBegun
                }
                display.withLock { display in
                    if isFirst {
                        display.begin(
                            record,
                            [
                                "A phone and a lamp in two network namespaces with real sockets, a router between them, and \(limits).",
                                "The radio is virtual. \(processes.cloud)",
                            ])
                    }
                    display.show(shown, at: now)
                }
            } completion: {
                continuation.resume(returning: $0)
            }
        }
        interruption.onSignal {}
        let outcome: LampOutcome
        switch result {
        case .success(let value): outcome = value
        case .failure(let failure):
            if let kind = interruption.kind { throw ToolError(kind) }
            if !hasBegun.withLock({ $0 }) { throw failure }
            throw ToolError(.failed, "\(failure.description).", "Try: bluelab demo lamp --one-process")
        }
        try finish(outcome, display.withLock { $0 }, terminal, interruption)
        try end(outcome, terminal)
    }

    private func display(_ terminal: Terminal) -> LampDisplay {
        json ? .records(terminal) : .picture(LampRenderer(terminal: terminal))
    }

    private func finish(
        _ outcome: LampOutcome, _ display: LampDisplay, _ terminal: Terminal, _ interruption: LampInterruption
    ) throws {
        if let kind = interruption.kind {
            terminal.flush()
            throw ToolError(kind)
        }
        display.conclude(outcome)
    }

    private func end(_ outcome: LampOutcome, _ terminal: Terminal) throws {
        terminal.flush()
        if !outcome.problems.isEmpty { throw ExitCode.failure }
    }
}

/// A signal that ends the demo.
private final class LampInterruption: Sendable {
    private let state = Lock<(kind: ToolError.Kind?, onSignal: @Sendable () -> Void)>((nil, {}))
    private let signals = Lock<TerminationSignals?>(nil)

    init() {
        let signals = TerminationSignals(on: .global()) { [weak self] kind in
            let action = self?.state.withLock { state in
                state.kind = kind
                return state.onSignal
            }
            action?()
        }
        self.signals.withLock { $0 = signals }
    }

    /// The latest signal.
    var kind: ToolError.Kind? { state.withLock { $0.kind } }

    /// Sets what happens at a signal; at once if there was one.
    func onSignal(_ body: @escaping @Sendable () -> Void) {
        let isLate = state.withLock { state in
            state.onSignal = body
            return state.kind != nil
        }
        if isLate { body() }
    }
}

extension LampRenderer {
    mutating func show(_ shown: LampDisplayItem, at now: Duration) {
        switch shown {
        case .report(let report): show(report, at: now)
        case .action(let action): show(action, at: now)
        }
    }
}
