import DeviceFiles
import Foundation

/// Prints the results of a run.
struct ScriptOutput {
    let terminal: Terminal
    let isJSON: Bool
    let file: String

    func begin(_ name: String) throws {
        if !isJSON { try emit(terminal.styled(ValueText.printable(name), .bold)) }
    }

    func show(_ result: StepResult) throws {
        if isJSON { return try emit(jsonLine(StepRecord(result, file: file))) }
        for line in lines(result) { try emit(line) }
    }

    func end(_ report: ScriptReport) throws {
        if isJSON { return try emit(jsonLine(ScriptRecord(report))) }
        let count =
            "\(report.passedCount) of \(report.results.count) steps passed in \(seconds(report.duration, width: 0))"
        try emit(terminal.styled(say(count), report.isPassed ? .green : .red))
    }

    func lines(_ result: StepResult) -> [String] {
        let marks = terminal.isUnicode ? (passed: "✔", failed: "✘") : (passed: "ok", failed: "no")
        let indentation = String(repeating: " ", count: 15 + (terminal.isUnicode ? 0 : 1))
        func row(_ mark: String, _ style: Terminal.Style) -> String {
            let text = "\(result.number)  \(ValueText.printable(result.text))"
            return " \(terminal.styled(mark, style)) \(seconds(result.duration, width: 8))  \(text)"
        }
        switch result.outcome {
        case .passed(let detail):
            // An expected value is in the text already.
            let isNew = detail.map { !result.text.hasSuffix(": \($0)") } ?? false
            let shown = isNew ? "  " + terminal.styled(ValueText.printable(detail ?? ""), .cyan) : ""
            return [row(marks.passed, .green) + shown]
        case .failed(let expected, let found):
            return [
                row(marks.failed, .red), indentation + say("expected: ") + ValueText.printable(expected),
                indentation + say("found:    ") + ValueText.printable(found),
                indentation + say("at \(file):\(result.line)"),
            ]
        case .error(let sentences):
            return [row(marks.failed, .red)] + sentences.map { indentation + say(ValueText.printable($0)) } + [
                indentation + say("at \(file):\(result.line)")
            ]
        case .skipped:
            return [terminal.styled(" -             \(result.number)  \(ValueText.printable(result.text))", .faint)]
        }
    }
}

/// A step, in the output of `bluelab run --json`.
struct StepRecord: Encodable {
    let type = "step"
    /// "3", or "4.2 (2 of 5)" in a repetition.
    let number: String
    /// The device of a script in a world.
    var device: String?
    let file: String
    let line: Int
    let text: String
    /// passed, failed, error or skipped.
    let result: String
    /// Seconds from the start of the run to the start of the step.
    let time: Double
    /// Seconds.
    let duration: Double
    /// What the step saw.
    var detail: String?
    var expected: String?
    var found: String?
    /// Why the operation failed.
    var error: String?

    init(_ result: StepResult, file: String, device: String? = nil) {
        number = result.number
        self.device = device
        self.file = file
        line = result.line
        text = ValueText.printable(result.text)
        time = jsonSeconds(result.start)
        duration = jsonSeconds(result.duration)
        switch result.outcome {
        case .passed(let detail):
            self.result = "passed"
            self.detail = detail.map(ValueText.printable)
        case .failed(let expected, let found):
            self.result = "failed"
            self.expected = ValueText.printable(expected)
            self.found = ValueText.printable(found)
        case .error(let sentences):
            self.result = "error"
            error = ValueText.printable(sentences.joined(separator: " "))
        case .skipped: self.result = "skipped"
        }
    }
}

/// A run, the last line of `bluelab run --json`.
struct ScriptRecord: Encodable {
    let type = "script"
    let file: String
    let name: String
    let passed: Bool
    /// The number of steps, and of those that passed.
    let steps: Int
    let passedSteps: Int
    /// Seconds.
    let duration: Double

    init(_ report: ScriptReport) {
        file = report.file
        name = ValueText.printable(report.name)
        passed = report.isPassed
        steps = report.results.count
        passedSteps = report.passedCount
        duration = jsonSeconds(report.duration)
    }
}
