import Crypto
import Foundation
import NoiseChannel

/// The key that all devices of a group and their controllers share.
///
/// Each end seals with a key of its own, derived from the group's key and the end's random session (HKDF-SHA256, RFC 5869). No end
/// keeps a counter between runs.
package struct GroupKey: Sendable {
    private let key: SymmetricKey

    package init(_ key: PreSharedKey) {
        guard let octets = Data(base64Encoded: key.base64Text) else {
            preconditionFailure("The text of a key is base64.")
        }
        self.key = SymmetricKey(data: octets)
    }

    /// The cipher of the end with this session.
    func cipher(of session: GroupSession) -> NoiseCipher {
        let derived = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: key, salt: Data(session.octets), info: Data("OpenCoreBluetooth device group 1".utf8),
            outputByteCount: 32)
        guard let cipher = NoiseCipher(keyOctets: derived.withUnsafeBytes { [UInt8]($0) }) else {
            preconditionFailure("A derived key has 32 octets.")
        }
        return cipher
    }
}

extension GroupKey: CustomStringConvertible, CustomReflectable {
    package var description: String { "GroupKey(hidden)" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// One run of an end: 16 random octets that are never used again.
package struct GroupSession: Hashable, Sendable {
    static let length = 16
    let octets: [UInt8]

    /// Returns nil unless there are 16 octets.
    package init?(_ octets: [UInt8]) {
        guard octets.count == Self.length else { return nil }
        self.octets = octets
    }

    package init(using generator: inout some RandomNumberGenerator) {
        octets = (0..<Self.length).map { _ in UInt8.random(in: 0...255, using: &generator) }
    }
}
