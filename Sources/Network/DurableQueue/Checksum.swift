/// CRC-32 as in IEEE 802.3.
enum Checksum {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 0 ? value >> 1 : value >> 1 ^ 0xEDB8_8320 }
    }

    static func of(_ octets: some Sequence<UInt8>) -> UInt32 { ~update(~0, octets) }

    static func of(_ content: [UInt8], _ sequence: UInt64) -> UInt32 {
        var number: [UInt8] = []
        number.append(integer: sequence)
        return ~update(update(~0, number), content)
    }

    private static func update(_ start: UInt32, _ octets: some Sequence<UInt8>) -> UInt32 {
        octets.reduce(start) { value, octet in value >> 8 ^ table[Int(UInt8(truncatingIfNeeded: value) ^ octet)] }
    }
}

extension [UInt8] {
    /// Appends an integer, the least significant octet first.
    mutating func append(integer: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: integer.littleEndian) { self += $0 }
    }
}

extension FixedWidthInteger {
    /// The integer with these octets, the least significant first.
    init(octets: ArraySlice<UInt8>) { self = octets.reversed().reduce(0) { $0 << 8 | Self($1) } }
}
