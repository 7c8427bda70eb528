import BLESimulator
import CoreBluetooth
import DeviceFiles
import Foundation
import WorldFiles

/// The scripts of a world, each on its device, in the time of the world.
@MainActor
final class WorldScripts {
    private struct Script {
        let device: String
        let session: DeviceSession
        let client: CentralClient
        let task: Task<ScriptReport, any Error>
    }

    let clock: StepClock
    private var scripts: [Script] = []
    private var endedCount = 0

    init(_ world: World) { clock = StepClock(world.clock) }

    /// Whether all scripts have ended.
    var haveEnded: Bool { endedCount == scripts.count }

    /// Starts the scripts of a file.
    ///
    /// - Parameter show: Receives the device, the path of the script and each result.
    func start(
        _ file: WorldFile, at path: String, in world: World,
        show: @escaping @MainActor (_ device: String, _ file: String, StepResult) throws -> Void
    ) throws {
        for device in file.devices {
            guard case .scripts(let scripts) = device.body else { continue }
            for script in scripts { try start(script, on: device.id, path, world, show) }
        }
    }

    private func start(
        _ script: WorldFile.Script, on device: String, _ path: String, _ world: World,
        _ show: @escaping @MainActor (_ device: String, _ file: String, StepResult) throws -> Void
    ) throws {
        var scriptPath = path
        if case .file(let name, _) = script {
            scriptPath = URL(filePath: name, relativeTo: URL(filePath: path).deletingLastPathComponent()).path
        }
        let steps = script.script
        let name = "\(device): \(steps.name ?? scriptPath)"
        let (turn, start) = AsyncStream.makeStream(of: Never.self)
        clock.work { start.finish() }
        try world.device(device).run {
            let client = CentralClient(clock: clock)
            let session = DeviceSession(client, reconnects: false)
            let task = Task { @MainActor [clock] in
                for await _ in turn {}
                defer {
                    endedCount += 1
                    clock.rest()
                }
                let run = ScriptRun(session, name: name, file: scriptPath) { result in
                    try show(device, scriptPath, result)
                }
                let report = try await run.run(steps)
                session.end()
                await client.close()
                return report
            }
            scripts.append(Script(device: device, session: session, client: client, task: task))
        }
    }

    /// Ends the scripts that have not ended.
    func cancel(_ failure: ToolError) {
        for script in scripts { script.session.cancel(failure, isFinal: true) }
    }

    /// The reports of the scripts in the order of the file. Waits until all have ended.
    func reports() async throws -> [(device: String, report: ScriptReport)] {
        var reports: [(String, ScriptReport)] = []
        for script in scripts { reports.append((script.device, try await script.task.value)) }
        return reports
    }
}

/// One run of a world file in virtual time.
@MainActor
struct WorldTestRun {
    let file: WorldFile
    let path: String
    let world: World
    /// The longest run in virtual time.
    let limit: Duration

    /// The latest end of a world without `--until`.
    static let longest = Duration.seconds(86_400)

    /// What came of the scripts, the expectations and the events.
    struct Result {
        /// The device of a script; nil for expectations and events.
        var reports: [(device: String?, report: ScriptReport)] = []
        var duration = Duration.zero

        var all: [StepResult] { reports.flatMap(\.report.results) }
        var isPassed: Bool { all.allSatisfy(\.isPassed) }
    }

    /// Runs the world until its scripts have ended and its expectations are decided.
    ///
    /// - Parameter show: Receives the device, the path of the file and each result of a script.
    func run(
        show: @escaping @MainActor (_ device: String?, _ file: String, StepResult) throws -> Void
    ) async throws -> Result {
        let scripts = WorldScripts(world)
        try scripts.start(file, at: path, in: world) { try show($0, $1, $2) }
        var expectations = ExpectationRun(world)
        while true {
            await settle(scripts.clock)
            expectations.look()
            if scripts.haveEnded, expectations.next == nil { break }
            guard world.now < limit else {
                scripts.cancel(ToolError(.timeout, "the run ended at \(inSeconds(limit))."))
                await finish(scripts)
                break
            }
            let goal = min(expectations.next ?? limit, limit)
            await Self.advance(world, by: goal - world.now, scripts.clock)
        }
        expectations.end()
        var result = Result(reports: try await scripts.reports().map { ($0, $1) }, duration: world.now)
        for report in [expectationReport(expectations), eventReport()].compactMap(\.self) {
            result.reports.append((nil, report))
            for step in report.results { try show(nil, path, step) }
        }
        return result
    }

    /// Does everything that is due now in the world and in its scripts. The run before may have ended in the middle of it.
    private func settle(_ clock: StepClock) async {
        var endedWaits: Int
        repeat {
            await clock.settle()
            endedWaits = clock.endedWaits
            await world.settle()
        } while clock.endedWaits != endedWaits
    }

    /// Advances a world until the wait of a script ends.
    private static func advance(_ world: World, by length: Duration, _ clock: StepClock) async {
        await advance(world, by: length, clock, after: clock.endedWaits)
    }

    private nonisolated static func advance(
        _ world: World, by length: Duration, _ clock: StepClock, after endedWaits: Int
    ) async {
        await world.run(timeout: length, isolation: nil) { clock.endedWaits != endedWaits }
    }

    /// Lets scripts that were ended close their links.
    private func finish(_ scripts: WorldScripts) async {
        while !scripts.haveEnded {
            await scripts.clock.settle()
            if scripts.haveEnded { return }
            await Self.advance(world, by: .seconds(10), scripts.clock)
        }
    }

    private func expectationReport(_ run: ExpectationRun) -> ScriptReport? {
        guard !run.expectations.isEmpty else { return nil }
        var report = ScriptReport(name: "expectations of \(file.name ?? path)", file: path)
        for (index, (expectation, outcome)) in zip(run.expectations, run.outcomes).enumerated() {
            let (result, time): (StepResult.Outcome, Duration) =
                switch outcome {
                case .met(let time): (.passed(detail: nil), time)
                case .broken(let time, let found): (.failed(expected: expectation.text, found: found), time)
                case nil: (.skipped, world.now)
                }
            report.results.append(
                StepResult(
                    number: "\(index + 1)", text: expectation.text, line: max(1, expectation.place.line),
                    outcome: result, start: .zero, duration: time))
        }
        report.duration = world.now
        return report
    }

    /// The events that could not be performed.
    private func eventReport() -> ScriptReport? {
        let failures = world.scene?.failures ?? []
        guard !failures.isEmpty else { return nil }
        var report = ScriptReport(name: "events of \(file.name ?? path)", file: path)
        for (index, failure) in failures.enumerated() {
            report.results.append(
                StepResult(
                    number: "\(index + 1)", text: "event", line: max(1, failure.place.line),
                    outcome: .error([failure.sentence]), start: .zero, duration: failure.time))
        }
        report.duration = world.now
        return report
    }
}
