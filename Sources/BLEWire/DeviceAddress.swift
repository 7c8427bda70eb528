/// A device address with its type (Vol 6, Part B, 1.3).
package struct DeviceAddress: Hashable, Sendable {
    /// Public or random. Address resolution adds the identity types (0x02, 0x03).
    package struct Kind: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        package static let `public` = Kind(rawValue: 0)
        package static let random = Kind(rawValue: 1)
    }

    package var kind: Kind
    /// The 48 bits. The first octet on the wire is the lowest.
    package var value: UInt64

    package init(kind: Kind, value: UInt64) {
        self.kind = kind
        self.value = value & 0xFFFF_FFFF_FFFF
    }

    /// Hashes one word. Tables look up the addresses of every packet on the air.
    package func hash(into hasher: inout Hasher) { hasher.combine(value | UInt64(kind.rawValue) << 48) }

    /// Returns a static random address: the two top bits set, the rest from `random`, never all zeros or all ones (Vol
    /// 6, Part B, 1.3.2.1).
    package static func randomStatic(using random: inout some RandomNumberGenerator) -> DeviceAddress {
        let part = UInt64.random(in: 1..<0x3FFF_FFFF_FFFF, using: &random)
        return DeviceAddress(kind: .random, value: 0xC000_0000_0000 | part)
    }

    package var isZero: Bool { value == 0 }
}

extension DeviceAddress: CustomStringConvertible {
    package var description: String {
        (0..<6).reversed().map { hexadecimal(value >> (8 * UInt64($0)) & 0xFF, digits: 2) }.joined(separator: ":")
    }
}
