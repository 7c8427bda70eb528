import CommonCrypto
import Testing

/// An example of NIST SP 800-38A, F.
struct CipherExample: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let mode: Int
    let key: String
    let iv: String
    let ciphertext: String

    static let plaintext = octets(
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51"
            + "30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710")

    private static let keys = [
        "2b7e151628aed2a6abf7158809cf4f3c", "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
    ]

    private static func examples(_ name: String, _ mode: Int, iv: String, _ ciphertexts: [String]) -> [CipherExample] {
        zip(keys, ciphertexts).map { key, ciphertext in
            CipherExample(
                testDescription: "\(name)-AES\(key.count * 4)", mode: mode, key: key, iv: iv, ciphertext: ciphertext)
        }
    }

    static let all =
        examples(
            "ECB", kCCModeECB, iv: "",
            [
                "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf"
                    + "43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4",
                "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef"
                    + "ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e",
                "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870"
                    + "b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7",
            ])
        + examples(
            "CBC", kCCModeCBC, iv: "000102030405060708090a0b0c0d0e0f",
            [
                "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2"
                    + "73bed6b8e3c1743b7116e69e222295163ff1caa1681fac09120eca307586e1a7",
                "4f021db243bc633d7178183a9fa071e8b4d9ada9ad7dedf4e5e738763f69145a"
                    + "571b242012fb7ae07fa9baac3df102e008b0e27988598881d920a9e64f5615cd",
                "f58c4c04d6e5f1ba779eabfb5f7bfbd69cfc4e967edb808d679f777bc6702c7d"
                    + "39f23369a9d9bacfa530e26304231461b2eb05e2c39be9fcda6c19078c6a9d1b",
            ])
        + examples(
            "CTR", kCCModeCTR, iv: "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
            [
                "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff"
                    + "5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
                "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94"
                    + "1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
                "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5"
                    + "2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
            ])
}

/// `CCCrypt` with a buffer of a size.
private func crypt(
    _ operation: Int, _ options: Int, key: [UInt8], iv: [UInt8]? = nil, _ data: [UInt8], room: Int? = nil
) -> (status: Int, output: [UInt8], moved: Int) {
    var output = [UInt8](repeating: 0, count: room ?? data.count + kCCBlockSizeAES128)
    var moved = 0
    let status = CCCrypt(
        CCOperation(operation), CCAlgorithm(kCCAlgorithmAES), CCOptions(options), key, key.count, iv, data, data.count,
        &output, output.count, &moved)
    return (Int(status), Array(output.prefix(moved)), moved)
}

/// A cryptor that ends with its owner.
private final class Handle {
    let cryptor: CCCryptorRef

    init(_ operation: Int, _ mode: Int, pads: Bool, key: [UInt8], iv: [UInt8]) throws {
        var reference: CCCryptorRef?
        let status = CCCryptorCreateWithMode(
            CCOperation(operation), CCMode(mode), CCAlgorithm(kCCAlgorithmAES),
            CCPadding(pads ? ccPKCS7Padding : ccNoPadding), iv.isEmpty ? nil : iv, key, key.count, nil, 0, 0, 0,
            &reference)
        try #require(status == kCCSuccess)
        cryptor = try #require(reference)
    }
    deinit { CCCryptorRelease(cryptor) }

    func update(_ data: some Collection<UInt8>) -> [UInt8] {
        var output = [UInt8](repeating: 0, count: CCCryptorGetOutputLength(cryptor, data.count, false))
        var moved = 0
        #expect(CCCryptorUpdate(cryptor, Array(data), data.count, &output, output.count, &moved) == kCCSuccess)
        return Array(output.prefix(moved))
    }
    func final(room: Int = 16) -> (status: Int, output: [UInt8], moved: Int) {
        var (output, moved) = ([UInt8](repeating: 0, count: room), 0)
        let status = CCCryptorFinal(cryptor, &output, room, &moved)
        return (Int(status), Array(output.prefix(moved)), moved)
    }
}

@Suite struct CryptorTests {
    private static let key = octets("2b7e151628aed2a6abf7158809cf4f3c")

