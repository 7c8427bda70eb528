import Foundation
import Testing

@testable import bluelab

/// Types octets into an editor.
private struct Typist {
    var decoder = KeyDecoder()
    var editor: LineEditor
    var results: [LineEditor.Result] = []

    init(_ lines: [String] = []) {
        var history = LineHistory()
        for line in lines { history.add(line) }
        editor = LineEditor(history: history)
    }

    mutating func type(_ text: String) {
        for key in decoder.keys(from: Array(text.utf8)) { results.append(editor.handle(key)) }
    }

    var text: String { String(editor.text) }
    /// The text with a bar at the cursor.
    var shown: String { String(editor.text[..<editor.cursor]) + "|" + String(editor.text[editor.cursor...]) }
}

@Suite struct KeyDecoderTests {
    @Test func sequencesOfATerminalAreKeys() {
        var decoder = KeyDecoder()
        let text =
            "a\u{1B}[A\u{1B}[B\u{1B}[C\u{1B}[D\u{1B}OH\u{1B}[F\u{1B}[3~\u{1B}[1;5C\u{1B}[1;3D\u{1B}b\u{1B}f\r\u{7F}\t"
        #expect(
            decoder.keys(from: text.utf8) == [
                .character("a"), .up, .down, .right, .left, .home, .end, .delete, .wordRight, .wordLeft, .wordLeft,
                .wordRight, .enter, .backspace, .tab,
            ])
    }

    @Test func sequencesMayArriveInParts() {
        var decoder = KeyDecoder()
        var keys: [Key] = []
        for octet in "\u{1B}[1;5Cé漢\u{1B}[200~x\ny\u{1B}[201~".utf8 { keys += decoder.keys(from: [octet]) }
        #expect(keys == [.wordRight, .character("é"), .character("漢"), .paste("x y")])
    }

    @Test func unknownSequencesAndInvalidOctetsAreIgnored() {
        var decoder = KeyDecoder()
        let octets =
            Array("\u{1B}[99~\u{1B}[?1;2c\u{1B}x".utf8) + [0xFF, 0xC3, 0x28, 0x80, 0xE2, 0x82] + Array("z".utf8)
        #expect(decoder.keys(from: octets) == [.character("("), .character("z")])
        // C1 controls and marks of text direction are no text.
        #expect(decoder.keys(from: "\u{9B}\u{202E}ok".utf8) == [.character("o"), .character("k")])
    }

    @Test func aPasteIsOneLineAndBounded() {
        var decoder = KeyDecoder()
        let long = String(repeating: "x", count: KeyDecoder.pasteLimit + 1000)
        let keys = decoder.keys(from: "\u{1B}[200~\(long)\u{1B}[201~q".utf8)
        #expect(keys.count == 2 && keys.last == .character("q"))
        guard case .paste(let text)? = keys.first else {
            Issue.record("no paste")
            return
        }
        #expect(text.utf8.count == KeyDecoder.pasteLimit)
        #expect(decoder.keys(from: "\u{1B}[200~a\r\n\u{1B}[31mb\u{7}\u{1B}[201~".utf8) == [.paste("a [31mb")])
    }
}

@Suite struct LineEditorTests {
    @Test func textIsInsertedAndRemovedAtTheCursor() {
        var typist = Typist()
        typist.type("read heart")
        typist.type("\u{1B}[D\u{1B}[D\u{7F}X")
        #expect(typist.shown == "read heX|rt")
        typist.type("\u{1}\u{1B}[3~R\u{5}!")
        #expect(typist.shown == "Read heXrt!|")
        typist.type("\r")
        #expect(typist.results.last == .entered("Read heXrt!") && typist.text.isEmpty)
    }

    @Test func killedTextReturns() {
        var typist = Typist()
        typist.type("write FFF1 01ff\u{17}")
        #expect(typist.shown == "write FFF1 |")
        typist.type("\u{19}\u{19}")
        #expect(typist.shown == "write FFF1 01ff01ff|")
        typist.type("\u{1}\u{1B}f\u{B}")
        #expect(typist.shown == "write|")
        typist.type("\u{15}")
        #expect(typist.shown == "|")
        typist.type("a-b c\u{1B}b\u{1B}b\u{1B}d")
        #expect(typist.shown == "a-| c")
    }

