import BLERuntime
import Foundation

/// What a user can do who has no usable controller: the finding of `doctor`, and a radio that runs.
enum ControllerAdvice {
    /// The failure with the advice.
    ///
    /// - Parameter failure: The failure of a command that needs a controller, of the kind `noAdapter`.
    static func completing(_ failure: ToolError) async -> ToolError {
        let selection = ProcessInfo.processInfo.environment["BLUETOOTH_CONTROLLER"]
        return completing(failure, await MachineProbe.facts(selection: selection))
    }

    static func completing(_ failure: ToolError, _ facts: MachineFacts) -> ToolError {
        var lines = failure.lines
        let diagnosis = Diagnosis(facts: facts)
        // A controller that the user selected has a sentence of its own.
        if diagnosis.needs(), case .none = facts.choice,
            let problem = diagnosis.findings.first(where: { $0.state == .problem && $0.fix != nil })
        {
            lines = [problem.text, "Try: \(problem.fix ?? "bluelab doctor")"]
        }
        // The finding without an adapter names the radio already.
        if let offer = offer(facts), !lines.contains(where: { $0.hasSuffix(offer) }) {
            lines.append("A virtual radio runs: \(offer)")
        }
        return ToolError(failure.kind, lines)
    }

    /// The command that uses a radio that runs.
    private static func offer(_ facts: MachineFacts) -> String? {
        // Who asks for a radio, or for that of another machine, wants no other one.
        switch facts.choice {
        case .radio, .gateway: return nil
        default: break
        }
        return facts.runningRadio.map { "bluelab scan --controller \($0)" }
    }
}
