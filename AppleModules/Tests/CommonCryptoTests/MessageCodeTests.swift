import CommonCrypto
import Testing

private func code(_ algorithm: Int, key: [UInt8], _ data: [UInt8], length: Int32) -> String {
    var code = [UInt8](repeating: 0, count: Int(length))
    CCHmac(CCHmacAlgorithm(algorithm), key, key.count, data, data.count, &code)
    return hex(code)
}

@Suite struct MessageCodeTests {
    struct Case: Sendable {
        let key: [UInt8]
        let data: [UInt8]
        /// SHA-224, SHA-256, SHA-384, SHA-512.
        let codes: [String]
    }

    /// RFC 4231, 4.2, 4.3 and 4.7: a short key, one shorter than the digest, and one longer than a block.
    private static let cases = [
        Case(
            key: [UInt8](repeating: 0x0B, count: 20), data: Array("Hi There".utf8),
            codes: [
                "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22",
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
                "afd03944d84895626b0825f4ab46907f15f9dadbe4101ec682aa034c7cebc59cfaea9ea9076ede7f4af152e8b2fa9cb6",
                "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
                    + "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
            ]),
        Case(
            key: Array("Jefe".utf8), data: Array("what do ya want for nothing?".utf8),
            codes: [
                "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                "af45d2e376484031617f78d2b58a6b1b9c7ef464f5a01b47e42ec3736322445e8e2240ca5e69e2c78b3239ecfab21649",
                "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
                    + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
            ]),
        Case(
            key: [UInt8](repeating: 0xAA, count: 131),
            data: Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8),
            codes: [
                "95e9a0db962095adaebe9b2d6f0dbce2d499f112f2d2b7273fa6870e",
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
                "4ece084485813e9088d2c63a041bc5b44f9ef1012a2b588f3cd11f05033ac4c60c2ef6ab4030fe8296248df163f44952",
                "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
                    + "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
            ]),
    ]

    @Test(arguments: cases) func codesAreThoseOfRFC4231(example: Case) {
        let algorithms: [(Int, Int32)] = [
            (kCCHmacAlgSHA224, CC_SHA224_DIGEST_LENGTH), (kCCHmacAlgSHA256, CC_SHA256_DIGEST_LENGTH),
            (kCCHmacAlgSHA384, CC_SHA384_DIGEST_LENGTH), (kCCHmacAlgSHA512, CC_SHA512_DIGEST_LENGTH),
        ]
        #expect(algorithms.map { code($0, key: example.key, example.data, length: $1) } == example.codes)
    }

    @Test func codesAreThoseOfRFC2202() {
        let (key, data) = (Array("Jefe".utf8), Array("what do ya want for nothing?".utf8))
        #expect(
            code(kCCHmacAlgMD5, key: key, data, length: CC_MD5_DIGEST_LENGTH) == "750c783e6ab0b503eaa86e310a5db738")
        #expect(
            code(kCCHmacAlgSHA1, key: key, data, length: CC_SHA1_DIGEST_LENGTH)
                == "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79")
    }

    @Test func partsHaveTheCodeOfTheWhole() {
        let data = Array("what do ya want for nothing?".utf8)
        var context = CCHmacContext()
        CCHmacInit(&context, CCHmacAlgorithm(kCCHmacAlgSHA256), "Jefe", 4)
        CCHmacUpdate(&context, Array(data[..<5]), 5)
        CCHmacUpdate(&context, nil, 0)
        CCHmacUpdate(&context, Array(data[5...]), data.count - 5)
        var code = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
        CCHmacFinal(&context, &code)
        #expect(hex(code) == Self.cases[1].codes[1])
    }

    @Test func withoutAKeyAndDataThereIsACode() {
        var code = [UInt8](repeating: 0, count: Int(CC_SHA256_DIGEST_LENGTH))
        CCHmac(CCHmacAlgorithm(kCCHmacAlgSHA256), nil, 0, nil, 0, &code)
        #expect(hex(code) == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
    }

    @Test func anUnknownAlgorithmEndsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            var code = [UInt8](repeating: 0, count: 64)
            CCHmac(6, nil, 0, nil, 0, &code)
        }
    }
}

