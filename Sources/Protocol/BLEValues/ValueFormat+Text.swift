import Foundation

extension ValueFormat {
    /// Formats octets as text. Nil if their number does not match the format, or if `utf8` octets are not valid.
    package func text(_ octets: [UInt8]) -> String? {
        if let count, octets.count != count { return nil }
        switch kind {
        case .hexadecimal: return Hexadecimal.text(octets)
        case .utf8: return String(validating: octets, as: UTF8.self)
        case .base64: return Data(octets).base64EncodedString()
        case .unsigned: return String(bits(octets))
        case .signed(let width): return String(Int64(bitPattern: bits(octets) << (64 - width)) >> (64 - width))
        case .floatingPoint(32): return "\(Float(bitPattern: UInt32(truncatingIfNeeded: bits(octets))))"
        case .floatingPoint: return "\(Double(bitPattern: bits(octets)))"
        }
    }

    /// The number of octets in a numeric format. Nil for texts and octets, and for another number of octets.
    package func number(_ octets: [UInt8]) -> Double? {
        guard octets.count == count else { return nil }
        return switch kind {
        case .hexadecimal, .utf8, .base64: nil
        case .unsigned: Double(bits(octets))
        case .signed(let width): Double(Int64(bitPattern: bits(octets) << (64 - width)) >> (64 - width))
        case .floatingPoint(32): Double(Float(bitPattern: UInt32(truncatingIfNeeded: bits(octets))))
        case .floatingPoint: Double(bitPattern: bits(octets))
        }
    }

    /// Parses text into octets.
    package func octets(_ text: String) throws(ValueError) -> [UInt8] {
        switch kind {
        case .hexadecimal:
            guard let octets = Hexadecimal.octets(text) else {
                throw ValueError(
                    description: "\"\(text)\" is not hexadecimal: expected pairs of digits, such as \"01 ff\" or 01ff.")
            }
            return octets
        case .utf8: return Array(text.utf8)
        case .base64:
            guard let data = Data(base64Encoded: text) else {
                throw ValueError(description: "\"\(text)\" is not base64.")
            }
            return Array(data)
        case .unsigned(let width):
            let limit = UInt64.max >> UInt64(64 - width)
            guard let value = Self.unsigned(text), value <= limit else {
                throw ValueError(
                    description: "\"\(text)\" is not a whole number from 0 to \(limit), as \(name) expects.")
            }
            return octets(value, width)
        case .signed(let width):
            let limit = Int64.max >> Int64(64 - width)
            guard let value = Int64(text), -limit - 1 <= value, value <= limit else {
                throw ValueError(
                    description: "\"\(text)\" is not a whole number from \(-limit - 1) to \(limit), as \(name) expects."
                )
            }
            return octets(UInt64(bitPattern: value), width)
        case .floatingPoint(let width):
            guard let value = Double(text) else {
                throw ValueError(description: "\"\(text)\" is not a number, as \(name) expects.")
            }
            return octets(width == 32 ? UInt64(Float(value).bitPattern) : value.bitPattern, width)
        }
    }

    /// Parses a decimal number, or a hexadecimal one with the prefix 0x.
    private static func unsigned(_ text: String) -> UInt64? {
        text.lowercased().hasPrefix("0x") ? UInt64(text.dropFirst(2), radix: 16) : UInt64(text)
    }

    private func bits(_ octets: [UInt8]) -> UInt64 {
        (isBigEndian ? octets : octets.reversed()).reduce(0) { $0 << 8 | UInt64($1) }
    }

    private func octets(_ value: UInt64, _ width: Int) -> [UInt8] {
        let little = (0..<width / 8).map { UInt8(truncatingIfNeeded: value >> UInt64(8 * $0)) }
        return isBigEndian ? little.reversed() : little
    }
}

/// Formats and parses octets as pairs of hexadecimal digits.
package enum Hexadecimal {
    /// Lower-case digits with spaces: "01 ff".
    package static func text(_ octets: some Sequence<UInt8>) -> String { pairs(octets).joined(separator: " ") }

    /// Lower-case digits without spaces, for JSON: "01ff".
    package static func digits(_ octets: some Sequence<UInt8>) -> String { pairs(octets).joined() }

    private static func pairs(_ octets: some Sequence<UInt8>) -> [String] {
        octets.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }
    }

    /// Parses pairs of digits. Accepts spaces, colons, hyphens and commas between pairs, and a leading 0x. Nil for other text.
    package static func octets(_ text: String) -> [UInt8]? {
        var octets: [UInt8] = []
        for part in text.split(whereSeparator: { " :-,\t\n".contains($0) }) {
            let digits = part.lowercased().hasPrefix("0x") ? part.dropFirst(2) : part
            guard digits.count.isMultiple(of: 2), !digits.isEmpty else { return nil }
            var rest = digits
            while !rest.isEmpty {
                let pair = rest.prefix(2)
                guard pair.allSatisfy(\.isHexDigit), let octet = UInt8(pair, radix: 16) else { return nil }
                octets.append(octet)
                rest = rest.dropFirst(2)
            }
        }
        return octets
    }
}
