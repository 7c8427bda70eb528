import BLEAssignedNumbers
import BLEWire

extension YAMLReader {
    /// A service: its UUID, or the name that the SIG assigned.
    package mutating func service(_ node: YAMLNode) -> BluetoothUUID? {
        let uuid = node.text.flatMap { text in
            BluetoothUUID(text) ?? AssignedNumbers.number(named: text, in: .services).map { BluetoothUUID($0) }
        }
        if uuid == nil { expected("a UUID such as 180D, or a name such as \"Heart Rate\"", found: node) }
        return uuid
    }

    package static func integer(_ text: String) -> Int? {
        text.lowercased().hasPrefix("0x") ? Int(text.dropFirst(2), radix: 16) : Int(text)
    }

    /// Parses a number with one of the units us, ms, s, min and h.
    package static func duration(_ text: String) -> Duration? {
        let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
        let unit = text.dropFirst(digits.count).drop { $0 == " " }
        guard let number = Double(digits), let length = nanoseconds[String(unit)], number * length < 1e18 else {
            return nil
        }
        // Whole nanoseconds: a division of doubles would turn 100 ms into 99 999 999 ns.
        return .nanoseconds(Int64((number * length).rounded()))
    }

    private static let nanoseconds: [String: Double] = ["us": 1e3, "ms": 1e6, "s": 1e9, "min": 60e9, "h": 3600e9]

    /// A duration in the largest unit that leaves a whole number: `1500 ms`, `2 min`. One with a part of a microsecond is in microseconds:
    /// `0.125 us`.
    package static func text(_ duration: Duration) -> String {
        let (seconds, attoseconds) = duration.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        let rest = attoseconds / 1_000_000_000 % 1000
        if rest != 0 { return "\(microseconds).\(String(1000 + rest).dropFirst()) us" }
        if microseconds % 1000 != 0 { return "\(microseconds) us" }
        if microseconds % 1_000_000 != 0 { return "\(microseconds / 1000) ms" }
        if seconds == 0 || seconds % 60 != 0 { return "\(seconds) s" }
        return seconds % 3600 == 0 ? "\(seconds / 3600) h" : "\(seconds / 60) min"
    }

    /// Parses pairs of hexadecimal digits; spaces, colons and hyphens may be between them, and 0x before them.
    package static func octets(_ text: String) -> [UInt8]? {
        var octets: [UInt8] = []
        for part in text.split(whereSeparator: { " :-\t\n".contains($0) }) {
            let digits = Array(part.lowercased().hasPrefix("0x") ? part.dropFirst(2).utf8 : part.utf8)
            guard !digits.isEmpty, digits.count.isMultiple(of: 2) else { return nil }
            for index in stride(from: 0, to: digits.count, by: 2) {
                guard let high = nibble(digits[index]), let low = nibble(digits[index + 1]) else { return nil }
                octets.append(high << 4 | low)
            }
        }
        return octets
    }

    private static func nibble(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
        default: nil
        }
    }

    // MARK: Words

    /// `a, b and c`.
    static func list(_ words: [String]) -> String { joined(words, "and") }

    /// `a, b or c`.
    static func alternatives(_ words: [String]) -> String { joined(words, "or") }

    private static func joined(_ words: [String], _ conjunction: String) -> String {
        guard words.count > 1, let last = words.last else { return words.first ?? "" }
        return words.dropLast().joined(separator: ", ") + " \(conjunction) \(last)"
    }

    /// The word with the fewest edits, if it needs no more edits than a third of its length, and at least one.
    package static func nearest(to text: String, in words: [String]) -> String? {
        guard text.count <= 64 else { return nil }
        let ranked = words.map { ($0, distance(Array(text.lowercased()), Array($0.lowercased()))) }
        guard let best = ranked.min(by: { $0.1 < $1.1 }), best.1 <= max(1, best.0.count / 3) else { return nil }
        return best.0
    }

    /// The Levenshtein distance, with two neighbours that have changed places as one edit.
    private static func distance(_ left: [Character], _ right: [Character]) -> Int {
        var former: [Int] = []
        var previous = Array(0...right.count)
        for (row, character) in left.enumerated() {
            var current = [row + 1]
            for column in right.indices {
                let substitution = previous[column] + (character == right[column] ? 0 : 1)
                var edits = min(substitution, previous[column + 1] + 1, current[column] + 1)
                if row > 0, column > 0, character == right[column - 1], left[row - 1] == right[column] {
                    edits = min(edits, former[column - 1] + 1)
                }
                current.append(edits)
            }
            (former, previous) = (previous, current)
        }
        return previous[right.count]
    }
}
