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
}