    @Test func controlCAndControlDEnd() {
        var typist = Typist()
        typist.type("abc\u{3}")
        #expect(typist.results.last == .interrupted && typist.text.isEmpty)
        typist.type("ab\u{1B}[D\u{4}")
        #expect(typist.results.last == .edited && typist.shown == "a|")
        typist.type("\u{7F}\u{4}")
        #expect(typist.results.last == .endOfInput)
    }

    @Test func combinedCharactersAreOne() {
        var typist = Typist()
        typist.type("e\u{301}👩\u{200D}👧")
        #expect(typist.editor.text.count == 2)
        typist.type("\u{7F}")
        #expect(typist.shown == "é|")
    }

    @Test func theArrowsWalkThroughTheHistory() {
        var typist = Typist(["one", "two", "two ", " secret", "three", "  "])
        typist.type("new\u{1B}[A")
        #expect(typist.shown == "three|")
        typist.type("\u{1B}[A\u{1B}[A")
        #expect(typist.shown == "one|")
        typist.type("\u{1B}[A")
        #expect(typist.results.last == .refused)
        typist.type("\u{1B}[B\u{1B}[B\u{1B}[B")
        #expect(typist.shown == "new|")
        typist.type("\r")
        #expect(typist.editor.history.lines == ["one", "two", "three", "new"])
    }

    @Test func controlRSearches() {
        var typist = Typist(["read battery", "write lamp 01", "read heart"])
        typist.type("x\u{12}re")
        #expect(typist.editor.searchPrompt == "(search) \"re\": " && typist.text == "read heart")
        typist.type("\u{12}")
        #expect(typist.text == "read battery")
        typist.type("q")
        #expect(typist.editor.searchPrompt == "(no match) \"req\": ")
        typist.type("\u{7F}\u{7F}\u{7F}lamp\r")
        #expect(typist.results.last == .entered("write lamp 01") && typist.editor.searchPrompt == nil)
        typist.type("x\u{12}read\u{7}")
        #expect(typist.shown == "x|" && typist.editor.searchPrompt == nil)
    }

    @Test func answersDoNotGoToTheHistory() {
        var editor = LineEditor()
        editor.keepsHistory = false
        var decoder = KeyDecoder()
        for key in decoder.keys(from: "123456\r".utf8) { _ = editor.handle(key) }
        #expect(editor.history.lines.isEmpty)
        #expect(editor.handle(.search) == .refused && editor.handle(.up) == .refused)
    }

    @Test func historiesAreBounded() {
        var history = LineHistory()
        for number in 0..<LineHistory.limit + 10 { history.add("line \(number)") }
        history.add(String(repeating: "x", count: LineHistory.lineLimit + 1))
        #expect(history.lines.count == LineHistory.limit && history.lines.first == "line 10")
        #expect(LineHistory(text: history.text) == history)
        var typist = Typist()
        for _ in 0..<LineEditor.limit + 5 { typist.type("x") }
        #expect(typist.editor.text.count == LineEditor.limit && typist.results.last == .refused)
    }

    @Test func completionInsertsWhatCandidatesHaveInCommon() {
        var typist = Typist()
        typist.type("read he")
        let candidates = ["\"Heart Rate Measurement", "\"Heart Rate Control Point"].map {
            LineCompletion.Candidate($0, shown: "\($0.dropFirst())", ending: "\" ")
        }
        #expect(typist.editor.complete(.init(length: 2, candidates: candidates)).isEmpty)
        #expect(typist.shown == "read \"Heart Rate |")
        let list = typist.editor.complete(.init(length: 12, candidates: candidates))
        #expect(
            list == ["Heart Rate Measurement", "Heart Rate Control Point"] && typist.shown == "read \"Heart Rate |")
        #expect(typist.editor.complete(.init(length: 12, candidates: [candidates[0]])).isEmpty)
        #expect(typist.shown == "read \"Heart Rate Measurement\" |")
        #expect(typist.editor.complete(.init(length: 0, candidates: [])).isEmpty)
    }
}

