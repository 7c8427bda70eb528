import Foundation

/// Formats values for `os_log`. A missing or wrong value appears in the text and never traps.
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
    /// The part of a format between a percent sign and its final letter.
    struct Specifier {
        var isHidden = false
        /// Flags, width and precision in the format of printf.
        var modifiers = ""
        var letter: Character = "@"

        private static let lengths = Set("hlqLzjt")
        private static let letters = Set("@dDiuUxXoOfFeEgGaAcCsSpPm")

        /// Nil if this is not a specifier.
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
