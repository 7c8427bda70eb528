/// A Bluetooth UUID in its original length: 16, 32 or 128 bits (Vol 3, Part B, 2.5.1).
///
/// Equality and hashing use the 128-bit value, so the short and the long form of one UUID are equal.
@usableFromInline
package struct BluetoothUUID: Hashable, Sendable {
    /// The number of octets of the original form: 2, 4 or 16.
    @usableFromInline package let octetCount: Int
    /// The most and the least significant halves of the 128-bit value.
    @usableFromInline package let high: UInt64
    @usableFromInline package let low: UInt64

    @inlinable static var baseHigh: UInt64 { 0x0000_0000_0000_1000 }
    @inlinable static var baseLow: UInt64 { 0x8000_0080_5F9B_34FB }

    @inlinable
    package init(_ value: UInt16) {
        octetCount = 2
        high = UInt64(value) << 32 | Self.baseHigh
        low = Self.baseLow
    }

    @inlinable
    package init(_ value: UInt32) {
        octetCount = 4
        high = UInt64(value) << 32 | Self.baseHigh
        low = Self.baseLow
    }

    @inlinable
    package init(high: UInt64, low: UInt64) {
        octetCount = 16
        self.high = high
        self.low = low
    }

    /// The 16-bit value, if this UUID has one, regardless of its original form.
    @inlinable
    package var shortValue: UInt16? {
        guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
        return UInt16(exactly: high >> 32)
    }

    /// The 32-bit value, if this UUID has one, regardless of its original form.
    package var mediumValue: UInt32? {
        guard low == Self.baseLow, high & 0xFFFF_FFFF == Self.baseHigh else { return nil }
        return UInt32(truncatingIfNeeded: high >> 32)
    }

    /// The form that ATT uses: 16 bits if the UUID has such a value, otherwise 128 (Vol 3, Part F, 3.2.1).
    package var attributeForm: BluetoothUUID {
        if let shortValue { return BluetoothUUID(shortValue) }
        return BluetoothUUID(high: high, low: low)
    }

    @inlinable
    package static func == (left: Self, right: Self) -> Bool { left.high == right.high && left.low == right.low }

    @usableFromInline
    package func hash(into hasher: inout Hasher) {
        hasher.combine(high)
        hasher.combine(low)
    }
}

extension BluetoothUUID: PDU {
    /// Decodes 2, 4 or 16 octets, least significant first.
    @inlinable
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        switch bytes.count {
        case 2: self.init(try bytes.readUInt16())
        case 4: self.init(try bytes.readUInt32())
        case 16:
            let low = try bytes.readUInt64()
            self.init(high: try bytes.readUInt64(), low: low)
        default: throw .invalidLength
        }
    }

    @inlinable
    package var encodedCount: Int { octetCount }

    @inlinable
    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        switch octetCount {
        case 2: try output.writeLittleEndian(high >> 32, 2)
        case 4: try output.writeLittleEndian(high >> 32, 4)
        default:
            try output.write(low)
            try output.write(high)
        }
    }
}

extension BluetoothUUID: CustomStringConvertible {
    /// Upper-case hexadecimal digits in the original form. Only the 128-bit form has hyphens.
    @usableFromInline
    package var description: String {
        switch octetCount {
        case 2: return hexadecimal(high >> 32, digits: 4)
        case 4: return hexadecimal(high >> 32, digits: 8)
        default:
            return [
                hexadecimal(high >> 32, digits: 8), hexadecimal(high >> 16 & 0xFFFF, digits: 4),
                hexadecimal(high & 0xFFFF, digits: 4), hexadecimal(low >> 48, digits: 4),
                hexadecimal(low & 0xFFFF_FFFF_FFFF, digits: 12),
            ].joined(separator: "-")
        }
    }

    /// Parses 4, 8 or 32 hexadecimal digits, the last with hyphens 8-4-4-4-12.
    package init?(_ text: String) {
        let characters = Array(text.utf8)
        func value(_ range: Range<Int>) -> UInt64? {
            var result: UInt64 = 0
            for character in characters[range] {
                switch character {
                case UInt8(ascii: "0")...UInt8(ascii: "9"): result = result << 4 | UInt64(character &- 48)
                case UInt8(ascii: "a")...UInt8(ascii: "f"): result = result << 4 | UInt64(character &- 87)
                case UInt8(ascii: "A")...UInt8(ascii: "F"): result = result << 4 | UInt64(character &- 55)
                default: return nil
                }
            }
            return result
        }
        switch characters.count {
        case 4:
            guard let short = value(0..<4) else { return nil }
            self.init(UInt16(truncatingIfNeeded: short))
        case 8:
            guard let medium = value(0..<8) else { return nil }
            self.init(UInt32(truncatingIfNeeded: medium))
        case 36:
            guard [8, 13, 18, 23].allSatisfy({ characters[$0] == UInt8(ascii: "-") }),
                let first = value(0..<8), let second = value(9..<13), let third = value(14..<18),
                let fourth = value(19..<23), let fifth = value(24..<36)
            else { return nil }
            self.init(high: first << 32 | second << 16 | third, low: fourth << 48 | fifth)
        default: return nil
        }
    }
}
