import BLEWire
import Testing

struct SecretTests {
    /// The decimal and hexadecimal digits that a leak would show.
    private let value: UInt128 = 0x1234_5678_9ABC_DEF0_1234_5678_9ABC_DEF0

    private func everyText(of subject: some Any) -> String {
        var text = "\(subject)" + String(reflecting: subject)
        dump(subject, to: &text)
        return text
    }

    private func leaks(_ text: String) -> Bool {
        let text = text.lowercased()
        return text.contains("12345678") || text.contains("123456789abcdef0") || text.contains(String(value))
            || text.contains(String(UInt64(0x1234_5678_9ABC_DEF0)))
    }

    @Test func noDescriptionOfAKeyShowsItsOctets() {
        let wide = UInt256(low: value, high: value)
        #expect(!leaks(everyText(of: LongTermKey(value: value))))
        #expect(!leaks(everyText(of: IdentityResolvingKey(value: value))))
        #expect(!leaks(everyText(of: SignatureKey(value: value))))
        #expect(!leaks(everyText(of: ClassicLinkKey(value: value))))
        #expect(!leaks(everyText(of: SharedSecret(value: wide))))
        #expect(!leaks(everyText(of: P256PrivateKey(scalar: wide))))
        #expect(
            !leaks(everyText(of: P256KeyPair(privateKey: .init(scalar: wide), publicKey: .debug))))
        #expect(!leaks(everyText(of: SMP.Packet.encryptionInformation(.init(key: LongTermKey(value: value))))))
        #expect(!leaks(everyText(of: [SMP.IdentityInformation(key: IdentityResolvingKey(value: value))])))
        #expect(leaks(everyText(of: wide)), "the check finds what a number shows")
    }

    /// The example of Vol 3, Part H, 2.3.4.
    @Test func aKeyIsShortenedToSevenOctets() {
        let key = LongTermKey(value: 0x1234_5678_9ABC_DEF0_1234_5678_9ABC_DEF0)
        #expect(key.shortened(to: 7).value == 0x0034_5678_9ABC_DEF0)
        #expect(key.shortened(to: 16) == key)
    }

    @Test func levelsFollowFromTheKeys() {
        func security(_ size: UInt8, _ authenticated: Bool, _ secure: Bool) -> LinkSecurity {
            LinkSecurity(keySize: size, isAuthenticated: authenticated, isSecureConnections: secure, isBonded: true)
        }
        #expect(LinkSecurity.none.level == .none)
        #expect(security(16, false, true).level == .unauthenticated)
        #expect(security(16, true, false).level == .authenticated)
        #expect(security(16, true, true).level == .secureConnections)
        #expect(security(15, true, true).level == .authenticated)
        #expect(security(16, false, true).isWeaker(than: security(16, true, false)))
        #expect(security(7, true, true).isWeaker(than: security(16, true, true)))
        #expect(!security(16, true, true).isWeaker(than: security(16, true, true)))
        #expect(!security(16, true, true).isWeaker(than: .none))
    }

    @Test func aWideNumberIsBigEndian() {
        let octets = [UInt8](0..<32)
        let number = UInt256(bigEndian: octets.span)
        #expect(number.high == 0x0001_0203_0405_0607_0809_0A0B_0C0D_0E0F)
        #expect((0..<32).map { number.bigEndianOctet($0) } == octets)
        #expect(P256PrivateKey.debug.scalar.bigEndianOctet(31) == 0xBD)
    }
}
