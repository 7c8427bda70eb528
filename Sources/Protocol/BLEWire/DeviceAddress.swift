/// A device address with its type (Vol 6, Part B, 1.3).
@usableFromInline
package struct DeviceAddress: Hashable, Sendable {
    /// Public or random. A controller that resolves private addresses reports the identity kinds (Vol 4, Part E,
    /// 7.7.65.2).
    @usableFromInline
    package struct Kind: RawRepresentable, Hashable, Sendable {
        @usableFromInline package let rawValue: UInt8
        @inlinable
        package init(rawValue: UInt8) { self.rawValue = rawValue }
        @inlinable package static var `public`: Kind { Kind(rawValue: 0) }
        @inlinable package static var random: Kind { Kind(rawValue: 1) }
        /// A public identity address in place of the resolved private address.
        @inlinable package static var publicIdentity: Kind { Kind(rawValue: 2) }
        /// A static random identity address in place of the resolved private address.
        @inlinable package static var randomIdentity: Kind { Kind(rawValue: 3) }
        /// No address: an extended report of anonymous advertising (Vol 4, Part E, 7.7.65.13).
        @inlinable package static var anonymous: Kind { Kind(rawValue: 0xFF) }
    }

    @usableFromInline package var kind: Kind
    /// The 48 bits. The first octet on the wire is the lowest.
    @usableFromInline package var value: UInt64

    @inlinable
    package init(kind: Kind, value: UInt64) {
        self.kind = kind
        self.value = value & 0xFFFF_FFFF_FFFF
    }

    /// The address and its kind: no other address has this key.
    @inlinable
    package var key: UInt64 { value | UInt64(kind.rawValue) << 48 }

    /// Hashes one word. Tables look up the addresses of every packet on the air.
    @usableFromInline
    package func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// Replaces `Hasher` in tables; see `mixedHash`.
    @inlinable
    package func _rawHashValue(seed: Int) -> Int { mixedHash(key, seed: seed) }

    /// Returns a static random address: the two top bits set, the rest from `random`, never all zeros or all ones (Vol
    /// 6, Part B, 1.3.2.1).
    package static func randomStatic(using random: inout some RandomNumberGenerator) -> DeviceAddress {
        let part = UInt64.random(in: 1..<0x3FFF_FFFF_FFFF, using: &random)
        return DeviceAddress(kind: .random, value: 0xC000_0000_0000 | part)
    }

    package var isZero: Bool { value == 0 }

    /// Whether this is a public or a static random address, which identifies a device (Vol 6, Part B, 1.3).
    package var isIdentity: Bool {
        switch kind {
        case .public: true
        case .random: value >> 46 == 0b11
        default: false
        }
    }

    /// Whether the two top bits mark the address as resolvable private (Vol 6, Part B, 1.3.2.2).
    package var isResolvable: Bool { kind == .random && value >> 46 == 0b01 }

    /// Whether the controller resolved a private address to this one.
    @inlinable package var isResolved: Bool { kind == .publicIdentity || kind == .randomIdentity }

    /// A public or random address as the identity that a private address resolves to.
    package var asResolved: DeviceAddress {
        isResolved ? self : DeviceAddress(kind: Kind(rawValue: kind.rawValue &+ 2), value: value)
    }

    /// The same address with the kind of a device address, public or random, in place of an identity kind.
    @inlinable package var asDevice: DeviceAddress {
        isResolved ? DeviceAddress(kind: Kind(rawValue: kind.rawValue &- 2), value: value) : self
    }
}

extension DeviceAddress: CustomStringConvertible {
    @usableFromInline package var description: String {
        let octets = (0..<6).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
        return Hexadecimal.text(octets, separator: UInt8(ascii: ":")).uppercased()
    }
}
