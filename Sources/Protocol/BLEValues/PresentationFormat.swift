import BLEAssignedNumbers
import BLEWire

/// The value of the descriptor Characteristic Presentation Format (2904): the format, the exponent and the unit of a characteristic's
/// value (Vol 3, Part G, 3.3.3.5).
package struct PresentationFormat: Hashable {
    private let format: UInt8
    /// The value is the integer times 10 to the power of this number.
    private let exponent: Int
    private let unitNumber: UInt16

    /// Nil unless there are seven octets.
    package init?(_ octets: [UInt8]) {
        guard octets.count == 7 else { return nil }
        format = octets[0]
        exponent = Int(Int8(bitPattern: octets[1]))
        unitNumber = UInt16(octets[2]) | UInt16(octets[3]) << 8
    }

    /// The unit in words without its quantity: "degree Celsius". Nil for a value without a unit.
    package var unit: String? {
        guard unitNumber != Self.unitless, unitNumber != 0,
            let name = AssignedNumbers.name(ofUnit: BluetoothUUID(unitNumber))
        else { return nil }
        guard let start = name.lastIndex(of: "("), name.hasSuffix(")") else { return name }
        return String(name[name.index(after: start)...].dropLast())
    }

    private static let unitless: UInt16 = 0x2700

    /// A value in this format: "21.5 degree Celsius". Nil if the octets do not fit, or the format has no short text.
    package func text(_ octets: [UInt8]) -> String? {
        guard let value = number(octets) else {
            // 0x19: UTF-8.
            return format == 0x19 ? String(validating: octets, as: UTF8.self).map { "\"\($0)\"" } : nil
        }
        return unit.map { "\(value) \($0)" } ?? value
    }

    private func number(_ octets: [UInt8]) -> String? {
        switch format {
        // Boolean, 2 bits, 4 bits
        case 0x01...0x03: return octets.count == 1 ? "\(octets[0])" : nil
        // Unsigned and signed integers of 8 to 64 bits
        case 0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x0A: return integer(octets, isSigned: false)
        case 0x0C, 0x0D, 0x0E, 0x0F, 0x10, 0x11, 0x12: return integer(octets, isSigned: true)
        case 0x14: return ValueFormat(.floatingPoint(bits: 32)).text(octets)
        case 0x15: return ValueFormat(.floatingPoint(bits: 64)).text(octets)
        case 0x16 where octets.count == 2:
            return MedicalFloat.short(UInt16(octets[0]) | UInt16(octets[1]) << 8).map(decimal)
        case 0x17 where octets.count == 4:
            return MedicalFloat.long(octets.reversed().reduce(0) { $0 << 8 | UInt32($1) }).map(decimal)
        default: return nil
        }
    }

    /// The number of a value; nil for texts and for octets that do not fit.
    package func number(of octets: [UInt8]) -> Double? { number(octets).flatMap(Double.init) }

    private static let sizes: [UInt8: Int] = [
        0x04: 1, 0x05: 2, 0x06: 2, 0x07: 3, 0x08: 4, 0x09: 6, 0x0A: 8,
        0x0C: 1, 0x0D: 2, 0x0E: 2, 0x0F: 3, 0x10: 4, 0x11: 6, 0x12: 8,
    ]

    private func integer(_ octets: [UInt8], isSigned: Bool) -> String? {
        guard let size = Self.sizes[format], octets.count == size else { return nil }
        let bits = octets.reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        let shift = UInt64(64 - 8 * size)
        let signed = Int64(bitPattern: bits << shift) >> Int64(shift)
        guard exponent != 0 else { return isSigned ? "\(signed)" : "\(bits)" }
        return decimal(isSigned ? Double(signed) : Double(bits))
    }

    private func decimal(_ value: Double) -> String {
        guard (-12...12).contains(exponent) else { return "\(value)e\(exponent)" }
        let power = (0..<abs(exponent)).reduce(1.0) { power, _ in power * 10 }
        let scaled = exponent < 0 ? value / power : value * power
        return scaled == scaled.rounded() && abs(scaled) < 1e15 ? "\(Int64(scaled))" : "\(scaled)"
    }

    /// The format in words, for the descriptor itself: "sint16, 10^-2, degree Celsius".
    package var description: String {
        let names: [UInt8: String] = [
            0x01: "boolean", 0x02: "uint2", 0x03: "uint4", 0x04: "uint8", 0x05: "uint12", 0x06: "uint16",
            0x07: "uint24", 0x08: "uint32", 0x09: "uint48", 0x0A: "uint64", 0x0B: "uint128", 0x0C: "sint8",
            0x0D: "sint12", 0x0E: "sint16", 0x0F: "sint24", 0x10: "sint32", 0x11: "sint48", 0x12: "sint64",
            0x13: "sint128", 0x14: "float32", 0x15: "float64", 0x16: "medfloat16", 0x17: "medfloat32",
            0x18: "duint16", 0x19: "utf8", 0x1A: "utf16", 0x1B: "struct",
        ]
        let name = names[format] ?? "format \(hexadecimal(format, digits: 2))"
        return [name, exponent == 0 ? nil : "10^\(exponent)", unit].compactMap { $0 }.joined(separator: ", ")
    }
}
