/// Resolvable private addresses (Vol 6, Part B, 1.3.2.2 and 1.3.2.3).
extension CryptoProvider {
    /// The random address hash of 24 bits: `random` has 24 bits (Vol 3, Part H, 2.2.2).
    package func ah(_ key: IdentityResolvingKey, random: UInt32) -> UInt32 {
        UInt32(truncatingIfNeeded: encrypt(UInt128(random & 0xFF_FFFF), key: key.value)) & 0xFF_FFFF
    }

    /// A resolvable private address: 22 random bits, not all equal, under 0b01, and their hash.
    package mutating func makeResolvableAddress(_ key: IdentityResolvingKey) -> DeviceAddress {
        var part = UInt32(truncatingIfNeeded: random()) & 0x3F_FFFF
        if part == 0 || part == 0x3F_FFFF { part = 1 }
        let prand = part | 0x40_0000
        return DeviceAddress(kind: .random, value: UInt64(prand) << 24 | UInt64(ah(key, random: prand)))
    }

    /// Whether `key` generated `address`. The all-zero key stands for no key and resolves nothing.
    package func resolves(_ address: DeviceAddress, _ key: IdentityResolvingKey) -> Bool {
        guard address.isResolvable, key != .none else { return false }
        let prand = UInt32(truncatingIfNeeded: address.value >> 24)
        return UInt64(ah(key, random: prand)) == address.value & 0xFF_FFFF
    }
}
