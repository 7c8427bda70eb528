import CommonCrypto
import Testing

/// A digest, by its function for all data at once and by those for parts.
struct DigestAlgorithm: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let length: Int32
    let block: Int32
    let atOnce: @Sendable ([UInt8]) -> String
    let inParts: @Sendable ([ArraySlice<UInt8>]) -> String

    init<Context>(
        _ name: String, _ length: Int32, _ block: Int32, _ empty: Context,
        _ atOnce: @escaping @Sendable (UnsafeRawPointer?, CC_LONG, UnsafeMutablePointer<UInt8>?) -> Void,
        _ start: @escaping @Sendable (UnsafeMutablePointer<Context>?) -> Int32,
        _ add: @escaping @Sendable (UnsafeMutablePointer<Context>?, UnsafeRawPointer?, CC_LONG) -> Int32,
        _ end: @escaping @Sendable (UnsafeMutablePointer<UInt8>?, UnsafeMutablePointer<Context>?) -> Int32
    ) {
        testDescription = name
        (self.length, self.block) = (length, block)
        self.atOnce = { data in
            var digest = [UInt8](repeating: 0, count: Int(length))
            atOnce(data, CC_LONG(data.count), &digest)
            return hex(digest)
        }
        inParts = { parts in
            // As programs do it: the memory is not initialized before `start`.
            let context = UnsafeMutablePointer<Context>.allocate(capacity: 1)
            defer { context.deallocate() }
            #expect(start(context) == 1)
            for part in parts { #expect(add(context, Array(part), CC_LONG(part.count)) == 1) }
            var copy = context.pointee
            var (digest, again) = ([UInt8](repeating: 0, count: Int(length)), [UInt8](repeating: 0, count: Int(length)))
            #expect(end(&digest, context) == 1 && end(&again, &copy) == 1)
            #expect(digest == again, "a copy of a context has the same digest")
            return hex(digest)
        }
    }

    static let md5 = DigestAlgorithm(
        "MD5", CC_MD5_DIGEST_LENGTH, CC_MD5_BLOCK_BYTES, CC_MD5_CTX(), { CC_MD5($0, $1, $2) }, { CC_MD5_Init($0) },
        { CC_MD5_Update($0, $1, $2) }, { CC_MD5_Final($0, $1) })
    static let sha1 = DigestAlgorithm(
        "SHA-1", CC_SHA1_DIGEST_LENGTH, CC_SHA1_BLOCK_BYTES, CC_SHA1_CTX(), { CC_SHA1($0, $1, $2) },
        { CC_SHA1_Init($0) }, { CC_SHA1_Update($0, $1, $2) }, { CC_SHA1_Final($0, $1) })
    static let sha224 = DigestAlgorithm(
        "SHA-224", CC_SHA224_DIGEST_LENGTH, CC_SHA224_BLOCK_BYTES, CC_SHA256_CTX(), { CC_SHA224($0, $1, $2) },
        { CC_SHA224_Init($0) }, { CC_SHA224_Update($0, $1, $2) }, { CC_SHA224_Final($0, $1) })
    static let sha256 = DigestAlgorithm(
        "SHA-256", CC_SHA256_DIGEST_LENGTH, CC_SHA256_BLOCK_BYTES, CC_SHA256_CTX(), { CC_SHA256($0, $1, $2) },
        { CC_SHA256_Init($0) }, { CC_SHA256_Update($0, $1, $2) }, { CC_SHA256_Final($0, $1) })
    static let sha384 = DigestAlgorithm(
        "SHA-384", CC_SHA384_DIGEST_LENGTH, CC_SHA384_BLOCK_BYTES, CC_SHA512_CTX(), { CC_SHA384($0, $1, $2) },
        { CC_SHA384_Init($0) }, { CC_SHA384_Update($0, $1, $2) }, { CC_SHA384_Final($0, $1) })
    static let sha512 = DigestAlgorithm(
        "SHA-512", CC_SHA512_DIGEST_LENGTH, CC_SHA512_BLOCK_BYTES, CC_SHA512_CTX(), { CC_SHA512($0, $1, $2) },
        { CC_SHA512_Init($0) }, { CC_SHA512_Update($0, $1, $2) }, { CC_SHA512_Final($0, $1) })
    static let all = [md5, sha1, sha224, sha256, sha384, sha512]
}

