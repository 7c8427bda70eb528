import Foundation

/// Numbers in octets. Reading beyond the end returns nil. 字节与整数的转换，越界返回 nil。
extension Collection where Element == UInt8, Index == Int {
    /// The little-endian number at an offset from the first octet.
    package func littleEndian<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self, at offset: Int
    ) -> Number? {
        let size = Number.bitWidth / 8
        guard offset >= 0, offset <= count - size else { return nil }
        return (0..<size).reversed().reduce(0) { $0 << 8 | Number(self[startIndex + offset + $1]) }
    }

    /// The big-endian number at an offset from the first octet.
    package func bigEndian<Number: FixedWidthInteger & UnsignedInteger>(
        _ type: Number.Type = Number.self, at offset: Int
    ) -> Number? { littleEndian(type, at: offset)?.byteSwapped }
}

extension FixedWidthInteger where Self: UnsignedInteger {
    /// The octets, the least significant first.
    package var littleEndianOctets: [UInt8] { bigEndianOctets.reversed() }
    /// The octets, the most significant first.
    package var bigEndianOctets: [UInt8] {
        (0..<Self.bitWidth / 8).reversed().map { UInt8(truncatingIfNeeded: self >> (8 * $0)) }
    }
}

/// The CRC-32 of IEEE 802.3, which can be continued over further octets.
package struct CRC32: Hashable, Sendable {
    private static let table: [UInt32] = (0..<256).map { index in
        (0..<8).reduce(UInt32(index)) { value, _ in value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
    }

    private var state: UInt32 = 0xFFFF_FFFF

    package init() {}

    package init(_ octets: some Sequence<UInt8>) { update(octets) }

    package mutating func update(_ octets: some Sequence<UInt8>) {
        for octet in octets { state = state >> 8 ^ Self.table[Int(UInt8(truncatingIfNeeded: state) ^ octet)] }
    }

    /// The CRC of the octets so far. That of no octets is 0.
    package var value: UInt32 { ~state }
}

/// Octets that are data in a property list. As numbers, those of a firmware would take seconds. 在属性列表中存为 Data，否则很慢。
@propertyWrapper package struct StoredOctets: Codable, Hashable, Sendable {
    package var wrappedValue: [UInt8]

    package init(wrappedValue: [UInt8]) { self.wrappedValue = wrappedValue }

    package init(from decoder: any Decoder) throws {
        wrappedValue = Array(try decoder.singleValueContainer().decode(Data.self))
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(Data(wrappedValue))
    }
}
