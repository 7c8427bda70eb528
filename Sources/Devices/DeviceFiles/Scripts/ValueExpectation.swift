import BLEValues
import BLEWire

/// What a value of a characteristic must be.
package struct ValueExpectation: Hashable, Sendable {
    package enum Condition: Hashable, Sendable {
        /// Every value.
        case any
        case equals(String)
        /// A regular expression that the whole text matches.
        case matches(String)
        case range(ClosedRange<Double>)
    }

    package let condition: Condition
    /// The format of the texts; nil: as `bluelab read` prints the value.
    package let format: ValueFormat?

    package init(_ condition: Condition = .any, format: ValueFormat? = nil) {
        self.condition = condition
        self.format = format
    }

    /// Whether every value satisfies it.
    package var isAny: Bool { condition == .any && format == nil }

    /// Whether the value satisfies the expectation.
    package func accepts(_ value: ObservedValue) -> Bool {
        guard let text = value.text(in: format) else { return false }
        switch condition {
        case .any: return true
        case .equals(let expected):
            guard let format else { return text == expected || text == "\"\(expected)\"" }
            return (try? format.octets(expected)) == value.octets
        case .matches(let pattern): return (try? Regex(pattern).wholeMatch(in: text)) != nil
        case .range(let range): return number(of: value, text).map(range.contains) ?? false
        }
    }

    private func number(of value: ObservedValue, _ text: String) -> Double? {
        format == nil ? value.number ?? Double(text) : Double(text)
    }

    /// The expectation in words: `12000 (u16)`, `from 60 to 90`.
    package var text: String? {
        let unit = format.map { " (\($0.name))" } ?? ""
        switch condition {
        case .any: return format.map { "a value of the format \($0.name)" }
        case .equals(let expected): return expected + unit
        case .matches(let pattern): return "a text that matches \(pattern)" + unit
        case .range(let range): return "a number from \(short(range.lowerBound)) to \(short(range.upperBound))" + unit
        }
    }

    /// A number without a fraction if it is whole.
    private func short(_ number: Double) -> String {
        number == number.rounded() && abs(number) < 1e15 ? "\(Int64(number))" : "\(number)"
    }
}

/// A value that a device sent.
package struct ObservedValue: Hashable, Sendable {
    package let octets: [UInt8]
    /// As `bluelab read` prints it.
    package let text: String
    /// The first number of an adopted format.
    package let number: Double?

    package init(_ octets: [UInt8], text: String, number: Double?) {
        self.octets = octets
        self.text = text
        self.number = number
    }

    /// The text in a format; nil if the octets do not have that format.
    func text(in format: ValueFormat?) -> String? { format == nil ? text : format?.text(octets) }

    /// The value in words, for "found".
    package func shown(in format: ValueFormat?) -> String {
        guard let format else { return text }
        if let text = format.text(octets) { return "\(text) (\(format.name))" }
        return "\(Hexadecimal.text(octets)), which is not \(format.name)"
    }
}
