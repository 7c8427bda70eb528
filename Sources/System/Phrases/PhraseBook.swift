/// The Chinese of lines that ordinary programs print in English.
///
/// A program that a reader copies has `print("connected to \(name)")` and no phrases. The book has an entry for each such line, in which `{}` is a
/// value, `{word}` a value that is translated as well if the book has it as a word, and `{part}` one that may be another line of the book:
/// `("the notifications of {} are {word}", "…")`.
/// The first entry that fits a line is used. A line without an entry stays as it is.
package struct PhraseBook: Sendable {
    private struct Entry: Sendable {
        /// The literals around the values: one more than values.
        let parts: [String]
        let kinds: [Substring]
        /// With `{0}` for the first value.
        let english: String
        let chinese: String
    }

    private let entries: [Entry]
    private let words: [String: String]
    /// The most characters of a value.
    private let limit: Int

    /// - Parameters:
    ///   - lines: English and Chinese. Both have the same values in the same order; the Chinese may number them: `{1}`, `{0}`.
    ///   - limit: The most characters of a value.
    package init(lines: [(String, String)], words: [(String, String)], limit: Int = Phrase.argumentLimit) {
        self.limit = limit
        entries = lines.map { english, chinese in
            let (parts, holes) = Self.split(english)
            var text = parts[0]
            for index in holes.indices { text += "{\(index)}\(parts[index + 1])" }
            return Entry(
                parts: parts, kinds: holes.map { $0[...] }, english: text, chinese: Self.numbered(chinese))
        }
        self.words = Dictionary(words, uniquingKeysWith: { first, _ in first })
    }

    /// A line in both languages.
    package func phrase(_ line: String) -> Phrase {
        for entry in entries {
            guard let values = Self.values(of: line, entry.parts) else { continue }
            let arguments = zip(values, entry.kinds).map { value, kind in
                switch kind {
                case "word": Phrase.Argument(word(value))
                case "part": Phrase.Argument(sentence(String(value)))
                default: Phrase.Argument.text(String(value.prefix(limit)))
                }
            }
            return Phrase(english: entry.english, chinese: entry.chinese, arguments: arguments)
        }
        return Phrase(data: line, limit: limit)
    }

    /// A word or a sentence of the system, such as the text of an error.
    package func word(_ text: some StringProtocol) -> Phrase {
        guard let chinese = words[String(text)] else { return Phrase(data: text, limit: limit) }
        return Phrase(english: String(text), chinese: chinese, arguments: [])
    }

    /// A sentence that is a word of the book or a line.
    package func sentence(_ text: String) -> Phrase { words[text] == nil ? phrase(text) : word(text) }

    /// Whether the book has an entry for a line.
    package func knows(_ line: String) -> Bool { entries.contains { Self.values(of: line, $0.parts) != nil } }

    // MARK: Entries

    /// The literals of a text with `{…}`, and what stands between the braces.
    private static func split(_ text: String) -> (parts: [String], holes: [String]) {
        var (parts, holes): ([String], [String]) = ([], [])
        var rest = text[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            parts.append(String(rest[..<open]))
            holes.append(String(rest[rest.index(after: open)..<close]))
            rest = rest[rest.index(after: close)...]
        }
        return (parts + [String(rest)], holes)
    }

    private static func numbered(_ text: String) -> String {
        let (parts, holes) = split(text)
        var numbered = parts[0]
        for (index, hole) in holes.enumerated() { numbered += "{\(Int(hole) ?? index)}\(parts[index + 1])" }
        return numbered
    }

    /// The values between the literals of an entry; nil if the line is another one.
    private static func values(of line: String, _ parts: [String]) -> [Substring]? {
        guard line.hasPrefix(parts[0]) else { return nil }
        guard parts.count > 1 else { return line == parts[0] ? [] : nil }
        var rest = line.dropFirst(parts[0].count)
        var values: [Substring] = []
        for part in parts.dropFirst().dropLast() {
            guard let range = rest.firstRange(of: part) else { return nil }
            values.append(rest[..<range.lowerBound])
            rest = rest[range.upperBound...]
        }
        guard rest.hasSuffix(parts[parts.count - 1]) else { return nil }
        values.append(rest.dropLast(parts[parts.count - 1].count))
        return values
    }
}

extension Phrase.Argument {
    init(_ phrase: Phrase) { self = phrase.data.map { .text($0) } ?? .phrase(phrase) }
}
