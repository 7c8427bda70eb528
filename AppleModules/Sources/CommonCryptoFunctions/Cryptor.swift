import CommonCrypto
import Crypto
import CryptoExtras
import Foundation

/// AES in one of its modes, for data in parts. The blocks are swift-crypto's.
final class Cryptor {
    /// The size of a block in octets.
    static let blockSize = 16

    private let encrypts: Bool
    private let mode: CCMode
    private let pads: Bool
    private let key: SymmetricKey
    /// The previous block of ciphertext with CBC, the next counter with CTR.
    private var chain: [UInt8]
    /// The part of a block that waits for more.
    private var pending: [UInt8] = []
    /// The rest of a block of the key stream of CTR.
    private var keyStream: ArraySlice<UInt8> = []

    /// Makes a cryptor. Throws the status for parameters that AES does not have.
    init(
        _ operation: CCOperation, _ mode: CCMode, _ algorithm: CCAlgorithm, pads: Bool, key: UnsafeRawPointer?,
        keyLength: Int, iv: UnsafeRawPointer?
    ) throws(CryptorError) {
        guard operation == kCCEncrypt || operation == kCCDecrypt, let key else { throw CryptorError(kCCParamError) }
        guard algorithm == kCCAlgorithmAES, [kCCModeECB, kCCModeCBC, kCCModeCTR].contains(Int(mode)) else {
            throw CryptorError(kCCUnimplemented)
        }
        guard [kCCKeySizeAES128, kCCKeySizeAES192, kCCKeySizeAES256].contains(keyLength) else {
            throw CryptorError(kCCKeySizeError)
        }
        encrypts = operation == kCCEncrypt
        self.mode = mode
        self.pads = pads && mode != kCCModeCTR
        self.key = SymmetricKey(data: UnsafeRawBufferPointer(start: key, count: keyLength))
        chain = Self.vector(iv, mode)
    }

    /// Starts again.
    func reset(iv: UnsafeRawPointer?) {
        chain = Self.vector(iv, mode)
        pending = []
        keyStream = []
    }

    /// The greatest number of octets of an output.
    func outputLength(_ inputLength: Int, isLast: Bool) -> Int? {
        if mode == kCCModeCTR { return inputLength }
        let extra = pending.count + (isLast && pads ? Self.blockSize : 0)
        let (length, isTooLong) = inputLength.addingReportingOverflow(extra)
        return isTooLong ? nil : length / Self.blockSize * Self.blockSize
    }

    /// The number of octets that `update` returns for an input of this length.
    func updateLength(_ inputLength: Int) -> Int {
        mode == kCCModeCTR ? inputLength : wholeBlocks(pending.count + inputLength)
    }

    /// Adds data and returns the blocks that are complete.
    func update(_ input: UnsafeRawBufferPointer) throws(CryptorError) -> [UInt8] {
        if mode == kCCModeCTR { return try stream(input) }
        pending += input
        let count = wholeBlocks(pending.count)
        defer { pending.removeFirst(count) }
        return try blocks(pending[..<count])
    }

    /// Returns the rest, with the padding added or removed. The cryptor does not change, because a program repeats the call with a greater buffer.
    func final() throws(CryptorError) -> [UInt8] {
        let before = chain
        defer { chain = before }
        if mode == kCCModeCTR { return [] }
        guard pads else {
            guard pending.isEmpty else { throw CryptorError(kCCAlignmentError) }
            return []
        }
        if encrypts {
            let padding = Self.blockSize - pending.count
            return try blocks(pending[...] + repeatElement(UInt8(padding), count: padding))
        }
        guard pending.count == Self.blockSize else { throw CryptorError(kCCAlignmentError) }
        let last = try blocks(pending[...])
        let padding = Int(last[Self.blockSize - 1])
        guard (1...Self.blockSize).contains(padding), last.suffix(padding).allSatisfy({ $0 == padding }) else {
            throw CryptorError(kCCDecodeError)
        }
        return last.dropLast(padding)
    }

    /// Decryption with padding keeps the last block, because its end is the padding.
    private func wholeBlocks(_ count: Int) -> Int {
        let whole = count / Self.blockSize * Self.blockSize
        return !encrypts && pads && whole == count ? max(0, whole - Self.blockSize) : whole
    }

    private func blocks(_ input: ArraySlice<UInt8>) throws(CryptorError) -> [UInt8] {
        guard !input.isEmpty else { return [] }
        do {
            guard mode == kCCModeCBC else { return try electronicCodebook(input) }
            let vector = try AES._CBC.IV(ivBytes: chain)
            let output =
                try encrypts
                ? AES._CBC.encrypt(input, using: key, iv: vector, noPadding: true)
                : AES._CBC.decrypt(input, using: key, iv: vector, noPadding: true)
            chain = Array(encrypts ? ArraySlice(output.suffix(Self.blockSize)) : input.suffix(Self.blockSize))
            return Array(output)
        } catch {
            throw CryptorError(kCCUnspecifiedError)
        }
    }

    private func electronicCodebook(_ input: ArraySlice<UInt8>) throws -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(input.count)
        for start in stride(from: input.startIndex, to: input.endIndex, by: Self.blockSize) {
            var block = Array(input[start..<start + Self.blockSize])
            if encrypts {
                try AES.permute(&block, key: key)
            } else {
                try AES.inversePermute(&block, key: key)
            }
            output += block
        }
        return output
    }

    private func stream(_ input: UnsafeRawBufferPointer) throws(CryptorError) -> [UInt8] {
        var output: [UInt8] = []
        output.reserveCapacity(input.count)
        for octet in input {
            if keyStream.isEmpty {
                var block = chain
                do { try AES.permute(&block, key: key) } catch { throw CryptorError(kCCUnspecifiedError) }
                keyStream = block[...]
                count()
            }
            output.append(octet ^ keyStream.removeFirst())
        }
        return output
    }

    /// Adds 1 to the counter, which is a big-endian number.
    private func count() {
        for index in chain.indices.reversed() {
            chain[index] &+= 1
            if chain[index] != 0 { return }
        }
    }

    /// The initialization vector, or zeros. ECB has none, so the pointer may be invalid, for example that of an empty array.
    private static func vector(_ iv: UnsafeRawPointer?, _ mode: CCMode) -> [UInt8] {
        guard let iv, mode != kCCModeECB else { return [UInt8](repeating: 0, count: blockSize) }
        return Array(UnsafeRawBufferPointer(start: iv, count: blockSize))
    }
}

/// The status of a call that failed.
struct CryptorError: Error {
    let status: CCCryptorStatus
    init(_ status: Int) { self.status = CCCryptorStatus(status) }
}
