import BLEWire
import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The cryptographic functions of Bluetooth LE by swift-crypto.
///
/// `random()` draws from the generator given: the system's for keys, a seeded one for runs that must repeat.
package struct SwiftCryptoProvider<Generator: RandomNumberGenerator & Sendable>: CryptoProvider {
    private var generator: Generator

    package init(generator: Generator) { self.generator = generator }

    package func encrypt(_ block: UInt128, key: UInt128) -> UInt128 {
        var block = block.bigEndian
        withUnsafeMutableBytes(of: &block) { octets in
            var octets = octets.assumingMemoryBound(to: UInt8.self)
            // Both sizes are right, which is all that this call checks.
            required("AES") { try AES.permute(&octets, key: .init(number: key)) }
        }
        return UInt128(bigEndian: block)
    }

    package func authenticationCode(of message: Span<UInt8>, key: UInt128) -> UInt128 {
        var code = required("AES-CMAC") { try AES.CMAC(key: .init(number: key)) }
        message.withUnsafeBytes { code.update(bufferPointer: $0) }
        return code.finalize().withUnsafeBytes { octets in
            octets.reduce(0 as UInt128) { $0 << 8 | UInt128($1) }
        }
    }

    package func keyPair(_ privateKey: P256PrivateKey) -> P256KeyPair? {
        guard let key = privateKey.agreementKey else { return nil }
        let octets = key.publicKey.rawRepresentation
        return octets.withUnsafeBytes { raw in
            let bytes = raw.bindMemory(to: UInt8.self).span
            return P256KeyPair(
                privateKey: privateKey,
                publicKey: P256PublicKey(
                    x: UInt256(bigEndian: bytes.extracting(first: 32)),
                    y: UInt256(bigEndian: bytes.extracting(droppingFirst: 32))))
        }
    }

    package func sharedSecret(
        _ privateKey: P256PrivateKey, with publicKey: P256PublicKey
    ) throws(BLEWire.CryptoError) -> BLEWire.SharedSecret {
        var point = [UInt8](repeating: 0, count: 64)
        for index in 0..<32 {
            point[index] = publicKey.x.bigEndianOctet(index)
            point[32 + index] = publicKey.y.bigEndianOctet(index)
        }
        // The library checks that the point is on the curve and not at infinity.
        guard let peer = try? P256.KeyAgreement.PublicKey(rawRepresentation: point), let key = privateKey.agreementKey,
            let secret = try? key.sharedSecretFromKeyAgreement(with: peer)
        else { throw .invalidPublicKey }
        return secret.withUnsafeBytes { raw in
            BLEWire.SharedSecret(value: UInt256(bigEndian: raw.bindMemory(to: UInt8.self).span))
        }
    }

    package func packetCipher(key: UInt128) -> any PacketCipher { CCMCipher(key: .init(number: key)) }

    package mutating func random() -> UInt128 {
        UInt128(generator.next()) << 64 | UInt128(generator.next())
    }
}

extension SwiftCryptoProvider where Generator == SystemRandomNumberGenerator {
    /// The provider for real keys.
    package init() { self.init(generator: SystemRandomNumberGenerator()) }
}

extension SymmetricKey {
    /// The key of AES-128 whose first octet is the most significant of `number`. The library wipes its copy.
    init(number: UInt128) {
        var octets = number.bigEndian
        self = Swift.withUnsafeBytes(of: &octets) { SymmetricKey(data: $0) }
        Swift.withUnsafeMutableBytes(of: &octets) { wipe($0.baseAddress!, $0.count) }
    }
}

extension P256PrivateKey {
    /// The library's form of this key; nil if the scalar is out of range.
    fileprivate var agreementKey: P256.KeyAgreement.PrivateKey? {
        withUnsafeTemporaryAllocation(byteCount: 32, alignment: 1) { octets in
            defer { wipe(octets.baseAddress!, octets.count) }
            let scalar = scalar
            for index in 0..<32 { octets[index] = scalar.bigEndianOctet(index) }
            return try? P256.KeyAgreement.PrivateKey(rawRepresentation: UnsafeRawBufferPointer(octets))
        }
    }
}