    @Test(arguments: CipherExample.all) func modesAreThoseOfTheirStandard(example: CipherExample) throws {
        let (key, iv, ciphertext) = (octets(example.key), octets(example.iv), octets(example.ciphertext))
        for part in [1, 15, 16, 17, 64] {
            for (operation, input, expected) in [
                (kCCEncrypt, CipherExample.plaintext, ciphertext), (kCCDecrypt, ciphertext, CipherExample.plaintext),
            ] {
                let handle = try Handle(operation, example.mode, pads: false, key: key, iv: iv)
                // The second time, after a reset.
                for _ in 0..<2 {
                    var output: [UInt8] = []
                    for start in stride(from: 0, to: input.count, by: part) {
                        output += handle.update(input[start...].prefix(part))
                    }
                    #expect(output == expected)
                    #expect(handle.final().moved == 0)
                    #expect(CCCryptorReset(handle.cryptor, iv.isEmpty ? nil : iv) == kCCSuccess)
                }
            }
        }
        // CCCrypt has the other two modes.
        for options in [kCCModeECB: [kCCOptionECBMode], kCCModeCBC: [0]][example.mode] ?? [] {
            #expect(crypt(kCCEncrypt, options, key: key, iv: iv, CipherExample.plaintext).output == ciphertext)
            #expect(crypt(kCCDecrypt, options, key: key, iv: iv, ciphertext).output == CipherExample.plaintext)
        }
    }

    /// The end of a message, with the padding of every length.
    @Test(arguments: [kCCOptionPKCS7Padding, kCCOptionPKCS7Padding | kCCOptionECBMode])
    func aMessageOfAnyLengthComesBack(options: Int) throws {
        let mode = options & kCCOptionECBMode == 0 ? kCCModeCBC : kCCModeECB
        for length in 0...33 {
            let message = (0..<length).map { UInt8($0) }
            let encrypted = crypt(kCCEncrypt, options, key: Self.key, message)
            #expect(encrypted.status == kCCSuccess && encrypted.moved == (length / 16 + 1) * 16)
            let decrypted = crypt(kCCDecrypt, options, key: Self.key, encrypted.output)
            #expect(decrypted.status == kCCSuccess && decrypted.output == message)

            let handle = try Handle(kCCDecrypt, mode, pads: true, key: Self.key, iv: [])
            let start = encrypted.output.flatMap { handle.update([$0]) }
            #expect(start.count == length / 16 * 16)
            let rest = handle.final()
            #expect(rest.status == kCCSuccess && start + rest.output == message)
        }
    }

