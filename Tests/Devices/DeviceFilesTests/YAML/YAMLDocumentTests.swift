import Foundation
import Testing
import DeviceFiles

private func problems(_ text: String) -> [String] {
    do {
        _ = try YAMLDocument(text: text, file: "band.yaml")
        return []
    } catch { return error.lines }
}

@Suite struct YAMLDocumentTests {
    @Test func aTreeHasLinesAndColumns() throws {
        let document = try YAMLDocument(
            text: "name: Band\nservices:\n  - uuid: 180D\n    properties: [read, notify]\n", file: "band.yaml")
        let entries = try #require(document.root.entries)
        #expect(entries.map(\.key) == ["name", "services"])
        #expect(entries[0].value.position == YAMLPosition(line: 1, column: 7))
        let service = try #require(entries[1].value.elements?.first)
        #expect(service.position == YAMLPosition(line: 3, column: 5))
        let properties = try #require(service.entries?.last)
        #expect(properties.keyPosition == YAMLPosition(line: 4, column: 5))
        #expect(properties.value.elements?.map(\.text) == ["read", "notify"])
        #expect(properties.value.elements?.last?.position == YAMLPosition(line: 4, column: 24))
    }

    @Test func scalarsKeepTheirText() throws {
        let document = try YAMLDocument(text: "[0180, 1e3, true, 'null', ~, null, '']", file: "f")
        let elements = try #require(document.root.elements)
        #expect(elements.map(\.text) == ["0180", "1e3", "true", "null", nil, nil, ""])
        #expect(elements.map(\.isNull) == [false, false, false, false, true, true, false])
    }

    @Test func aByteOrderMarkIsNoContent() throws {
        #expect(try YAMLDocument(text: "\u{FEFF}name: x", file: "f").root.entries?.first?.key == "name")
    }

    @Test func anErrorOfSyntaxHasItsPlace() {
        #expect(
            problems("a: 1\nb: [1, 2\nc: 3\n") == [
                "band.yaml:3:2: expected YAML, found: did not find expected ',' or ']' (while parsing a flow sequence in line 2)."
            ])
        #expect(problems("a: 1\na: 2\n") == ["band.yaml:1:1: expected each key once, found \"a\" again."])
        #expect(problems("? [a]\n: 1\n") == ["band.yaml:1:3: expected a name as the key, found a list or a mapping."])
        #expect(problems("") == ["band.yaml:1:1: expected a mapping, found an empty file."])
        #expect(problems("a: 1\n--- \nb: 2\n").first?.hasPrefix("band.yaml:2:1: expected YAML") == true)
        #expect(
            problems("a: 1\nb: \"x\u{1}\"") == [
                "band.yaml:2:6: expected text, found: control characters are not allowed."
            ])
        #expect(
            problems("a: *b").first?.hasPrefix("band.yaml:1:4: expected YAML, found: found undefined alias") == true)
    }

    @Test func aliasesRepeatAValue() throws {
        let document = try YAMLDocument(text: "a: &x [1, 2]\nb: *x\n", file: "f")
        #expect(document.root.entries?.last?.value.elements?.map(\.text) == ["1", "2"])
    }

    @Test func aliasesOfAliasesEndAtTheLimit() {
        // The classic expansion: each level repeats the one before ten times.
        var text = "a0: &a0 [x, x]\n"
        for level in 1...9 {
            text +=
                "a\(level): &a\(level) [" + Array(repeating: "*a\(level - 1)", count: 10).joined(separator: ",") + "]\n"
        }
        #expect(problems(text) == ["band.yaml:5:18: expected at most 32 aliases, found more."])
        // The most that the limit of aliases leaves: 3 to the power of 10 leaves of 2 octets.
        var powers = "a0: &a0 [1, 2, 3, 4, 5, 6, 7, 8]\n"
        for level in 1...10 { powers += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1), *a\(level - 1)]\n" }
        #expect(problems(powers).first?.contains("expected at most 100000 values, found more.") == true)
    }

    @Test func deepNestingEndsAtTheLimit() {
        #expect(
            problems(String(repeating: "[", count: 40) + String(repeating: "]", count: 40)) == [
                "band.yaml:1:34: expected at most 32 levels, found more."
            ])
        #expect(
            problems(String(repeating: "[", count: 900) + String(repeating: "]", count: 900)) == [
                "band.yaml:1:34: expected at most 32 levels, found more."
            ])
        #expect(problems(String(repeating: "- ", count: 200_000)).first?.contains("expected YAML") == true)
    }

    @Test func aLargeFileIsRefusedBeforeItIsParsed() throws {
        #expect(
            problems(String(repeating: "x", count: 2 << 20)) == [
                "band.yaml: expected at most 1048576 octets, found 2097152."
            ])
        #expect(throws: YAMLError.self) { try YAMLDocument(path: "/dev/zero") }
    }

    @Test func filesThatCannotBeReadHaveAReason() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "yaml-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: file) }
        func reason(_ path: String) -> String? {
            do {
                _ = try YAMLDocument(path: path)
                return nil
            } catch { return error.description }
        }
        #expect(reason(file) == "\(file): the file cannot be opened: No such file or directory.")
        #expect(reason("/tmp") == "/tmp: the file cannot be read: Is a directory.")
        try Data([0x61, 0xFF]).write(to: URL(filePath: file))
        #expect(reason(file) == "\(file): expected UTF-8 text, found other octets.")
        try Data("a: 1\n".utf8).write(to: URL(filePath: file))
        #expect(reason(file) == nil)
    }
}
