import BLECrypto
import BLESecurity
import BLEWire
import Testing

/// The toolbox against the sample data of the Core Specification.
struct ToolboxTests {
    private let provider = SwiftCryptoProvider()
    // The inputs that the examples of Vol 3, Part H, Appendix D share.
    private let u = UInt256(
        low: 0xeff4_9111_acf4_fddb_cc03_0148_0e35_9de6, high: 0x20b0_03d2_f297_be2c_5e2c_83a7_e9f9_a5b9)
    private let v = UInt256(
        low: 0x59cb_9ac2_f19d_7cfb_6b4f_dd49_f47f_c5fd, high: 0x5518_8b3d_32f6_bb9a_900a_fcfb_eed4_e72a)
    private let x: UInt128 = 0xd5cb_8454_d177_733e_ffff_b2ec_712b_aeab
    private let y: UInt128 = 0xa6e8_e7cc_25a7_5f6e_2165_83f7_ff3d_c4cf
    private let a1 = DeviceAddress(kind: .public, value: 0x5612_3737_bfce)
    private let a2 = DeviceAddress(kind: .public, value: 0xa713_702d_cfc1)
    private let key: UInt128 = 0xec02_34a3_57c8_ad05_3410_10a6_0a39_7d9b

    /// The example of 2.2.3.
    @Test func c1() {
        let value = provider.c1(
            0, random: 0x5783_D521_56AD_6F0E_6388_274E_C670_2EE0, request: 0x0707_1000_0001_01,
            response: 0x0500_0800_0003_02, initiator: DeviceAddress(kind: .random, value: 0xA1A2_A3A4_A5A6),
            responder: DeviceAddress(kind: .public, value: 0xB1B2_B3B4_B5B6))
        #expect(value == 0x1e1e_3fef_8789_88ea_d2a7_4dc5_bef1_3b86)
    }

    /// The example of 2.2.4.
    @Test func s1() {
        let value = provider.s1(
            0, responder: 0x000F_0E0D_0C0B_0A09_1122_3344_5566_7788,
            initiator: 0x0102_0304_0506_0708_99AA_BBCC_DDEE_FF00)
        #expect(value == 0x9a1f_e1f0_e8b0_f49b_5b42_16ae_796d_a062)
    }

    /// Appendix D.2.
    @Test func f4() {
        #expect(provider.f4(u, v, x, 0) == 0xf2c9_16f1_07a9_bd1c_f1ed_a1be_a974_872d)
    }

    /// Appendix D.3.
    @Test func f5() {
        let secret = SharedSecret(
            value: UInt256(
                low: 0x9979_6b13_b4f8_66f1_868d_34f3_73bf_a698, high: 0xec02_34a3_57c8_ad05_3410_10a6_0a39_7d9b))
        let keys = provider.f5(secret, x, y, a1, a2)
        #expect(keys.check.value == 0x2965_f176_a108_4a02_fd3f_6a20_ce63_6e20)
        #expect(keys.longTerm.value == 0x6986_7911_69d7_cd23_9805_22b5_9475_0a38)
    }

    /// Appendix D.4.
    @Test func f6() {
        let value = provider.f6(
            CheckKey(value: 0x2965_f176_a108_4a02_fd3f_6a20_ce63_6e20), x, y,
            0x12a3_343b_b453_bb54_08da_42d2_0c2d_0fc8, features: 0x010102, a1, a2)
        #expect(value == 0xe3c4_7398_9cd0_e8c5_d26c_0b09_da95_8f61)
    }

    /// Appendix D.5.
    @Test func g2() {
        #expect(provider.g2(u, v, x, y) == 0x2f9e_d5ba)
    }

    /// Appendix D.6.
    @Test func h6() {
        #expect(provider.h6(key, identifier: 0x6c65_6272) == 0x2d9a_e102_e76d_c91c_e8d3_a9e2_80b1_6399)
    }

    /// Appendix D.7.
    @Test func ah() {
        #expect(provider.ah(IdentityResolvingKey(value: key), random: 0x708194) == 0x0dfbaa)
    }

    /// Appendix D.8.
    @Test func h7() {
        #expect(provider.h7(salt: 0x746D_7031, key) == 0xfb17_3597_c6a3_c0ec_d299_8c2a_75a5_7011)
    }

    /// Appendix D.9 and D.10: an LTK and its link key, with h7 and with h6.
    @Test func linkKeysFromLongTermKeys() {
        let key = LongTermKey(value: 0x368d_f9bc_e326_4b58_bd06_6c33_334f_bf64)
        #expect(provider.linkKey(from: key, withH7: true).value == 0x287a_d379_dca4_0253_0a39_f1f4_3047_b835)
        #expect(provider.linkKey(from: key, withH7: false).value == 0xbc1c_a4ef_633f_c1bd_0d82_30af_ee38_8fb0)
    }

    /// Appendix D.11 and D.12: a link key and its LTK, with h7 and with h6.
    @Test func longTermKeysFromLinkKeys() {
        let key = ClassicLinkKey(value: 0x0504_0302_0100_0908_0706_0504_0302_0100)
        #expect(provider.longTermKey(from: key, withH7: true).value == 0xe85e_09eb_5ecc_b3e2_6941_8a13_3211_bc79)
        #expect(provider.longTermKey(from: key, withH7: false).value == 0xa813_fb72_f1a3_dfa1_8a2c_9a43_f10d_0a30)
    }
}
