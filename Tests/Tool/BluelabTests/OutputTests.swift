import ArgumentParser
import Testing

@testable import bluelab

struct OutputTests {
    private func terminal(_ environment: [String: String], allowsColor: Bool = true, isTerminal: Bool = true)
        -> Terminal
    {
        Terminal(allowsColor: allowsColor, environment: environment, isTerminal: isTerminal)
    }

    @Test func coloursNeedATerminalAndCanBeDisabled() {
        #expect(terminal([:]).isColored)
        #expect(!terminal([:], isTerminal: false).isColored)
        #expect(!terminal([:], allowsColor: false).isColored)
        #expect(!terminal(["NO_COLOR": "1"]).isColored)
        #expect(terminal(["NO_COLOR": ""]).isColored, "an empty NO_COLOR says nothing")
        #expect(!terminal(["TERM": "dumb"]).isColored)
        #expect(terminal([:]).styled("x", .bold, .red) == "\u{1B}[1;31mx\u{1B}[0m")
        #expect(terminal(["NO_COLOR": "1"]).styled("x", .bold) == "x")
    }

    @Test func nonASCIICharactersNeedAUTF8Locale() {
        #expect(terminal(["LANG": "zh_CN.UTF-8"]).isUnicode)
        #expect(terminal(["LC_ALL": "C.utf8"]).isUnicode)
        #expect(!terminal(["LC_ALL": "C", "LANG": "en_US.UTF-8"]).isUnicode, "LC_ALL wins")
        #expect(terminal(["LC_ALL": "", "LANG": "en_US.UTF-8"]).isUnicode, "an empty one does not")
        #expect(!terminal([:]).isUnicode)
    }

    @Test func secondsHaveThreeDecimals() {
        #expect(seconds(.milliseconds(132)) == "  0.132 s")
        #expect(seconds(.seconds(61) + .microseconds(5999)) == " 61.005 s")
        #expect(seconds(.zero, width: 0) == "0.000 s")
    }

    @Test func longHexadecimalTextStatesTheOctetCount() {
        #expect(hexadecimal([0, 0xAB].span) == "00 AB")
        #expect(hexadecimal([UInt8](repeating: 1, count: 30).span, limit: 2) == "01 01 ... (30 octets)")
    }

    @Test func missingDemoStepsAreReported() {
        var state = DemoRecord().current
        #expect(state.missingSteps == Array(1...23))
        state.steps = [Int](repeating: 1, count: 23)
        #expect(state.missingSteps == [23], "the disconnection has not been confirmed")
        state.isFinished = true
        #expect(state.missingSteps == [])
        state.failure = "lost"
        #expect(state.missingSteps == [23])
        state.steps[4] = 0
        #expect(state.missingSteps == [5, 23])
    }

    @Test func theDemoParsesItsOptions() throws {
        #expect(try WristbandDemoCommand.parse([]).trace == nil)
        #expect(Bluelab.completed(["demo", "--trace", "--no-color"]) == ["demo", "--trace=air", "--no-color"])
        #expect(Bluelab.completed(["demo", "--trace"]) == ["demo", "--trace=air"])
        #expect(Bluelab.completed(["demo", "--trace", "hci"]) == ["demo", "--trace", "hci"])
        #expect(try WristbandDemoCommand.parse(["--trace=hci", "--seed", "5"]).trace == .hci)
        #expect(throws: (any Error).self) { try WristbandDemoCommand.parse(["--trace=everything"]) }
        #expect(throws: (any Error).self) { try WristbandDemoCommand.parse(["--distance=-1"]) }
        #expect(throws: (any Error).self) { try WristbandDemoCommand.parse(["--distance=nan"]) }
        for pace in ["0", "-1", "nan", "fast"] {
            #expect(throws: (any Error).self) { try RadioServeCommand.parse(["--listen=unix:x", "--pace=\(pace)"]) }
        }
        #expect(throws: Never.self) { try RadioServeCommand.parse(["--listen=unix:x", "--pace=unlimited"]) }
        #expect(throws: (any Error).self) { try WristbandDemoCommand.parse(["--seed", "x"]) }
    }
}
