import Foundation

/// Puts values into the format strings of `os_log`. Never trusts them: a missing or wrong value shows in the text, it does not crash.
enum LogFormat {
    static func text(_ format: String, _ values: [Any?]) -> String {
        var result = ""
        var rest = Substring(format)
        var values = values[...]
        while let percent = rest.firstIndex(of: "%") {
            result += rest[..<percent]
            rest = rest[rest.index(after: percent)...]
            if rest.first == "%" {
                result += "%"
                rest = rest.dropFirst()
                continue
            }
            guard let specifier = Specifier(parsing: &rest) else {
                result += "%"
                continue
            }
            guard let value = values.popFirst() else {
                result += "<missing>"
                continue
            }
            result += specifier.isHidden ? "<private>" : specifier.text(value)
        }
        return result + rest
    }
}

extension LogFormat {
    /// What stands between a percent sign and the letter that ends it.
    struct Specifier {
        var isHidden = false
        /// Flags, width and precision, as printf takes them.
        var modifiers = ""
        var letter: Character = "@"

        private static let lengths = Set("hlqLzjt")
        private static let letters = Set("@dDiuUxXoOfFeEgGaAcCsSpPm")

        /// Nil, and nothing taken, if this is no specifier.
        init?(parsing rest: inout Substring) {
            var scan = rest
            if scan.first == "{", let end = scan.firstIndex(of: "}") {
                let words = scan[scan.index(after: scan.startIndex)..<end].split(separator: ",")
                isHidden = words.contains {
                    ["private", "sensitive"].contains($0.trimmingCharacters(in: .whitespaces))
                }
                scan = scan[scan.index(after: end)...]
            }
            while let next = scan.first, next.isASCII, next.isNumber || "+-# .'".contains(next) {
                modifiers.append(next)
                scan = scan.dropFirst()
            }
            while let next = scan.first, Self.lengths.contains(next) { scan = scan.dropFirst() }
            guard let last = scan.first, Self.letters.contains(last) else { return nil }
            letter = last
            rest = scan.dropFirst()
        }

        func text(_ value: Any?) -> String {
            guard let value else { return "(null)" }
            switch letter {
            case "d", "D", "i", "u", "U", "x", "X", "o", "O":
                guard let integer = integer(value) else { return String(describing: value) }
                let letter =
                    letter == "i" || letter == "D" ? "d" : letter == "U" ? "u" : letter == "O" ? "o" : letter
                return String(format: "%\(modifiers)ll\(letter)", integer)
            case "f", "F", "e", "E", "g", "G", "a", "A":
                guard let number = number(value) else { return String(describing: value) }
                return String(format: "%\(modifiers)\(letter)", number)
            case "c", "C":
                guard let code = integer(value).flatMap({ UInt32(exactly: $0) }), let scalar = Unicode.Scalar(code)
                else {
                    return String(describing: value)
                }
                return String(Character(scalar))
            default: return String(describing: value)
            }
        }

        private func integer(_ value: Any) -> Int64? {
            switch value {
            case let value as any BinaryInteger: Int64(truncatingIfNeeded: value)
            case let value as Bool: value ? 1 : 0
            case let value as NSNumber: value.int64Value
            default: nil
            }
        }

        private func number(_ value: Any) -> Double? {
            switch value {
            case let value as any BinaryFloatingPoint: Double(value)
            case let value as any BinaryInteger: Double(value)
            case let value as NSNumber: value.doubleValue
            default: nil
            }
        }
    }
}
