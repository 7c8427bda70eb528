import Phrases

/// The Chinese of what this tool prints: English and Chinese side by side, in the files beside this one.
///
/// An entry is a paragraph of a help text, or a line with `{}` for a value, `{word}` for a value that another entry translates, and `{part}`
/// for one that is a line of its own.
enum ToolWords {
    /// Lines and words of a screen, of a table or of the error stream.
    static let lines: [(String, String)] =
        screenLines + tableLines + findingLines + errorLines + clientErrorLines + argumentErrorLines + progressLines
        + radioLines + worldLines + demoLines + lampLines + radioShowLines + fleetLines + radioProblems

    /// Paragraphs of the help texts.
    static let help: [(String, String)] =
        commandHelp + deviceHelp + serverHelp + gatewayHelp + radioHelp + worldHelp + optionHelp

    /// A text in both languages.
    static func phrase(_ text: String) -> Phrase {
        if let chinese = exact[text] { return Phrase(data: text, chinese: chinese, limit: .max) }
        // A line that a command prints about its own failure.
        for (prefix, chinese) in prefixes where text.hasPrefix(prefix) {
            let rest = phrase(String(text.dropFirst(prefix.count)))
            return Phrase(data: text, chinese: chinese + rest.inChinese, limit: .max)
        }
        // Some sentences of other targets follow "bluelab: ", and begin with a small letter there.
        for text in [text, text.prefix(1).uppercased() + text.dropFirst()] {
            let found = book.sentence(text)
            if found.data == nil { return found }
        }
        // A place in a file precedes what is wrong there.
        if let range = text.firstRange(of: ": expected ") {
            let place = text[..<range.lowerBound] + ": "
            let problem = ProfileProblems.phrase(String(text.dropFirst(place.count)))
            return Phrase(data: text, chinese: place + problem.inChinese, limit: .max)
        }
        let problem = ProfileProblems.phrase(text)
        return problem.data == nil ? problem : Phrase(data: text, limit: .max)
    }

    private static let prefixes = [
        ("bluelab: ", "bluelab："), ("Try: ", "请试："), ("bluelab demo: ", "bluelab demo："),
        ("bluelab radio: ", "bluelab radio："),
    ]

    /// Whether a text has a Chinese form.
    static func knows(_ text: String) -> Bool { phrase(text).data == nil }

    private static let exact = Dictionary(lines + help) { first, _ in first }

    /// Of this tool, and those that other targets write in English. The entry with the longest fixed text is used, because a short one such as
    /// `{} failed: {}` fits much. A list of characteristics is a long value.
    private static let book: PhraseBook = {
        let all = lines + ControllerProblems.lines + PairingProblems.lines + ServingProblems.lines + ValueProblems.lines
        let words = ControllerProblems.words + systemErrors
        return PhraseBook(
            lines: all.filter { $0.0.contains("{") }.sorted { fixedLength($0.0) > fixedLength($1.0) },
            words: all.filter { !$0.0.contains("{") } + words, limit: .max)
    }()

    /// The errors of CoreBluetooth, also without the full stop, as in "the read of X failed: the connection has timed out".
    private static let systemErrors =
        SystemWords.errors
        + SystemWords.errors.map { english, chinese in
            (
                english.hasSuffix(".") ? String(english.dropLast()) : english,
                chinese.hasSuffix("。") ? String(chinese.dropLast()) : chinese
            )
        }

    private static func fixedLength(_ text: String) -> Int {
        var length = 0
        var depth = 0
        for character in text {
            if character == "{" { depth += 1 }
            if depth == 0 { length += 1 }
            if character == "}" { depth -= 1 }
        }
        return length
    }
}
