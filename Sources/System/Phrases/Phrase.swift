/// A sentence of the page in both languages, with the values in it.
///
/// - Both languages stand side by side, and there is no initialiser with one: `Phrase("\(name) has no power.", "\(name) 没有电。")`.
/// - Both have the same values, in any order. Values are numbers, names, UUIDs, octets and other phrases. A word that a language changes is a
///   phrase of its own. A test reads the sources and compares the values of both.
/// - A text that is the same in all languages, such as a name, Swift code or octets, is `Phrase(data: text)`.
/// - The page shows a phrase with `say(phrase)` of `words.js`, in elements with `spoken(phrase)`. Both clean and isolate the values, because a
///   value may come from a hostile device.
/// - `description` is the English sentence, for tests, logs and the terminal.
package struct Phrase: Hashable, Sendable, CustomStringConvertible {
    /// A value in a phrase.
    package indirect enum Argument: Hashable, Sendable {
        case text(String)
        case phrase(Phrase)
    }

    /// The sentence, with `{0}` for the first argument.
    package let english: String
    package let chinese: String
    package let arguments: [Argument]

    /// The most characters of a value.
    package static let argumentLimit = 500

    package init(_ english: Sentence, _ chinese: Sentence) {
        var arguments = english.arguments
        self.english = english.template { $0 }
        var isUsed = Set<Int>()
        self.chinese = chinese.template { index in
            let argument = chinese.arguments[index]
            let equal = arguments.indices.filter { arguments[$0] == argument }
            // A value that occurs twice is in the order of the sentence.
            if let found = equal.first(where: { !isUsed.contains($0) }) ?? equal.first {
                isUsed.insert(found)
                return found
            }
            arguments.append(argument)
            return arguments.count - 1
        }
        self.arguments = arguments
    }

    /// A text that is the same in all languages.
    package init(data text: some StringProtocol, limit: Int = argumentLimit) {
        (english, chinese, arguments) = ("{0}", "{0}", [.text(String(text.prefix(limit)))])
    }

    /// A text that a decoder makes in each language. It is a value in both: it may hold what a device sent.
    package init(data english: String, chinese: String, limit: Int = argumentLimit) {
        self.init(data: english, limit: limit)
        guard chinese != english else { return }
        let texts = [english, chinese].map { Argument.text(String($0.prefix(limit))) }
        self.init(english: "{0}", chinese: "{1}", arguments: texts)
    }

    init(english: String, chinese: String, arguments: [Argument]) {
        (self.english, self.chinese, self.arguments) = (english, chinese, arguments)
    }

    /// The text if it is the same in all languages.
    package var data: String? {
        guard english == "{0}", chinese == english, arguments.count == 1, case .text(let text) = arguments[0] else {
            return nil
        }
        return text
    }

    package var description: String { Self.fill(english, arguments) { $0.description } }

    /// The Chinese sentence.
    package var inChinese: String { Self.fill(chinese, arguments) { $0.inChinese } }

    private static func fill(_ template: String, _ arguments: [Argument], _ text: (Phrase) -> String) -> String {
        var filled = ""
        for piece in pieces(template) {
            switch piece {
            case .literal(let literal): filled += literal
            case .argument(let index):
                guard arguments.indices.contains(index) else { continue }
                switch arguments[index] {
                case .text(let value): filled += value
                case .phrase(let phrase): filled += text(phrase)
                }
            }
        }
        return filled
    }

    private enum Piece {
        case literal(Substring)
        case argument(Int)
    }

    private static func pieces(_ template: String) -> [Piece] {
        var pieces: [Piece] = []
        var rest = template[...]
        while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
            pieces.append(.literal(rest[..<open]))
            if let index = Int(rest[rest.index(after: open)..<close]) { pieces.append(.argument(index)) }
            rest = rest[rest.index(after: close)...]
        }
        pieces.append(.literal(rest))
        return pieces
    }
}

extension Phrase {
    /// The sentence of one language: a literal with values.
    package struct Sentence: ExpressibleByStringInterpolation, Sendable {
        package struct StringInterpolation: StringInterpolationProtocol {
            fileprivate var parts: [String] = [""]
            fileprivate var arguments: [Argument] = []

            package init(literalCapacity: Int, interpolationCount: Int) {}

            package mutating func appendLiteral(_ literal: String) { parts[parts.count - 1] += literal }

            package mutating func appendInterpolation(_ phrase: Phrase) { add(.phrase(phrase)) }

            package mutating func appendInterpolation(_ value: some CustomStringConvertible) {
                add(.text(String(value.description.prefix(Phrase.argumentLimit))))
            }

            private mutating func add(_ argument: Argument) {
                arguments.append(argument)
                parts.append("")
            }
        }

        /// The literals around the arguments: one more than arguments.
        fileprivate let parts: [String]
        fileprivate let arguments: [Argument]

        package init(stringLiteral value: String) { (parts, arguments) = ([value], []) }

        package init(stringInterpolation: StringInterpolation) {
            (parts, arguments) = (stringInterpolation.parts, stringInterpolation.arguments)
        }

        fileprivate func template(_ number: (Int) -> Int) -> String {
            var template = parts[0]
            for index in arguments.indices { template += "{\(number(index))}\(parts[index + 1])" }
            return template
        }
    }
}
