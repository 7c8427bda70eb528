import BLEAdapter
import Testing

@testable import bluelab

struct MCPTests {
    @Test func aValueNeverBecomesAnOption() throws {
        let words = try MCPTool.read.words([
            "device": "--controller", "characteristic": "-x", "format": "--json=1", "timeout": 2,
        ])
        #expect(words == ["read", "--json", "--format=--json=1", "--timeout=2.0", "--", "--controller", "-x"])
    }

    @Test(
        arguments: [
            ["device": 1, "characteristic": "x"], ["device": "", "characteristic": "x"],
            ["device": "a\u{0}b", "characteristic": "x"], ["characteristic": "x"],
            ["device": "a", "characteristic": "x", "timeout": "2"], ["device": "a", "characteristic": "x", "other": 1],
            [1, 2],
        ] as [JSONValue])
    func wrongArgumentsAreNamed(arguments: JSONValue) throws {
        let failure = try #require(throws: ToolError.self) { try MCPTool.read.words(arguments) }
        #expect(failure.kind == .usage && failure.lines.count == 1)
    }

    @Test func aWholeNumberMayHaveAFractionOfZero() throws {
        #expect(try MCPTool.scan.words(["count": 3.0]).contains("--count=3"))
        for count in [3.5, 1e300, -1] as [JSONValue] {
            let failure = try #require(throws: ToolError.self) { try MCPTool.scan.words(["count": count]) }
            #expect(failure.lines[0].contains("whole number"))
        }
    }

    @Test func writesNeedPermission() {
        let commands = ["scan", "read", "write", "notify"]
        #expect(MCPTool.all(allowsWrites: false, commands: commands).map(\.name) == ["scan", "read", "notify"])
        #expect(MCPTool.all(allowsWrites: true, commands: commands).map(\.name) == commands)
    }

    @Test func aSessionCollectsABoundedOutput() throws {
        let output = CollectedOutput()
        try output.append("one\n")
        #expect(throws: ToolError.self) { try output.append(String(repeating: "x", count: 1 << 20)) }
        #expect(output.take() == "one\n")
        #expect(output.take() == "")
    }

    @Test func jsonValuesKeepTheirTypes() throws {
        let text = #"{"a":[1,1.5,true,null,"x"],"b":{}}"#
        let value = try #require(JSONValue(parsing: Array(text.utf8)))
        #expect(value.json == text)
        #expect(value["a"] == [1, .number(1.5), true, .null, "x"])
        #expect(JSONValue(parsing: Array("{".utf8)) == nil)
        #expect(JSONValue(parsing: []) == nil)
        let long = #"["\#(String(repeating: "x", count: 100_000))"]"#
        #expect(JSONValue(parsing: Array(long.utf8))?.json == long)
        func nested(_ levels: Int) -> [UInt8] {
            Array(String(repeating: "[", count: levels).utf8) + Array(String(repeating: "]", count: levels).utf8)
        }
        #expect(JSONValue(parsing: nested(64)) != nil && JSONValue(parsing: nested(100_000)) == nil)
        #expect(JSONValue.text("\u{9B}").json == #""\u009b""#)
    }

    @Test func completionsAreWordsOfAShell() {
        let identifier = PeerIdentifier(high: 0x0012_ABCD_0000_0000, low: 1)
        #expect(KnownDevices.word("Wristband_2.0", identifier) == "Wristband_2.0")
        for name in [nil, "", "My Band", "$(reboot)", "-x", "b\u{E4}nd"] {
            #expect(KnownDevices.word(name, identifier) == "0012ABCD")
        }
    }
}