@Suite struct LineScreenTests {
    /// A terminal that understands what the screen writes.
    private struct Grid {
        let columns: Int
        var rows: [[Character]] = [[]]
        var row = 0
        var column = 0

        init(columns: Int) { self.columns = columns }

        mutating func write(_ text: String) {
            var rest = Array(text)[...]
            while let character = rest.popFirst() {
                switch character {
                case "\r\n":
                    column = 0
                    down()
                case "\r": column = 0
                case "\u{1B}":
                    rest.removeFirst()
                    var digits = ""
                    while let next = rest.popFirst() {
                        if next.isNumber {
                            digits.append(next)
                        } else {
                            control(next, Int(digits) ?? 1)
                            break
                        }
                    }
                default:
                    let width = TextWidth.of(character)
                    if column + width > columns {
                        column = 0
                        down()
                    }
                    while rows[row].count < column + width { rows[row].append(" ") }
                    rows[row][column] = character
                    if width == 2 { rows[row][column + 1] = "\u{0}" }
                    column += width
                }
            }
        }

        private mutating func down() {
            row += 1
            if row == rows.count { rows.append([]) }
        }

        private mutating func control(_ final: Character, _ number: Int) {
            switch final {
            case "A": row -= number
            case "B": row += number
            case "C": column += number
            case "J":
                rows[row].removeSubrange(min(column, rows[row].count)...)
                rows.removeSubrange((row + 1)...)
            default: Issue.record("an unknown sequence: \(final)")
            }
        }

        var lines: [String] { rows.map { String($0.filter { $0 != "\u{0}" }) } }
    }

    @Test func theCursorIsWhereTheNextCharacterGoes() {
        var screen = LineScreen(columns: 10)
        var grid = Grid(columns: 10)
        for (text, cursor, row, column) in [
            ("", 0, 0, 2), ("abc", 3, 0, 5), ("abc", 1, 0, 3), ("abcdefgh", 8, 1, 0), ("abcdefgh", 7, 0, 9),
            ("abcdefghijklmnopqrstuvwxyz", 26, 2, 8), ("abcdefghijklmnopqrstuvwxyz", 0, 0, 2), ("漢字", 1, 0, 4),
            // The wide character does not fit into the last column.
            ("abcdefg漢", 8, 1, 2), ("x", 1, 0, 3),
        ] {
            grid.write(screen.draw(prompt: "> ", text: Array(text), cursor: cursor))
            #expect(grid.row == row && grid.column == column, "\(text) at \(cursor)")
            #expect(
                grid.lines.joined().trimmingCharacters(in: .whitespaces)
                    == ("> " + text).trimmingCharacters(in: .whitespaces))
        }
    }

    @Test func outputGoesAboveTheLine() {
        var screen = LineScreen(columns: 8)
        var grid = Grid(columns: 8)
        grid.write(screen.draw(prompt: "> ", text: Array("0123456789"), cursor: 2))
        grid.write(screen.erase())
        grid.write("72 bpm\r\n")
        grid.write(screen.draw(prompt: "> ", text: Array("0123456789"), cursor: 2))
        #expect(grid.lines == ["72 bpm", "> 012345", "6789"] && grid.row == 1 && grid.column == 4)
        grid.write(screen.leave())
        #expect(grid.row == 3 && grid.column == 0 && screen.erase().isEmpty)
    }

    @Test func aNarrowerTerminalHasMoreRows() {
        var screen = LineScreen(columns: 20)
        _ = screen.draw(prompt: "> ", text: Array("0123456789"), cursor: 10)
        screen.resize(columns: 5)
        // The cursor is in the third of the rows that the terminal made of the line.
        #expect(screen.erase() == "\u{1B}[2A\r\u{1B}[J")
    }

    @Test func wideCharactersTakeTwoColumns() {
        #expect(TextWidth.of("aé漢👩\u{200D}👧ｱ") == 1 + 1 + 2 + 2 + 1)
        #expect(TextWidth.of("❤\u{FE0F}") == 2 && TextWidth.of("e\u{301}") == 1 && TextWidth.of("") == 0)
    }
}