@Suite struct DigestTests {
    /// RFC 1321, A.5, and the examples of FIPS 180-4: "abc", and the empty message.
    private static let vectors: [(DigestAlgorithm, abc: String, empty: String)] = [
        (.md5, "900150983cd24fb0d6963f7d28e17f72", "d41d8cd98f00b204e9800998ecf8427e"),
        (.sha1, "a9993e364706816aba3e25717850c26c9cd0d89d", "da39a3ee5e6b4b0d3255bfef95601890afd80709"),
        (
            .sha224, "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7",
            "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f"
        ),
        (
            .sha256, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
        ),
        (
            .sha384,
            "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed8086072ba1e7cc2358baeca134c825a7",
            "38b060a751ac96384cd9327eb1b1e36a21fdb71114be07434c0cc7bf63f6e1da274edebfe76f65fbd51ad2f14898b95b"
        ),
        (
            .sha512,
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
                + "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            "cf83e1357eefb8bdf1542850d66d8007d620e4050b5715dc83f4a921d36ce9ce"
                + "47d0d13c5d85f2b0ff8318d2877eec2f63b931bd47417a81a538327af927da3e"
        ),
    ]

    @Test(arguments: vectors) func aDigestIsThatOfItsStandard(vector: (DigestAlgorithm, abc: String, empty: String)) {
        #expect(vector.0.atOnce(Array("abc".utf8)) == vector.abc)
        #expect(vector.0.atOnce([]) == vector.empty)
        #expect(vector.0.inParts([]) == vector.empty)
    }

    /// The long examples of FIPS 180-4, and the same message for the others (computed with OpenSSL).
    @Test(
        arguments: zip(
            DigestAlgorithm.all,
            [
                "7707d6ae4e027c70eea2a935c2296f21", "34aa973cd4c4daa4f61eeb2bdbad27316534016f",
                "20794655980c91d8bbb4c1ea97618a4bf03f42581948b2ee4ee7ad67",
                "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0",
                "9d0e1809716474cb086e834e310a4a1ced149e9c00f248527972cec5704c2a5b"
                    + "07b8b3dc38ecc4ebae97ddd87f3d8985",
                "e718483d0ce769644e2e42c7bc15b4638e1f98b13b2044285632a803afa973eb"
                    + "de0ff244877ea60a4cb0432ce577c31beb009c5c2c49aa2e4eadb217ad8cc09b",
            ]))
    func aMillionOctetsInUnevenParts(algorithm: DigestAlgorithm, digest: String) {
        let part = [UInt8](repeating: 0x61, count: 1001)[...]
        var (parts, rest) = ([ArraySlice<UInt8>](), 1_000_000)
        while rest > 0 {
            let count = min(rest, 1 + parts.count % 1001)
            parts.append(part.prefix(count))
            rest -= count
        }
        #expect(algorithm.inParts(parts) == digest)
    }

    /// The padding fits the last block, or needs another one: the lengths around that limit, and around a whole block.
    @Test(arguments: DigestAlgorithm.all)
    func allSplitsOfAMessageHaveOneDigest(algorithm: DigestAlgorithm) {
        let block = Int(algorithm.block)
        var digests: Set<String> = []
        for length in (block - block / 8 - 2)...(block + 1) {
            let message = (0..<length).map { UInt8($0) }
            let digest = algorithm.atOnce(message)
            #expect(digest.count == 2 * Int(algorithm.length))
            for split in [0, 1, block / 2, min(block, length), length] {
                #expect(algorithm.inParts([message[..<split], message[split...]]) == digest)
            }
            digests.insert(digest)
        }
        #expect(digests.count == block / 8 + 4)
    }

    @Test func aFunctionReturnsItsBuffer() {
        var digest = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
        digest.withUnsafeMutableBufferPointer { buffer in
            #expect(CC_SHA256([1], 1, buffer.baseAddress) == buffer.baseAddress)
        }
        #expect(CC_SHA256([1], 1, nil) == nil)
    }
}
