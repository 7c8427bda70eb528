/// What came of one step of a run.
package struct StepResult: Hashable, Sendable {
    package enum Outcome: Hashable, Sendable {
        /// `detail` is what the step saw, such as a value.
        case passed(detail: String?)
        /// An assertion that did not hold.
        case failed(expected: String, found: String)
        /// An operation that failed, in sentences.
        case error([String])
        /// A step after the one that ended the run.
        case skipped
    }

    /// The position in the script: "3", or "4.2 (2 of 5)" in a repetition.
    package let number: String
    package let text: String
    package let line: Int
    package let outcome: Outcome
    /// The time since the start of the run.
    package let start: Duration
    package let duration: Duration

    package init(
        number: String, text: String, line: Int, outcome: Outcome, start: Duration, duration: Duration
    ) {
        self.number = number
        self.text = text
        self.line = line
        self.outcome = outcome
        self.start = start
        self.duration = duration
    }

    package var isPassed: Bool {
        if case .passed = outcome { return true }
        return false
    }
}

/// A run of a script.
package struct ScriptReport: Hashable, Sendable {
    package let name: String
    package let file: String
    package var results: [StepResult] = []
    package var duration = Duration.zero

    package init(name: String, file: String) {
        self.name = name
        self.file = file
    }

    package var isPassed: Bool { results.allSatisfy(\.isPassed) }
    package var passedCount: Int { results.count { $0.isPassed } }

    /// The report as JUnit XML: a test case for each step.
    package var junit: String { Self.junit([self]) }

    /// Reports as JUnit XML: a suite for each report.
    package static func junit(_ reports: [ScriptReport]) -> String {
        let (results, duration) = (reports.flatMap(\.results), reports.reduce(.zero) { $0 + $1.duration })
        var lines = [
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>", "<testsuites \(counts(results)) \(time(duration))>",
        ]
        for report in reports {
            let attributes = "\(counts(report.results)) \(time(report.duration))"
            lines.append("  <testsuite name=\"\(escaped(report.name))\" \(attributes)>")
            for result in report.results { lines += Self.lines(result, report.file) }
            lines.append("  </testsuite>")
        }
        return (lines + ["</testsuites>"]).joined(separator: "\n") + "\n"
    }

    private static func time(_ duration: Duration) -> String { "time=\"\(seconds(duration))\"" }

    private static func counts(_ results: [StepResult]) -> String {
        let failures = results.count { if case .failed = $0.outcome { true } else { false } }
        let errors = results.count { if case .error = $0.outcome { true } else { false } }
        let skipped = results.count { $0.outcome == .skipped }
        return
            "tests=\"\(results.count)\" failures=\"\(failures)\" errors=\"\(errors)\" skipped=\"\(skipped)\""
    }

    private static func lines(_ result: StepResult, _ file: String) -> [String] {
        let attributes =
            "name=\"\(escaped("\(result.number) \(result.text)"))\" classname=\"\(escaped(file))\" "
            + "time=\"\(seconds(result.duration))\""
        let place = "\(file):\(result.line)"
        let content: String
        switch result.outcome {
        case .passed: return ["    <testcase \(attributes)/>"]
        case .skipped: content = "<skipped/>"
        case .failed(let expected, let found):
            content =
                "<failure message=\"\(escaped("expected \(expected), found \(found)"))\">\(escaped(place))</failure>"
        case .error(let sentences):
            content =
                "<error message=\"\(escaped(sentences.first ?? "the step failed"))\">"
                + escaped((sentences + [place]).joined(separator: "\n")) + "</error>"
        }
        return ["    <testcase \(attributes)>", "      \(content)", "    </testcase>"]
    }

    /// Text for XML 1.0, which has no form for most control characters.
    private static func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "\n": result += "&#10;"
            default:
                let isValid = scalar.value >= 0x20 && scalar.value != 0xFFFE && scalar.value != 0xFFFF
                result.unicodeScalars.append(isValid ? scalar : "\u{FFFD}")
            }
        }
        return result
    }

    private static func seconds(_ duration: Duration) -> String {
        let milliseconds = Int64((duration / .milliseconds(1)).rounded())
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction
    }
}