@Suite struct KeyDerivationTests {
    private func key(
        _ password: String, _ salt: String, _ function: Int, rounds: UInt32, length: Int
    ) -> (Int32, String) {
        var key = [UInt8](repeating: 0, count: length)
        let status = CCKeyDerivationPBKDF(
            CCPBKDFAlgorithm(kCCPBKDF2), password, password.utf8.count, Array(salt.utf8), salt.utf8.count,
            CCPseudoRandomAlgorithm(function), rounds, &key, key.count)
        return (status, hex(key))
    }

    /// RFC 6070, 2, without the case that takes minutes.
    @Test(arguments: [
        ("password", "salt", 1, 20, "0c60c80f961f0e71f3a9b524af6012062fe037a6"),
        ("password", "salt", 2, 20, "ea6c014dc72d6f8ccd1ed92ace1d41f0d8de8957"),
        ("password", "salt", 4096, 20, "4b007901b765489abead49d926f721d065a429c1"),
        (
            "passwordPASSWORDpassword", "saltSALTsaltSALTsaltSALTsaltSALTsalt", 4096, 25,
            "3d2eec4fe41c849b80c8d83662c0e44a8b291a964cf2f07038"
        ),
    ])
    func keysAreThoseOfRFC6070(password: String, salt: String, rounds: UInt32, length: Int, expected: String) {
        #expect(key(password, salt, kCCPRFHmacAlgSHA1, rounds: rounds, length: length) == (0, expected))
    }

    /// The last case of RFC 6070. Its text would end the line of an argument in the output of a test.
    @Test func aPasswordMayContainZeros() {
        #expect(
            key("pass\0word", "sa\0lt", kCCPRFHmacAlgSHA1, rounds: 4096, length: 16)
                == (0, "56fa6aa75548099dcc37d7f03425e0c3"))
    }

    /// RFC 7914, 11, and for the others Python's hashlib.
    @Test func theOtherDigestsHaveTheirKeys() {
        #expect(
            key("passwd", "salt", kCCPRFHmacAlgSHA256, rounds: 1, length: 64).1
                == "55ac046e56e3089fec1691c22544b605f94185216dde0465e68b9d57c20dacbc"
                + "49ca9cccf179b645991664b39d77ef317c71b845b1e30bd509112041d3a19783")
        #expect(key("a", "b", kCCPRFHmacAlgSHA224, rounds: 3, length: 5).1 == "37c2859082")
        #expect(key("a", "b", kCCPRFHmacAlgSHA384, rounds: 3, length: 5).1 == "f0084c9112")
        #expect(key("a", "b", kCCPRFHmacAlgSHA512, rounds: 3, length: 5).1 == "1d0931b937")
        #expect(key("", "", kCCPRFHmacAlgSHA256, rounds: 2, length: 5).1 == "97398411d6")
    }

    @Test func impossibleParametersAreRefused() {
        let refused = Int32(kCCParamError)
        #expect(key("a", "b", kCCPRFHmacAlgSHA1, rounds: 0, length: 1).0 == refused)
        #expect(key("a", "b", 0, rounds: 1, length: 1).0 == refused)
        #expect(key("a", "b", 6, rounds: 1, length: 1).0 == refused)
        #expect(key("a", "b", kCCPRFHmacAlgSHA1, rounds: 1, length: 0).0 == refused)
        var key: UInt8 = 0
        let function = CCPseudoRandomAlgorithm(kCCPRFHmacAlgSHA1)
        let algorithm = CCPBKDFAlgorithm(kCCPBKDF2)
        #expect(CCKeyDerivationPBKDF(1, "a", 1, [1], 1, function, 1, &key, 1) == refused)
        #expect(CCKeyDerivationPBKDF(algorithm, nil, 1, [1], 1, function, 1, &key, 1) == refused)
        #expect(CCKeyDerivationPBKDF(algorithm, "a", 1, nil, 1, function, 1, &key, 1) == refused)
        #expect(CCKeyDerivationPBKDF(algorithm, "a", 1, [1], 1, function, 1, nil, 1) == refused)
    }
}
