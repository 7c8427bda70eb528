import BluetoothPairing
import CoreBluetooth
import DeviceFiles
import Foundation

/// Runs the steps of a script.
@MainActor
final class ScriptRun {
    /// An assertion that does not hold.
    struct ExpectationError: Error {
        let expected: String
        let found: String
    }

    let session: DeviceSession
    /// The folder of the script.
    let folder: URL
    let pairing = PairingManager()
    /// The device that the last scan found.
    var found: CBPeripheral?
    /// Notifications that no step has waited for, the oldest first.
    var notifications: [(characteristic: CBCharacteristic, value: ObservedValue)] = []
    /// The loss of the link or of the adapter, until a step connects again.
    var loss: ToolError?
    let server: ScriptServer
    private var agent: SessionAgent?
    private let clock: StepClock
    private let start: Duration
    private var report: ScriptReport
    private let show: @MainActor (StepResult) throws -> Void
    private(set) var firstFailure: ToolError?

    /// The most notifications that wait for a step. Older ones are dropped.
    private static let notificationLimit = 10_000

    /// - Parameter show: Receives each result.
    init(
        _ session: DeviceSession, name: String, file: String, show: @escaping @MainActor (StepResult) throws -> Void
    ) {
        self.session = session
        clock = session.client.clock
        start = clock.now
        folder = URL(fileURLWithPath: file).deletingLastPathComponent()
        report = ScriptReport(name: name, file: file)
        self.show = show
        server = ScriptServer(session.conditions, clock)
        session.report = { [weak self] in self?.receive($0) }
    }

    /// Runs the script up to its first failure.
    ///
    /// - Throws: A signal, or the failure of the output.
    func run(_ script: DeviceScript) async throws -> ScriptReport {
        let (session, server) = (session, server)
        // The clients of a served profile are those that the script waits for.
        let agent = SessionAgent(
            accepts: { session.peripheral?.identifier == $0 || server.isServing }, isAsked: { session.isPairing },
            // A world has its own store, which no command of this tool changes.
            note: { [clock] line in if !clock.isVirtual { printError(line) } })
        self.agent = agent
        pairing.setAgent(agent)
        defer { server.stop() }
        try await run(script.steps, prefix: "", suffix: "")
        report.duration = clock.now - start
        return report
    }

    private func run(_ steps: [ScriptStep], prefix: String, suffix: String) async throws {
        for (index, step) in steps.enumerated() {
            let number = prefix + String(index + 1)
            if case .repeated(let times, let nested) = step.action, firstFailure == nil {
                for time in 1...times {
                    // The steps after a failure appear once, as skipped.
                    if time > 1, firstFailure != nil { break }
                    try await run(nested, prefix: number + ".", suffix: " (\(time) of \(times))")
                }
                continue
            }
            try await run(step, number + suffix)
        }
    }

    private func run(_ step: ScriptStep, _ number: String) async throws {
        let begin = clock.now
        let outcome: StepResult.Outcome
        if firstFailure != nil {
            outcome = .skipped
        } else {
            do {
                outcome = .passed(detail: try await perform(step.action))
            } catch let mismatch as ExpectationError {
                outcome = .failed(expected: mismatch.expected, found: mismatch.found)
                firstFailure = ToolError(.failed, "expected \(mismatch.expected), found \(mismatch.found)")
            } catch let failure as ToolError where failure.lines.isEmpty {
                // A signal.
                throw failure
            } catch {
                let failure = error as? ToolError ?? ToolError(.failed, "\(error)")
                outcome = .error(failure.lines)
                firstFailure = failure
            }
        }
        let result = StepResult(
            number: number, text: step.action.text, line: step.line, outcome: outcome, start: begin - start,
            duration: clock.now - begin)
        report.results.append(result)
        try show(result)
    }

    private func receive(_ event: DeviceSession.Report) {
        switch event {
        case .notification(let characteristic, let octets):
            notifications.append((characteristic, ObservedValue(octets, of: characteristic.uuid)))
            if notifications.count > Self.notificationLimit { notifications.removeFirst() }
        case .lost(let reason, _):
            loss = ToolError(.failed, "the device disconnected: \(reason).", "Try: bluelab scan")
        case .adapterLost:
            loss = .lostController
        case .restored, .incomplete: break
        }
        session.conditions.check()
    }
}
