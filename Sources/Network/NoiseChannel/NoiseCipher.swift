import Crypto

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// One direction of a channel: ChaCha20-Poly1305 with a counter as nonce (Noise Protocol Framework, 5.1).
///
/// It is a value. Keep one of each: two copies that seal would use a nonce twice.
package struct NoiseCipher: Sendable {
    /// The octets that sealing adds.
    package static let tagLength = 16
    /// The longest sealed message (Noise Protocol Framework, section 3).
    package static let maximumMessageLength = 65_535
    /// The longest message before sealing.
    package static let maximumPayloadLength = maximumMessageLength - tagLength

    private let key: SymmetricKey
    /// The nonce of the next message. 2^64 - 1 is reserved.
    package private(set) var nextNonce: UInt64

    init(key: SymmetricKey, nextNonce: UInt64 = 0) {
        self.key = key
        self.nextNonce = nextNonce
    }

    /// A cipher from the octets of a key, for channels that derive keys of their own, such as a group's.
    ///
    /// - Returns: nil unless there are 32 octets.
    package init?(keyOctets: [UInt8], nextNonce: UInt64 = 0) {
        guard keyOctets.count == PreSharedKey.octetCount else { return nil }
        self.init(key: SymmetricKey(data: keyOctets), nextNonce: nextNonce)
    }

    /// Appends the sealed form of `payload` to `output`, and advances the nonce.
    ///
    /// - Parameter header: Octets that the tag covers and the message does not contain.
    package mutating func seal(
        _ payload: Span<UInt8>, header: [UInt8] = [], into output: inout [UInt8]
    ) throws(NoiseError) {
        guard payload.count <= Self.maximumPayloadLength else { throw .tooLong }
        guard nextNonce != .max else { throw .nonceExhausted }
        let nonce = nextNonce
        nextNonce += 1
        payload.withUnsafeBytes { octets in
            Self.withNonce(nonce) { nonce in
                // The library checks the sizes of the key and the nonce, which are right. Nothing may leave unsealed.
                guard let box = try? ChaChaPoly.seal(octets, using: key, nonce: nonce, authenticating: header) else {
                    preconditionFailure("ChaCha20-Poly1305 failed although its arguments are valid.")
                }
                // The combined form begins with the nonce, which both ends count.
                box.combined.withUnsafeBytes { output.append(contentsOf: UnsafeRawBufferPointer(rebasing: $0[12...])) }
            }
        }
    }

    /// Returns the payload of a message, and advances the nonce. A message that fails leaves the cipher as it was.
    package mutating func open(_ message: Span<UInt8>, header: [UInt8] = []) throws(NoiseError) -> [UInt8] {
        guard nextNonce != .max else { throw .nonceExhausted }
        let payload = try open(message, nonce: nextNonce, header: header)
        nextNonce += 1
        return payload
    }

    /// Returns the payload of the message with the nonce given, for transports that lose or reorder messages (Noise Protocol Framework,
    /// 11.4). The caller refuses a nonce that was received before.
    package func open(_ message: Span<UInt8>, nonce: UInt64, header: [UInt8] = []) throws(NoiseError) -> [UInt8] {
        guard message.count <= Self.maximumMessageLength else { throw .tooLong }
        guard message.count >= Self.tagLength else { throw .truncated }
        guard nonce != .max else { throw .nonceExhausted }
        let payload: [UInt8]? = message.withUnsafeBytes { octets in
            Self.withNonce(nonce) { nonce in
                let (ciphertext, tag) = (
                    UnsafeRawBufferPointer(rebasing: octets.dropLast(Self.tagLength)),
                    UnsafeRawBufferPointer(rebasing: octets.suffix(Self.tagLength))
                )
                guard let box = try? ChaChaPoly.SealedBox(nonce: nonce, ciphertext: ciphertext, tag: tag),
                    let data = try? ChaChaPoly.open(box, using: key, authenticating: header)
                else { return nil }
                return [UInt8](data)
            }
        }
        guard let payload else { throw .authentication }
        return payload
    }

    /// 32 bits of zeros, then the counter in little endian (Noise Protocol Framework, 12.3).
    private static func withNonce<Result>(_ counter: UInt64, _ body: (ChaChaPoly.Nonce) -> Result) -> Result {
        var octets: (UInt32, UInt32, UInt32) = (
            0, UInt32(truncatingIfNeeded: counter).littleEndian, UInt32(truncatingIfNeeded: counter >> 32).littleEndian
        )
        return withUnsafeBytes(of: &octets) { octets in
            guard let nonce = try? ChaChaPoly.Nonce(data: octets) else {
                preconditionFailure("A nonce of 12 octets is valid.")
            }
            return body(nonce)
        }
    }
}

extension NoiseCipher: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "NoiseCipher(nextNonce: \(nextNonce))" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: ["nextNonce": nextNonce]) }
}
