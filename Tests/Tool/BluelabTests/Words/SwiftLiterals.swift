/// The string literals in the calls of some functions of a source, with `{}` in place of interpolations.
struct SwiftLiterals {
    private let source: [Character]
    private var place = 0

    init(_ source: String) { self.source = Array(source) }

    mutating func literals(of calls: [String]) -> [String] {
        var found: [String] = []
        place = 0
        while place < source.count {
            if let call = calls.first(where: { starts($0 + "(") }), place == 0 || !isInWord(source[place - 1]) {
                place += call.count
                found += callLiterals()
            } else {
                place += 1
            }
        }
        return found
    }

    private func isInWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }

    private func starts(_ text: String) -> Bool { source[place...].starts(with: text) }

    /// The literals between the parentheses of a call. `+` joins two of them.
    private mutating func callLiterals() -> [String] {
        var found: [String] = []
        var depth = 0
        var joins = false
        while place < source.count {
            switch source[place] {
            case "\"":
                let text = literal()
                if joins, let last = found.popLast() { found.append(last + text) } else { found.append(text) }
                joins = false
            case "(", "[", "{":
                depth += 1
                place += 1
            case ")", "]", "}":
                depth -= 1
                place += 1
                if depth == 0 { return found }
            case "/" where starts("//"): while place < source.count, source[place] != "\n" { place += 1 }
            case "+":
                joins = true
                place += 1
            case let character:
                if !character.isWhitespace { joins = false }
                place += 1
            }
        }
        return found
    }

    private mutating func literal() -> String {
        let isLong = starts("\"\"\"")
        place += isLong ? 3 : 1
        var text = ""
        while place < source.count, !(isLong ? starts("\"\"\"") : source[place] == "\"") {
            if starts("\\(") {
                place += 1
                skipInterpolation()
                text += "{}"
            } else if source[place] == "\\" {
                let next = source[place + 1]
                place += 2
                if next == "\n" {
                    while source[place] == " " { place += 1 }
                } else {
                    text.append(next == "n" ? "\n" : next)
                }
            } else {
                text.append(source[place])
                place += 1
            }
        }
        place += isLong ? 3 : 1
        return text
    }

    private mutating func skipInterpolation() {
        var depth = 0
        while place < source.count {
            switch source[place] {
            case "\"": _ = literal()
            case "(":
                depth += 1
                place += 1
            case ")":
                depth -= 1
                place += 1
                if depth == 0 { return }
            default: place += 1
            }
        }
    }
}
