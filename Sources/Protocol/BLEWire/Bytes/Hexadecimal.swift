/// Upper-case hexadecimal digits with leading zeros, at least `digits` of them.
package func hexadecimal(_ value: some BinaryInteger, digits: Int) -> String {
    let text = String(value, radix: 16, uppercase: true)
    return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
}

/// Formats and parses octets as pairs of hexadecimal digits.
package enum Hexadecimal {
    /// Lower-case digits with spaces or another character of ASCII between the octets: "01 ff".
    package static func text(_ octets: some Sequence<UInt8>, separator: UInt8 = UInt8(ascii: " ")) -> String {
        var text: [UInt8] = []
        for octet in octets {
            if !text.isEmpty { text.append(separator) }
            append(octet, to: &text)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Lower-case digits without spaces, for JSON: "01ff".
    package static func digits(_ octets: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        for octet in octets { append(octet, to: &text) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Appends two lower-case digits in ASCII.
    package static func append(_ octet: UInt8, to text: inout [UInt8]) {
        text.append(digit(octet >> 4))
        text.append(digit(octet & 15))
    }

    /// The lower-case digit, in ASCII, of a value from 0 to 15.
    package static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    /// Parses pairs of digits. Accepts spaces, colons, hyphens and commas between pairs, and a leading 0x. Nil for other text.
    package static func octets(_ text: String) -> [UInt8]? {
        var octets: [UInt8] = []
        for part in text.split(whereSeparator: { " :-,\t\n".contains($0) }) {
            let digits = part.lowercased().hasPrefix("0x") ? part.dropFirst(2) : part
            guard !digits.isEmpty, let some = self.octets(pairs: digits.utf8) else { return nil }
            octets += some
        }
        return octets
    }

    /// Parses pairs of digits in ASCII, with nothing between them. Nil for other octets.
    package static func octets(pairs digits: some Collection<UInt8>) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2) else { return nil }
        var octets: [UInt8] = []
        var high: UInt8?
        for digit in digits {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
            if let first = high {
                octets.append(first << 4 | UInt8(value))
                high = nil
            } else {
                high = UInt8(value)
            }
        }
        return octets
    }
}
