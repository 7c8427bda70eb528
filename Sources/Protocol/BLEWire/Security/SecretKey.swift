/// Key material of 128 bits. Descriptions and mirrors hide it from logs, errors and crash reports.
///
/// A key is a value: it is copied into bonds and PDUs, and its memory is not wiped. Owners wipe material that lives no
/// longer than one procedure (`P256PrivateKey`, the keys inside a `CryptoProvider`).
package protocol SecretKey: Hashable, Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable
{
    init(value: UInt128)
    /// The key in the notation of the specification. The first octet on the wire is the lowest.
    var value: UInt128 { get }
}

extension SecretKey {
    /// The name of the type.
    package var description: String { "\(Self.self)(redacted)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// The key of an encrypted link, or a short term key in its place (Vol 3, Part H, 2.4.1).
package struct LongTermKey: SecretKey {
    package let value: UInt128
    package init(value: UInt128) { self.value = value }

    /// The key with all but the low `size` octets cleared (Vol 3, Part H, 2.3.4).
    package func shortened(to size: UInt8) -> LongTermKey {
        size >= 16 ? self : LongTermKey(value: value & ((1 << (8 * UInt128(size))) - 1))
    }
}

/// The key that generates and resolves private addresses (Vol 3, Part H, 2.4.2.1).
package struct IdentityResolvingKey: SecretKey {
    package let value: UInt128
    package init(value: UInt128) { self.value = value }

    /// All zeros: the device has no resolvable private address.
    package static let none = IdentityResolvingKey(value: 0)
}

/// The key that signs data, CSRK (Vol 3, Part H, 2.4.2.2).
package struct SignatureKey: SecretKey {
    package let value: UInt128
    package init(value: UInt128) { self.value = value }
}

/// The link key of BR/EDR (Vol 3, Part H, 2.4.2.4).
package struct ClassicLinkKey: SecretKey {
    package let value: UInt128
    package init(value: UInt128) { self.value = value }
}
