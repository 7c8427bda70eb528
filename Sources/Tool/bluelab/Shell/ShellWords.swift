/// The words of a line. Quotation marks and backslashes keep spaces in a word, and # starts a comment.
struct ShellWords: Hashable, Sendable {
    private(set) var words: [String] = []
    /// The number of characters of the line that the last word takes, with its quotation mark; 0 after a space.
    private(set) var lastLength = 0
    /// The quotation mark without its end.
    private(set) var openQuote: Character?

    init(_ line: String) {
        var word: String?
        var start = 0
        var isEscaped = false
        let characters = Array(line)
        for (index, character) in characters.enumerated() {
            if isEscaped {
                word = (word ?? "") + String(character)
                isEscaped = false
            } else if let quote = openQuote {
                switch character {
                case quote: openQuote = nil
                case "\\" where quote == "\"": isEscaped = true
                default: word = (word ?? "") + String(character)
                }
            } else if character.isWhitespace {
                if let finished = word { words.append(finished) }
                word = nil
            } else {
                if word == nil {
                    if character == "#" {
                        lastLength = 0
                        return
                    }
                    word = ""
                    start = index
                }
                switch character {
                case "\"", "'": openQuote = character
                case "\\": isEscaped = true
                default: word = (word ?? "") + String(character)
                }
            }
        }
        if let word {
            words.append(word)
            lastLength = characters.count - start
        }
    }

    /// A word in quotation marks if it needs them, without the last one.
    static func opened(_ word: String) -> (text: String, ending: String) {
        let needsQuotes = word.isEmpty || word.contains { $0.isWhitespace || "\"'\\#".contains($0) }
        guard needsQuotes else { return (word, " ") }
        return ("\"" + word.map { "\"\\".contains($0) ? "\\\($0)" : String($0) }.joined(), "\" ")
    }
}
