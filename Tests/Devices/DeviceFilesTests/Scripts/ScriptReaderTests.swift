import BLEValues
import BLEWire
import Testing

@testable import DeviceFiles

private func script(_ text: String, _ variables: [String: String] = [:]) throws -> DeviceScript {
    try DeviceScript(YAMLDocument(text: text, file: "test.yaml"), variables: variables)
}

private func problems(_ text: String, _ variables: [String: String] = [:]) -> [String] {
    do {
        _ = try script(text, variables)
        return []
    } catch let problems as YAMLError { return problems.lines } catch { return ["\(error)"] }
}

/// The errors of one step, which is in line 2.
private func step(_ text: String) -> [String] { problems("steps:\n  - \(text)\n") }

@Suite struct ScriptReaderTests {
    @Test func everyActionIsRead() throws {
        let script = try script(
            """
            name: All
            timeout: 4 s
            steps:
              - scan: {name: Band, service: Heart Rate, minimum-rssi: -80, within: 20 s}
              - scan: Band
              - connect
              - connect: Band
              - connect: {device: Band, within: 1 s}
              - discover
              - read: 2A38
              - read: {characteristic: 2A38, equals: Wrist}
              - read: {characteristic: FFF1, in: [1, 2.5], format: u16}
              - read: {characteristic: FFF1, matches: "[a-z]+", format: utf8}
              - read: {characteristic: FFF1, refused: true}
              - write: {characteristic: FFF2, value: 12000, format: u16be, response: false}
              - write: {characteristic: FFF2, value: 01 ff}
              - subscribe: 2A37
              - wait-for-notification: {characteristic: 2A37, count: 3, within: 500 ms}
              - unsubscribe: 2A37
              - repeat: {times: 2, steps: [{sleep: 10 ms}, rssi]}
              - rssi: {minimum: -90, maximum: -10}
              - mtu: {minimum: 100}
              - pair
              - pair: authenticated
              - serve: band.yaml
              - wait-for-read: 2A38
              - wait-for-write: {characteristic: FFF2, equals: 1, format: u8}
              - wait-for-subscription: {characteristic: 2A37, within: 2 s}
              - stop-serving
              - expect-disconnect
              - disconnect
              - scan: {name: Band, absent: true, within: 20 s}
              - connect: {connected: Heart Rate, within: 1 s}
              - expect-name: Band
              - expect-name: {name: Band, within: 1 s}
              - expect-bond
              - write: {characteristic: FFF2, value: 01, count: 3}
              - wait-for-write: {characteristic: FFF2, count: 3}
            """)
        let limit = Duration.seconds(4)
        let u16 = try #require(ValueFormat(name: "u16"))
        #expect(script.name == "All" && script.steps.count == 35 && script.count == 38)
        #expect(script.steps[0].line == 4 && script.steps[27].line == 31)
        #expect(
            script.steps[0].action
                == .scan(.init(name: "Band", service: "Heart Rate", minimumRSSI: -80), within: .seconds(20)))
        #expect(script.steps[1].action == .scan(.init(name: "Band"), within: limit))
        #expect(script.steps[2].action == .connect(device: nil, within: limit))
        #expect(script.steps[4].action == .connect(device: "Band", within: .seconds(1)))
        #expect(script.steps[6].action == .read(characteristic: "2A38", .init(), isRefused: false))
        #expect(script.steps[7].action == .read(characteristic: "2A38", .init(.equals("Wrist")), isRefused: false))
        #expect(
            script.steps[8].action
                == .read(characteristic: "FFF1", .init(.range(1...2.5), format: u16), isRefused: false))
        #expect(
            script.steps[9].action
                == .read(
                    characteristic: "FFF1", .init(.matches("[a-z]+"), format: ValueFormat(.utf8)), isRefused: false))
        #expect(script.steps[10].action == .read(characteristic: "FFF1", .init(), isRefused: true))
        guard case .write("FFF2", let value, false, false, 1) = script.steps[11].action else {
            Issue.record("\(script.steps[11].action)")
            return
        }
        #expect(value.octets == [0x2E, 0xE0])
        #expect(
            script.steps[14].action
                == .waitForNotification(characteristic: "2A37", .init(), count: 3, within: .milliseconds(500)))
        guard case .repeated(2, let nested) = script.steps[16].action else {
            Issue.record("\(script.steps[16].action)")
            return
        }
        #expect(nested.map(\.action) == [.sleep(.milliseconds(10)), .rssi(Bounds())])
        #expect(script.steps[18].action == .mtu(Bounds(minimum: 100)))
        #expect(script.steps[19].action == .pair(.encrypted) && script.steps[20].action == .pair(.authenticated))
        #expect(script.steps[24].action == .waitForSubscription(characteristic: "2A37", within: .seconds(2)))
        #expect(script.steps[26].action == .expectDisconnect(within: limit))
        #expect(script.steps[28].action == .scan(.init(name: "Band"), isAbsent: true, within: .seconds(20)))
        #expect(
            script.steps[29].action
                == .connectToConnected(service: BluetoothUUID(0x180D as UInt16), within: .seconds(1)))
        #expect(script.steps[30].action == .expectName("Band", within: limit))
        #expect(script.steps[31].action == .expectName("Band", within: .seconds(1)))
        #expect(script.steps[32].action == .expectBond)
        guard case .write("FFF2", _, nil, false, 3) = script.steps[33].action else {
            Issue.record("\(script.steps[33].action)")
            return
        }
        #expect(script.steps[34].action == .waitForWrite(characteristic: "FFF2", .init(), count: 3, within: limit))
    }

    @Test func aConnectionHasOneTarget() {
        #expect(
            step("connect: {device: Band, connected: 180D}") == [
                "test.yaml:2:40: expected either \"device\" or \"connected\", found both."
            ])
        #expect(
            step("connect: {connected: Nothing}") == [
                "test.yaml:2:26: expected a UUID such as 180D, or a name such as \"Heart Rate\", found \"Nothing\"."
            ])
    }

    @Test func anUnknownActionOrKeySuggestsTheNearest() {
        #expect(
            step("conect: Band") == ["test.yaml:2:5: expected an action, found \"conect\" (did you mean \"connect\"?)."]
        )
        #expect(
            step("fly").first?.hasPrefix("test.yaml:2:5: expected an action, found \"fly\" (the actions are") == true)
        #expect(
            step("read: {characteristic: FFF1, equal: 5}") == [
                "test.yaml:2:34: expected one of the keys characteristic, equals, matches, in, format and refused, "
                    + "found \"equal\" (did you mean \"equals\"?)."
            ])
        #expect(
            problems("step: []\n") == [
                "test.yaml:1:1: expected one of the keys name, variables, timeout and steps, found \"step\" "
                    + "(did you mean \"steps\"?).",
                "test.yaml:1:1: expected the key \"steps\" in a script, found none.",
            ])
    }

    @Test func valuesThatDoNotFitHaveTheirPlace() {
        #expect(
            step("write: {characteristic: FFF1, value: 70000, format: u16}") == [
                "test.yaml:2:42: expected a value of the format u16, found \"70000\"."
            ])
        #expect(
            step("read: {characteristic: FFF1, equals: x, format: u8}") == [
                "test.yaml:2:42: expected a value of the format u8, found \"x\"."
            ])
        #expect(
            step("read: {characteristic: FFF1, matches: \"(\"}") == [
                "test.yaml:2:43: expected a regular expression, found \"(\"."
            ])
        #expect(
            step("read: {characteristic: FFF1, in: [9, 1]}") == [
                "test.yaml:2:38: expected the smaller number first, found 9.0 before 1.0."
            ])
        #expect(
            step("read: {characteristic: FFF1, in: 9}").first?.contains("expected two numbers such as [60, 90]") == true
        )
        #expect(
            step("read: {characteristic: FFF1, equals: 1, in: [1, 2]}") == [
                "test.yaml:2:49: expected one of equals, matches and in, found equals and in."
            ])
        #expect(
            step("read: {characteristic: FFF1, equals: 1, refused: true}") == [
                "test.yaml:2:54: expected either an expected value or \"refused\", found both."
            ])
        #expect(
            step("write: {characteristic: FFF1}") == [
                "test.yaml:2:12: expected the key \"value\" in a write, found none."
            ])
        #expect(step("sleep: 5").first?.contains("expected a duration such as") == true)
        #expect(
            step("mtu: {minimum: 300, maximum: 100}") == [
                "test.yaml:2:10: expected a minimum of at most 100, found 300."
            ])
        #expect(
            step("pair: encryptd") == [
                "test.yaml:2:11: expected encrypted, authenticated or secure-connections, found \"encryptd\" "
                    + "(did you mean \"encrypted\"?)."
            ])
        #expect(step("disconnect: now") == ["test.yaml:2:17: expected nothing after this action, found \"now\"."])
    }

    @Test func aStepIsOneAction() {
        #expect(
            problems("steps:\n  - connect: Band\n    read: 2A38\n") == [
                "test.yaml:3:5: expected one action in a step, found \"read\" as well. Each step starts with \"- \"."
            ])
        #expect(
            step("[connect]") == [
                "test.yaml:2:5: expected a step such as \"- connect: Wristband\", found a list."
            ])
        #expect(problems("steps: []\n") == ["test.yaml:1:8: expected at least one step, found a list."])
        #expect(problems("[]").first?.hasPrefix("test.yaml:1:1: expected a script") == true)
    }

    @Test func allErrorsOfAFileAreReported() {
        #expect(problems("steps:\n  - conect\n  - sleep: x\n  - rssi\n  - mtu: 5\n").count == 3)
    }

    @Test func variablesReplaceTextsAndSetReplacesVariables() throws {
        let text = """
            name: ${device} test
            variables: {device: Band, goal: 100}
            steps:
              - connect: ${device}
              - write: {characteristic: FFF1, value: "${goal}00", format: u16}
            """
        let plain = try script(text)
        #expect(plain.name == "Band test")
        #expect(plain.steps[0].action == .connect(device: "Band", within: .seconds(10)))
        let replaced = try script(text, ["device": "Lamp"])
        #expect(replaced.steps[0].action == .connect(device: "Lamp", within: .seconds(10)))
        guard case .write(_, let value, _, _, _) = replaced.steps[1].action else {
            Issue.record("\(replaced.steps[1].action)")
            return
        }
        #expect(value.octets == [0x10, 0x27])
        // The value of a variable is validated where it is used.
        #expect(problems(text, ["goal": "9999"]).first?.contains("found \"999900\"") == true)
        #expect(problems(text, ["devise": "x"]).first?.contains("(did you mean \"device\"?)") == true)
        #expect(
            problems("variables: {device: x}\nsteps:\n  - connect: ${devise}\n") == [
                "test.yaml:3:14: expected a variable of the script, found \"devise\" (did you mean \"device\"?)."
            ])
        #expect(problems("steps:\n  - connect: \"${device\"\n").first?.contains("expected } after ${") == true)
    }

    @Test func repetitionsAreBounded() {
        let inner = "{repeat: {times: 1000, steps: [rssi]}}"
        #expect(problems("steps: [{repeat: {times: 100, steps: [\(inner)]}}]\n") == [])
        #expect(
            problems("steps: [{repeat: {times: 101, steps: [\(inner)]}}]\n") == [
                "test.yaml:1:8: expected at most 100000 steps with all repetitions, found more."
            ])
        // Products beyond the range of integers do not trap.
        var nested = "rssi"
        for _ in 0..<6 { nested = "{repeat: {times: 100000, steps: [\(nested)]}}" }
        #expect(problems("steps: [\(nested)]\n").first?.contains("at most 100000 steps") == true)
    }

    @Test func aScriptReadsBackFromItsText() throws {
        let source = try script(
            """
            name: "a: \\"b\\" \\\\ #c"
            steps:
              - scan: {name: "null", service: 180D, minimum-rssi: -80}
              - connect: {device: "Café 7 #x"}
              - read: {characteristic: 180D/2A38, equals: "", format: hex}
              - read: {characteristic: FFF1, matches: "[0-9]+ bpm", refused: false}
              - read: {characteristic: FFF1, in: [-1, 2.5], format: i16be}
              - write: {characteristic: FFF1, value: "", response: true, refused: true}
              - subscribe: {characteristic: 2A37, refused: true}
              - wait-for-notification: {characteristic: 2A37, equals: 1, format: u8, count: 2}
              - repeat: {times: 3, steps: [{sleep: 1500 us}, {repeat: {times: 2, steps: [discover]}}]}
              - rssi: {maximum: -1}
              - mtu
              - pair: secure-connections
              - serve: my profile.yaml
              - wait-for-read: FFF1
              - wait-for-write: {characteristic: FFF1, equals: off, format: utf8}
              - wait-for-subscription: FFF1
              - unsubscribe: FFF1
              - stop-serving
              - expect-disconnect
              - disconnect
            """)
        let copy = try script(source.text)
        #expect(copy.name == source.name && copy.steps.count == source.steps.count)
        for (left, right) in zip(copy.steps, source.steps) {
            #expect(Self.plain(left.action) == Self.plain(right.action))
        }
    }

    /// The action without the lines of nested steps.
    private static func plain(_ action: ScriptAction) -> ScriptAction {
        guard case .repeated(let times, let steps) = action else { return action }
        return .repeated(times: times, steps.map { ScriptStep(plain($0.action)) })
    }

    @Test func repetitionsDoNotOverflow() {
        var inner = "- disconnect"
        for times in [100_000, 100_000, 100_000, 100_000, 2] {
            let indented = inner.split(separator: "\n").map { "      " + $0 }.joined(separator: "\n")
            inner = "- repeat:\n    times: \(times)\n    steps:\n\(indented)"
        }
        let steps = ("- disconnect\n- disconnect\n" + inner).split(separator: "\n").map { "  " + $0 }.joined(
            separator: "\n")
        #expect(!problems("steps:\n\(steps)\n").isEmpty)
    }

    @Test func variablesAddABoundedNumberOfOctets() {
        let references = String(repeating: "${a}", count: 5000)
        let found = problems(
            "steps:\n  - connect: \"\(references)\"\n  - connect: \"\(references)\"\n",
            ["a": String(repeating: "x", count: 1000)])
        #expect(found.count { $0.contains("octets from variables") } == 1)
    }
}
