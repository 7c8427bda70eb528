import TerminalText
import Testing

struct TerminalTextTests {
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

    @Test func aSparklineFollowsTheValues() {
        #expect(Sparkline(isUnicode: true).text([0, 1, 2, 3, 4, 5, 6, 7]) == "▁▂▃▄▅▆▇█")
        #expect(Sparkline(isUnicode: false).text([0, 7, .nan, 3.5]) == "_@ +")
        #expect(Sparkline(isUnicode: true, range: -100...(-30)).text([-200, -65, 0]) == "▁▅█")
        #expect(Sparkline(isUnicode: true).text([5, 5]) == "▁▁")
        #expect(Sparkline(isUnicode: true).text([]) == "" && Sparkline(isUnicode: true).text([.nan]) == " ")
        #expect(
            Sparkline(isUnicode: true).text([-Double.greatestFiniteMagnitude, 0, .greatestFiniteMagnitude]) == "▁▅█")
    }

    @Test func aBarHasEighthsOfACharacter() {
        let bar = BarText(isUnicode: true, range: 0...100, width: 10)
        #expect(bar.text(55) == "█████▌" && bar.text(-1) == "" && bar.text(1e9).count == 10 && bar.text(.nan) == "")
        #expect(BarText(isUnicode: false, range: 0...100, width: 10).text(50) == "#####")
    }
}
