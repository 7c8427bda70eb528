import Foundation
import Testing

@testable import DeviceFiles

@Suite struct ScriptReportTests {
    private func result(_ outcome: StepResult.Outcome, _ text: String = "read 2A38") -> StepResult {
        StepResult(
            number: "1", text: text, line: 4, outcome: outcome, start: .zero, duration: .milliseconds(1234))
    }

    @Test func junitCountsOutcomes() {
        var report = ScriptReport(name: "A & B", file: "a.yaml")
        report.results = [
            result(.passed(detail: nil)), result(.failed(expected: "\"1\"", found: "<2>")),
            result(.error(["no answer.", "Try: x"])), result(.skipped), result(.skipped),
        ]
        report.duration = .seconds(2)
        let text = report.junit
        #expect(!report.isPassed && report.passedCount == 1)
        #expect(
            text.contains(
                "<testsuite name=\"A &amp; B\" tests=\"5\" failures=\"1\" errors=\"1\" skipped=\"2\" time=\"2.000\">"))
        #expect(text.contains("<testcase name=\"1 read 2A38\" classname=\"a.yaml\" time=\"1.234\"/>"))
        #expect(text.contains("<failure message=\"expected &quot;1&quot;, found &lt;2&gt;\">a.yaml:4</failure>"))
        #expect(text.contains("<error message=\"no answer.\">no answer.&#10;Try: x&#10;a.yaml:4</error>"))
    }

    @Test func junitHasNoCharacterThatXMLForbids() {
        var report = ScriptReport(name: "n", file: "f")
        report.results = [result(.failed(expected: "a", found: "\u{1B}[31m\u{0}\u{FFFF}"))]
        #expect(report.junit.unicodeScalars.allSatisfy { $0 == "\n" || $0.value >= 0x20 && $0.value != 0xFFFF })
    }
}
