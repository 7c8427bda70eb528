import BLEWire
import Crypto
import CryptoExtras

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// AES-CCM with M = 4 and L = 2 (Vol 6, Part E, 1; RFC 3610), composed of the library's CBC and CTR.
///
/// The library's calls over a whole packet cost two to three times less than its block function for each block,
/// although each returns its octets in an allocation of its own. Nothing else here allocates.
///
/// The library refuses sizes alone, which are right here. If a call throws all the same, the process ends: a packet without
/// encryption must not leave.
struct CCMCipher: PacketCipher {
    private let key: SymmetricKey

    private static let block = 16
    /// The longest message that a length field of two octets describes.
    private static let maximumLength = 0xFFFF
    private static let zeroVector = required("A vector of AES-CBC") {
        try AES._CBC.IV(ivBytes: repeatElement(0, count: block))
    }

    init(key: SymmetricKey) { self.key = key }

    func seal(_ payload: inout MutableSpan<UInt8>, nonce: PacketNonce, header: UInt8) -> UInt32 {
        precondition(payload.count <= Self.maximumLength)
        return payload.withUnsafeMutableBytes { payload in
            let tag = authenticationTag(UnsafeRawBufferPointer(payload), nonce, header)
            return encrypt(payload, tag, nonce)
        }
    }

    func open(_ payload: inout MutableSpan<UInt8>, nonce: PacketNonce, header: UInt8, mic: UInt32) -> Bool {
        guard payload.count <= Self.maximumLength else { return false }
        return payload.withUnsafeMutableBytes { payload in
            let received = encrypt(payload, mic, nonce)
            let tag = authenticationTag(UnsafeRawBufferPointer(payload), nonce, header)
            guard received == tag else {
                payload.initializeMemory(as: UInt8.self, repeating: 0)
                return false
            }
            return true
        }
    }

    /// The first four octets of the CBC-MAC over B0, the additional data and the payload (Vol 6, Part E, 2.1 and 2.2).
    private func authenticationTag(_ payload: UnsafeRawBufferPointer, _ nonce: PacketNonce, _ header: UInt8) -> UInt32 {
        let blocks = 2 + (payload.count + Self.block - 1) / Self.block
        return withUnsafeTemporaryAllocation(byteCount: blocks * Self.block, alignment: 16) { octets in
            octets.initializeMemory(as: UInt8.self, repeating: 0)
            // Additional data, M = 4, L = 2.
            octets[0] = 0x49
            Self.store(nonce, in: octets)
            octets[14] = UInt8(payload.count >> 8)
            octets[15] = UInt8(truncatingIfNeeded: payload.count)
            // One octet of additional data: the header without NESN, SN and MD.
            octets[17] = 1
            octets[18] = header & 0xE3
            UnsafeMutableRawBufferPointer(rebasing: octets[32...]).copyMemory(from: payload)
            let chain = required("AES-CBC") {
                try AES._CBC.encrypt(UnsafeRawBufferPointer(octets), using: key, iv: Self.zeroVector, noPadding: true)
            }
            return chain.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: $0.count - Self.block, as: UInt32.self) }
                .littleEndian
        }
    }

    /// Writes the 13 octets of a nonce after the first octet of a block (Vol 6, Part E, 2.1).
    @inline(__always)
    private static func store(_ nonce: PacketNonce, in block: UnsafeMutableRawBufferPointer) {
        let direction: UInt64 = nonce.isFromCentral ? 1 << 39 : 0
        let counter = nonce.counter & 0x7F_FFFF_FFFF | direction
        // The vector overwrites the upper octets of the counter, which are zeros.
        block.storeBytes(of: counter.littleEndian, toByteOffset: 1, as: UInt64.self)
        block.storeBytes(of: nonce.initializationVector.littleEndian, toByteOffset: 6, as: UInt64.self)
    }

    /// Applies the key stream to `payload` in place and to `tag`, which is returned.
    private func encrypt(_ payload: UnsafeMutableRawBufferPointer, _ tag: UInt32, _ nonce: PacketNonce) -> UInt32 {
        withUnsafeTemporaryAllocation(byteCount: Self.block + payload.count, alignment: 16) { octets in
            // The octets of the counter block with the counter 0, for a moment.
            octets.initializeMemory(as: UInt8.self, repeating: 0)
            octets[0] = 0x01
            Self.store(nonce, in: octets)
            // The library copies a buffer several times faster than a slice of one.
            let block = UnsafeRawBufferPointer(rebasing: octets[0..<Self.block])
            let counter = required("A nonce of AES-CTR") { try AES._CTR.Nonce(nonceBytes: block) }
            // Counter 0 belongs to the tag, counter 1 and so on to the payload.
            octets.storeBytes(of: UInt64(tag).littleEndian, as: UInt64.self)
            octets.storeBytes(of: 0, toByteOffset: 8, as: UInt64.self)
            UnsafeMutableRawBufferPointer(rebasing: octets[Self.block...]).copyMemory(
                from: UnsafeRawBufferPointer(payload))
            let result = required("AES-CTR") {
                try AES._CTR.encrypt(UnsafeRawBufferPointer(octets), using: key, nonce: counter)
            }
            return result.withUnsafeBytes { result in
                payload.copyMemory(from: UnsafeRawBufferPointer(rebasing: result[Self.block...]))
                return UInt32(littleEndian: result.loadUnaligned(as: UInt32.self))
            }
        }
    }
}
