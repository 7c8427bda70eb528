import DeviceFiles
import Foundation
import Testing

@testable import Studio
@testable import Phrases
@testable import StudioRoom

struct ProfileProblemTests {
    @Test(arguments: [
        "[]", "services: 3", "a: b: c", "a:\n\t- b", "\"a", "a: 'b", "- a\nb: c", "a: [b, c", "a: {b", "? [a", "&",
        "*x", "%FOO\n--- a", "a: |0\n b",
        "--- a\n--- b", "a: @b", "a: !<x", "a: \"\\q\"", "a: *b", "a: \u{1}",
        "services: [{name: 180D}]", "servces: []", "advertising: {nam: x}\nservices: []", "a: [",
        "services: [{uuid: zz, characteristics: []}]",
        "services: [{uuid: FFE0, characteristics: [{uuid: FFE1, properties: [raed], value: 01}]}]",
        "services: [{uuid: FFE0, characteristics: [{uuid: FFE1, properties: [read], format: u8, value: 300}]}]",
        "services: [{uuid: FFE0, characteristics: [{uuid: FFE1, properties: read, value: {counter: {min: 5, max: 1}}}]}]",
        "services: [{uuid: FFE0, characteristics: [{uuid: FFE1, properties: read, value: xx}]}]",
        "advertising: {name: [1]}\nservices: []", "services: []\nservices: []", "services: [&a x, *b]",
        "services: [{uuid: FFE0, primary: maybe, characteristics: []}]",
        "services: [{uuid: 1800, characteristics: []}]",
    ])
    func anErrorOfAProfileHasBothLanguages(yaml: String) throws {
        let report = MakerReport(checking: yaml)
        try #require(!report.problems.isEmpty)
        for problem in report.problems {
            let chinese = problem.text.inChinese
            #expect(
                problem.text.data == nil && !chinese.contains("expected") && !chinese.contains("found"), "\(chinese)")
            // Words between names, keys and quoted texts.
            let unquoted = chinese.replacing(#/"[^"]*"|“[^”]*”/#, with: "")
            #expect(
                !unquoted.contains(#/\b(a|an|the|of|is|to|in|and|or|with) /#), "\(chinese)"
            )
        }
    }

    @Test func aProfileThatARoomRefusesNamesItsFirstError() {
        do throws(YAMLError) {
            _ = try DeviceProfile(text: "services:\n  - a: [", file: "profile")
            Issue.record("the text is a profile")
        } catch {
            let failure = PhrasedError(profile: error)
            #expect(failure.text.inChinese.hasPrefix("配置文件无效：第 3 行：不是有效的 YAML："))
            #expect(failure.text.description.hasPrefix("The profile is not valid: line 3: expected YAML, found: "))
        }
    }

    @Test func aTextOfTheProfileStaysAsItIs() {
        let phrase = ProfileProblems.phrase(#"expected a number, found "nothing and more"."#)
        #expect(phrase.inChinese == #"应为数，实际为"nothing and more"。"#)
        #expect(phrase.description == #"expected a number, found "nothing and more"."#)
        #expect(ProfileProblems.phrase("Something else.").data == "Something else.")
    }
}
