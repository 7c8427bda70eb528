import Testing
import DeviceFiles

/// Reads one value with `read` and returns it with the errors.
private func read<Value>(_ text: String, _ read: (inout YAMLReader, YAMLNode) -> Value?) -> (
    value: Value?, problems: [String]
) {
    do {
        let document = try YAMLDocument(text: text, file: "f")
        var reader = YAMLReader(file: "f")
        let value = read(&reader, document.root)
        try reader.finish()
        return (value, [])
    } catch { return (nil, error.lines) }
}

@Suite struct YAMLReaderTests {
    @Test func anUnknownKeySuggestsTheNearest() {
        let result = read("uiud: 180D\nname: x\n") { $0.mapping($1, "a service", keys: ["uuid", "name", "primary"]) }
        #expect(
            result.problems == [
                "f:1:1: expected one of the keys uuid, name and primary, found \"uiud\" (did you mean \"uuid\"?)."
            ] || result.problems == ["f:1:1: expected one of the keys uuid, name and primary, found \"uiud\"."])
        let near = read("primry: 1") { $0.mapping($1, "a service", keys: ["uuid", "primary"]) }
        #expect(
            near.problems == [
                "f:1:1: expected one of the keys uuid and primary, found \"primry\" (did you mean \"primary\"?)."
            ])
        let far = read("colour: 1") { $0.mapping($1, "a service", keys: ["uuid", "primary"]) }
        #expect(far.problems == ["f:1:1: expected one of the keys uuid and primary, found \"colour\"."])
    }

    @Test func aMappingOfAnotherKindIsAnError() {
        let result = read("- 1") { $0.mapping($1, "a service", keys: ["uuid", "name"]) }
        #expect(result.problems == ["f:1:1: expected a service (a mapping with uuid and name), found a list."])
        let missing = read("name: x") { reader, node in
            reader.mapping(node, "a service", keys: ["uuid", "name"]).flatMap { reader.required("uuid", of: $0) }
        }
        #expect(missing.problems == ["f:1:1: expected the key \"uuid\" in a service, found none."])
    }

    @Test func integersHaveARange() {
        #expect(read("12") { $0.integer($1, in: 0...20) }.value == 12)
        #expect(read("0x1F") { $0.integer($1) }.value == 31)
        #expect(read("-3") { $0.integer($1) }.value == -3)
        #expect(
            read("21") { $0.integer($1, in: 0...20) }.problems == [
                "f:1:1: expected a whole number from 0 to 20, found \"21\"."
            ])
        #expect(read("1.5") { $0.integer($1) }.problems == ["f:1:1: expected a whole number, found \"1.5\"."])
        #expect(read("99999999999999999999") { $0.integer($1) }.value == nil)
    }

    @Test func numbersAreFinite() {
        #expect(read("1.5") { $0.number($1) }.value == 1.5)
        #expect(read("nan") { $0.number($1) }.problems == ["f:1:1: expected a number, found \"nan\"."])
        #expect(
            read("2") { $0.number($1, in: 0...1) }.problems == [
                "f:1:1: expected a number from 0.0 to 1.0, found \"2\"."
            ])
    }

    @Test(arguments: [
        ("100 ms", Duration.milliseconds(100)), ("1.5 s", .milliseconds(1500)), ("2 min", .seconds(120)),
        ("1h", .seconds(3600)), ("0.1s", .milliseconds(100)), ("250 us", .microseconds(250)), ("0 s", .zero),
    ])
    func durationsHaveAUnit(_ text: String, _ expected: Duration) {
        #expect(read(text) { $0.duration($1) }.value == expected)
    }

    @Test(arguments: ["100", "ms", "1 parsec", "-1 s", "1e3 s", "nan s", "99999999999 h", "[1]"])
    func textWithoutAUnitIsNoDuration(_ text: String) {
        #expect(read(text) { $0.duration($1) }.problems.first?.hasPrefix("f:1:1: expected a duration") == true)
    }

    @Test func durationsHaveARange() {
        let result = read("5 ms") { $0.duration($1, in: .milliseconds(20) ... .seconds(90)) }
        #expect(result.problems == ["f:1:1: expected a duration from 20 ms to 90 s, found \"5 ms\"."])
        #expect(YAMLReader.text(.microseconds(1500)) == "1500 us")
        #expect(YAMLReader.text(.seconds(7200)) == "2 h")
        #expect(YAMLReader.text(.zero) == "0 s")
    }

    @Test(arguments: ["01 ff", "01ff", "01:FF", "0x01 0xff", "0x01ff", "01-ff"])
    func octetsAreHexadecimal(_ text: String) {
        #expect(read("'\(text)'") { $0.octets($1) }.value == [0x01, 0xFF])
    }

    @Test(arguments: ["1", "0g", "01 f", "é0", "[01]", "~"])
    func otherTextIsNotOctets(_ text: String) {
        #expect(
            read(text) { $0.octets($1) }.problems.first?.hasPrefix("f:1:1: expected octets as hexadecimal digits")
                == true)
    }

    @Test func octetsHaveALength() {
        #expect(read("''") { $0.octets($1) }.value == [])
        #expect(
            read("'01 02 03'") { $0.octets($1, count: 1...2) }.problems == ["f:1:1: expected 1 to 2 octets, found 3."])
    }

    @Test func choicesNameTheAlternatives() {
        #expect(read("notify") { $0.choice($1, of: ["read", "notify"]) }.value == "notify")
        #expect(
            read("notfy") { $0.choice($1, of: ["read", "write", "notify"]) }.problems == [
                "f:1:1: expected read, write or notify, found \"notfy\" (did you mean \"notify\"?)."
            ])
        #expect(read("{}") { $0.choice($1, of: ["a"]) }.problems == ["f:1:1: expected a, found a mapping."])
        #expect(read("yes") { $0.boolean($1) }.value == true)
        #expect(read("maybe") { $0.boolean($1) }.problems == ["f:1:1: expected true or false, found \"maybe\"."])
    }

    @Test func allErrorsOfAFileComeInTheOrderOfTheirPlaces() throws {
        let document = try YAMLDocument(text: "a: x\nb: y\nc: z\n", file: "f")
        var reader = YAMLReader(file: "f", limit: 2)
        for entry in try #require(document.root.entries).reversed() { _ = reader.integer(entry.value) }
        #expect(reader.hasProblems)
        do {
            try reader.finish()
            Issue.record("no error")
        } catch {
            #expect(
                error.lines == [
                    "f:1:4: expected a whole number, found \"x\".", "f:2:4: expected a whole number, found \"y\".",
                    "1 more errors",
                ])
        }
    }
}
