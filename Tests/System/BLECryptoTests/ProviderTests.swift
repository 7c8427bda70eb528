import BLECrypto
import BLEWire
import Testing

struct ProviderTests {
    private let provider = SwiftCryptoProvider()

    private func octets(_ text: String) -> [UInt8] {
        let digits = text.filter { !$0.isWhitespace }.compactMap(\.hexDigitValue)
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }

    /// FIPS 197, appendix B.
    @Test func aBlockIsEncrypted() {
        #expect(
            provider.encrypt(
                0x3243_F6A8_885A_308D_3131_98A2_E037_0734, key: 0x2B7E_1516_28AE_D2A6_ABF7_1588_09CF_4F3C)
                == 0x3925_841D_02DC_09FB_DC11_8597_196A_0B32)
    }

    static let codes: [(length: Int, code: UInt128)] = [
        (0, 0xBB1D_6929_E959_3728_7FA3_7D12_9B75_6746), (16, 0x070A_16B4_6B4D_4144_F79B_DD9D_D04A_287C),
        (40, 0xDFA6_6747_DE9A_E630_30CA_3261_1497_C827), (64, 0x51F0_BEBF_7E3B_9D92_FC49_7417_7936_3CFE),
    ]

    /// The four examples of RFC 4493, 4, which Vol 3, Part H, D.1 repeats.
    @Test(arguments: codes) func messagesAreAuthenticated(length: Int, code: UInt128) {
        let message = octets(
            """
            6bc1bee2 2e409f96 e93d7e11 7393172a ae2d8a57 1e03ac9c 9eb76fac 45af8e51
            30c81c46 a35ce411 e5fbc119 1a0a52ef f69f2445 df4f9b17 ad2b417b e66c3710
            """)
        #expect(
            provider.authenticationCode(
                of: message.span.extracting(first: length), key: 0x2B7E_1516_28AE_D2A6_ABF7_1588_09CF_4F3C) == code)
    }

    private func number(_ text: String) -> UInt256 { UInt256(bigEndian: octets(text).span) }

    /// P-256 data set 1 (Vol 2, Part G, 7.1.2.1), whose first key is the debug key.
    @Test func theDHKeyMatchesTheSpecification() throws {
        let a = try #require(provider.keyPair(.debug))
        #expect(a.publicKey == .debug)
        let b = try #require(
            provider.keyPair(
                P256PrivateKey(
                    scalar: number("55188b3d32f6bb9a900afcfbeed4e72a59cb9ac2f19d7cfb6b4fdd49f47fc5fd"))))
        #expect(b.publicKey.x == number("1ea1f0f01faf1d9609592284f19e4c0047b58afd8615a69f559077b22faaa190"))
        #expect(b.publicKey.y == number("4c55f33e429dad377356703a9ab85160472d1130e28e36765f89aff915b1214a"))
        let secret = number("ec0234a357c8ad05341010a60a397d9b99796b13b4f866f1868d34f373bfa698")
        #expect(try provider.sharedSecret(a.privateKey, with: b.publicKey).value == secret)
        #expect(try provider.sharedSecret(b.privateKey, with: a.publicKey).value == secret)
    }

    @Test func pointsOffTheCurveAreRefused() {
        var wrong = P256PublicKey.debug
        wrong.y.low ^= 1
        let zero = P256PublicKey(x: UInt256(low: 0, high: 0), y: UInt256(low: 0, high: 0))
        let fixed = P256PublicKey(x: P256PublicKey.debug.x, y: UInt256(low: 0, high: 0))
        let huge = P256PublicKey(x: UInt256(low: .max, high: .max), y: P256PublicKey.debug.y)
        for point in [wrong, zero, fixed, huge] {
            #expect(throws: CryptoError.invalidPublicKey) { _ = try provider.sharedSecret(.debug, with: point) }
        }
    }

    @Test func scalarsOutOfRangeMakeNoKeyPair() {
        #expect(provider.keyPair(P256PrivateKey(scalar: UInt256(low: 0, high: 0))) == nil)
        #expect(provider.keyPair(P256PrivateKey(scalar: UInt256(low: .max, high: .max))) == nil)
    }

    @Test func aSeededProviderIsReproducible() throws {
        var first = SwiftCryptoProvider(generator: SeededRandom(seed: 7))
        var second = SwiftCryptoProvider(generator: SeededRandom(seed: 7))
        let (zero, again) = (first.random(), second.random())
        #expect(zero == again)
        let (one, two) = (first.makeKeyPair(), second.makeKeyPair())
        #expect(try #require(one).publicKey == #require(two).publicKey)
        let (three, four) = (first.random(), first.random())
        #expect(three != four)
    }
}
