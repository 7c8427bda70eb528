import BLEWire
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