    /// "abc" with the padding 0D in 13 octets, by OpenSSL.
    @Test func theDefaultIsCBCWithAVectorOfZeros() {
        #expect(
            hex(crypt(kCCEncrypt, kCCOptionPKCS7Padding, key: Self.key, Array("abc".utf8)).output)
                == "0da7d34a2c0c32bd408e96dbd66f3ffe")
    }

    /// A read from this address ends the program.
    @Test func theCodebookDoesNotReadTheVector() throws {
        let invalid = try #require(UnsafeRawPointer(bitPattern: 1))
        let (aes, options) = (CCAlgorithm(kCCAlgorithmAES), CCOptions(kCCOptionECBMode))
        var output = [UInt8](repeating: 0, count: 64)
        let status = CCCrypt(
            CCOperation(kCCEncrypt), aes, options, Self.key, 16, invalid, CipherExample.plaintext, 64, &output, 64, nil)
        #expect(status == kCCSuccess && hex(output) == CipherExample.all[0].ciphertext)
        var reference: CCCryptorRef?
        #expect(CCCryptorCreate(CCOperation(kCCEncrypt), aes, options, Self.key, 16, invalid, &reference) == kCCSuccess)
        #expect(CCCryptorReset(reference, invalid) == kCCSuccess)
        CCCryptorRelease(reference)
    }

    @Test func dataCanBeEncryptedInItsPlace() {
        var data = CipherExample.plaintext
        var moved = 0
        let status = data.withUnsafeMutableBytes { bytes in
            CCCrypt(
                CCOperation(kCCEncrypt), CCAlgorithm(kCCAlgorithmAES128), CCOptions(kCCOptionECBMode), Self.key, 16,
                nil, bytes.baseAddress, bytes.count, bytes.baseAddress, bytes.count, &moved)
        }
        #expect(status == kCCSuccess && hex(data) == CipherExample.all[0].ciphertext)
    }

    @Test func aBufferThatIsTooSmallCanBeReplaced() throws {
        let options = kCCOptionPKCS7Padding
        #expect(crypt(kCCEncrypt, options, key: Self.key, [1], room: 15).status == kCCBufferTooSmall)
        #expect(crypt(kCCEncrypt, options, key: Self.key, [1], room: 15).moved == 16)

        let handle = try Handle(kCCEncrypt, kCCModeCBC, pads: true, key: Self.key, iv: [])
        let message = Array(CipherExample.plaintext.prefix(40))
        var (output, moved) = ([UInt8](repeating: 0, count: 32), 0)
        #expect(CCCryptorUpdate(handle.cryptor, message, 40, &output, 31, &moved) == kCCBufferTooSmall && moved == 32)
        #expect(CCCryptorUpdate(handle.cryptor, message, 40, &output, 32, &moved) == kCCSuccess && moved == 32)
        let refused = handle.final(room: 15)
        #expect(refused.status == kCCBufferTooSmall && refused.moved == 16)
        #expect(output + handle.final().output == crypt(kCCEncrypt, options, key: Self.key, message).output)
    }

    @Test func lengthsOfOutputsAreKnownBefore() throws {
        let padded = try Handle(kCCEncrypt, kCCModeCBC, pads: true, key: Self.key, iv: [])
        #expect(CCCryptorGetOutputLength(padded.cryptor, 15, false) == 0)
        #expect(CCCryptorGetOutputLength(padded.cryptor, 15, true) == 16)
        #expect(CCCryptorGetOutputLength(padded.cryptor, 16, true) == 32)
        #expect(padded.update([1, 2, 3]).isEmpty)
        #expect(CCCryptorGetOutputLength(padded.cryptor, 13, false) == 16)
        #expect(CCCryptorGetOutputLength(padded.cryptor, .max, true) == 0)
        let stream = try Handle(kCCEncrypt, kCCModeCTR, pads: true, key: Self.key, iv: [])
        #expect(CCCryptorGetOutputLength(stream.cryptor, 15, true) == 15)
    }

    @Test func damagedDataIsRefused() {
        let options = kCCOptionPKCS7Padding
        #expect(crypt(kCCDecrypt, options, key: Self.key, []).status == kCCAlignmentError)
        #expect(crypt(kCCDecrypt, options, key: Self.key, [UInt8](repeating: 0, count: 17)).status == kCCAlignmentError)
        #expect(crypt(kCCEncrypt, 0, key: Self.key, [1]).status == kCCAlignmentError)
        // Blocks that end with 0, with 17, and with a 2 after a 1.
        for end: [UInt8] in [[0, 0], [17, 17], [1, 2]] {
            let block = [UInt8](repeating: 9, count: 14) + end
            let encrypted = crypt(kCCEncrypt, 0, key: Self.key, block).output
            #expect(crypt(kCCDecrypt, options, key: Self.key, encrypted).status == kCCDecodeError)
        }
    }

    @Test func impossibleParametersAreRefused() {
        var (output, reference): ([UInt8], CCCryptorRef?) = ([UInt8](repeating: 0, count: 16), nil)
        let aes = CCAlgorithm(kCCAlgorithmAES)
        #expect(crypt(kCCEncrypt, 0, key: [1], []).status == kCCKeySizeError)
        #expect(crypt(2, 0, key: Self.key, []).status == kCCParamError)
        #expect(CCCrypt(0, aes, 0, nil, 16, nil, nil, 0, &output, 16, nil) == kCCParamError)
        #expect(CCCrypt(0, aes, 0, Self.key, 16, nil, nil, 16, &output, 16, nil) == kCCParamError)
        #expect(CCCrypt(0, aes, 0, Self.key, 16, nil, output, 16, nil, 16, nil) == kCCParamError)
        #expect(
            CCCrypt(0, CCAlgorithm(kCCAlgorithmDES), 0, Self.key, 8, nil, nil, 0, &output, 16, nil) == kCCUnimplemented)
        #expect(CCCryptorCreate(0, aes, 0, Self.key, 16, nil, nil) == kCCParamError)
        #expect(
            CCCryptorCreateWithMode(0, CCMode(kCCModeCFB), aes, 0, nil, Self.key, 16, nil, 0, 0, 0, &reference)
                == kCCUnimplemented)
        #expect(reference == nil)
        #expect(CCCryptorUpdate(nil, output, 16, &output, 16, nil) == kCCParamError)
        #expect(CCCryptorFinal(nil, &output, 16, nil) == kCCParamError)
        #expect(CCCryptorRelease(nil) == kCCSuccess)
    }

    @Test func randomOctetsFillTheWholeBuffer() {
        for length in [0, 1, 7, 8, 9, 100] {
            var bytes = [UInt8](repeating: 0, count: length + 1)
            var seen = [UInt8](repeating: 0, count: length + 1)
            // An octet stays 0 sixty-four times with the probability 2^-512.
            for _ in 0..<64 {
                #expect(CCRandomGenerateBytes(&bytes, length) == kCCSuccess)
                for index in seen.indices { seen[index] |= bytes[index] }
            }
            #expect(!seen.dropLast().contains(0))
            #expect(seen.last == 0)
        }
        #expect(CCRandomGenerateBytes(nil, 1) == kCCParamError)
    }
}
