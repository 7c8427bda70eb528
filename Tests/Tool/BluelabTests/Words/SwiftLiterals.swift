/// The string literals in the calls of some functions of a source, with `{}` in place of interpolations.
struct SwiftLiterals {
    private let source: [UInt8]
    private var place = 0
    private var skipped: [[UInt8]] = []

    init(_ source: String) { self.source = Array(source.utf8) }

    /// - Parameter skipped: Calls whose literals do not count, also inside of the others.
    mutating func literals(of calls: [String], except skipped: [String] = []) -> [String] {
        let names = calls.map { Array(($0 + "(").utf8) }
        self.skipped = skipped.map { Array(($0 + "(").utf8) }
        var found: [String] = []
        place = 0
        while place < source.count {
            if place == 0 || !Self.isInWord(source[place - 1]), let name = names.first(where: { starts($0) }) {
                place += name.count - 1
                found += callLiterals()
            } else {
                place += 1
            }
        }
        return found
    }

    private static func isInWord(_ octet: UInt8) -> Bool {
        switch octet {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private func starts(_ text: [UInt8]) -> Bool {
        source[place] == text[0] && source[place...].prefix(text.count).elementsEqual(text)
    }

    private func starts(_ text: StaticString) -> Bool {
        text.withUTF8Buffer { source[place...].prefix($0.count).elementsEqual($0) }
    }

    /// The literals between the parentheses of a call. `+` joins two of them.
    private mutating func callLiterals() -> [String] {
        var found: [String] = []
        var depth = 0
        var joins = false
        while place < source.count {
            if depth > 0, !Self.isInWord(source[place - 1]), let name = skipped.first(where: { starts($0) }) {
                place += name.count - 1
                _ = callLiterals()
                continue
            }
            switch Unicode.Scalar(source[place]) {
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
            case "/" where starts("//"): while place < source.count, source[place] != 10 { place += 1 }
            case "+":
                joins = true
                place += 1
            case let scalar:
                if !scalar.properties.isWhitespace { joins = false }
                place += 1
            }
        }
        return found
    }

    private mutating func literal() -> String {
        let isLong = starts("\"\"\"")
        place += isLong ? 3 : 1
        var text: [UInt8] = []
        while place < source.count, !(isLong ? starts("\"\"\"") : starts("\"")) {
            if starts("\\(") {
                place += 1
                skipInterpolation()
                text += Array("{}".utf8)
            } else if starts("\\\n") {
                // The line goes on in the next one.
                place += 2
                while starts(" ") { place += 1 }
            } else if starts("\\") {
                let next = source[place + 1]
                text.append(next == UInt8(ascii: "n") ? 10 : next)
                place += 2
            } else {
                text.append(source[place])
                place += 1
            }
        }
        place += isLong ? 3 : 1
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func skipInterpolation() {
        var depth = 0
        while place < source.count {
            switch Unicode.Scalar(source[place]) {
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
