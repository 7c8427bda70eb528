/// The text format of a characteristic's octets.
///
/// Integers and floating-point numbers are little endian, as in GATT (Vol 3, Part G, 2.4). The names with the suffix `be` select
/// big endian.
package struct ValueFormat: Hashable, Sendable {
    package enum Kind: Hashable, Sendable {
        case hexadecimal
        case utf8
        case base64
        case unsigned(bits: Int)
        case signed(bits: Int)
        /// An IEEE 754 number with 32 or 64 bits.
        case floatingPoint(bits: Int)
    }

    package let kind: Kind
    package let isBigEndian: Bool

    package init(_ kind: Kind, isBigEndian: Bool = false) {
        self.kind = kind
        self.isBigEndian = isBigEndian
    }

    /// The format with this name: `hex`, `utf8`, `base64`, `u8` to `u64`, `i8` to `i64`, `f32`, `f64`, and the numbers with the
    /// suffix `be`.
    package init?(name: String) {
        guard let format = Self.all.first(where: { $0.name == name.lowercased() }) else { return nil }
        self = format
    }

    /// All formats, in the order for lists.
    package static let all: [ValueFormat] = {
        var formats = [ValueFormat(.hexadecimal), ValueFormat(.utf8), ValueFormat(.base64)]
        for bits in [8, 16, 24, 32, 40, 48, 56, 64] {
            for isBigEndian in bits == 8 ? [false] : [false, true] {
                formats.append(ValueFormat(.unsigned(bits: bits), isBigEndian: isBigEndian))
                formats.append(ValueFormat(.signed(bits: bits), isBigEndian: isBigEndian))
            }
        }
        for bits in [32, 64] {
            formats.append(ValueFormat(.floatingPoint(bits: bits)))
            formats.append(ValueFormat(.floatingPoint(bits: bits), isBigEndian: true))
        }
        return formats
    }()

    package var name: String {
        let order = isBigEndian ? "be" : ""
        return switch kind {
        case .hexadecimal: "hex"
        case .utf8: "utf8"
        case .base64: "base64"
        case .unsigned(let bits): "u\(bits)\(order)"
        case .signed(let bits): "i\(bits)\(order)"
        case .floatingPoint(let bits): "f\(bits)\(order)"
        }
    }

    /// The number of octets of a value; nil if it is variable.
    package var count: Int? {
        switch kind {
        case .hexadecimal, .utf8, .base64: nil
        case .unsigned(let bits), .signed(let bits), .floatingPoint(let bits): bits / 8
        }
    }
}

/// The reason why text is not a value of a format.
package struct ValueError: Error, Hashable, Sendable, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}
