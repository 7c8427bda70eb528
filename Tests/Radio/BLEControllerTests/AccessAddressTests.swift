import BLEWire
import Testing

@testable import BLEController

/// The rules for access addresses (Vol 6, Part B, 2.1.2), each with addresses at its limit and beside it that keep all other rules.
struct AccessAddressTests {
    private struct Row {
        var rule: String
        var allowed: [UInt32]
        var refused: [UInt32]
    }

    private let rows = [
        Row(
            rule: "at most 24 transitions", allowed: [0xA953_6B15, 0x5AAB_3AAC, 0x55AB_4E94],
            refused: [0xAA95_3A56, 0xAAAA_65A4, 0xAAD6_D45A]),
        Row(
            rule: "at most six equal bits in a row",
            allowed: [0xF40D_9829, 0xF7ED_DF51, 0x2C09_926A, 0x789F_25BF, 0xD424_31BF],
            refused: [0x67F6_EAD6, 0x7033_D01D, 0x4FEE_C135, 0x9212_3E7F, 0xDCD8_087F]),
        Row(
            rule: "at least two transitions in the six most significant bits",
            allowed: [0xEDA1_6B2F, 0x7A12_860E, 0x10F8_36F1], refused: [0x3D04_7879, 0xF2AB_6E3F, 0x3ED1_98E9]),
        Row(
            rule: "not four equal octets", allowed: [0x5858_5859, 0x9898_9998],
            refused: [0x5858_5858, 0x9898_9898, 0x8989_8989]),
        Row(
            rule: "not the advertising access address, nor one with a single other bit",
            allowed: [0x8E89_BED5, 0x8E89_BED3, 0x8E89_BEDF],
            refused: [0x8E89_BED6, 0x8E89_BED7, 0x8E89_BE56, 0x8E8B_BED6, 0xCE89_BED6]),
    ]

    /// The two rules of a device that supports the Coded PHY.
    private let codedRows = [
        Row(
            rule: "at least three ones in the eight least significant bits",
            allowed: [0x349A_E3A2, 0x0820_B40B, 0x2C1D_71A8], refused: [0xBB38_3509, 0xB19A_6188, 0x642D_C724]),
        Row(
            rule: "at most eleven transitions in the 16 least significant bits",
            allowed: [0x0B0C_4895, 0xD3C0_A74A, 0x124D_54D1], refused: [0xE74F_D2AB, 0x98FC_6A54, 0xEFAA_A951]),
    ]

    @Test(arguments: [false, true]) func eachRuleHasItsLimit(isCoded: Bool) {
        for row in rows {
            for address in row.allowed {
                #expect(AccessAddress.isAllowed(address, isCoded: isCoded), "\(row.rule): \(address)")
            }
            for address in row.refused {
                #expect(!AccessAddress.isAllowed(address, isCoded: isCoded), "\(row.rule): \(address)")
            }
        }
    }

    @Test func theCodedPHYHasTwoMoreRules() {
        for row in codedRows {
            for address in row.allowed {
                #expect(AccessAddress.isAllowed(address, isCoded: true), "\(row.rule): \(address)")
            }
            for address in row.refused {
                #expect(!AccessAddress.isAllowed(address, isCoded: true), "\(row.rule): \(address)")
                #expect(AccessAddress.isAllowed(address, isCoded: false), "\(row.rule): \(address)")
            }
        }
    }

    /// The rules again, from the bits as a text.
    private func keepsTheRules(_ address: UInt32) -> Bool {
        let digits = String(address, radix: 2)
        let bits = Array(String(repeating: "0", count: 32 - digits.count) + digits)
        func transitions(_ bits: ArraySlice<Character>) -> Int { zip(bits, bits.dropFirst()).count { $0 != $1 } }
        let text = String(bits)
        return !text.contains("0000000") && !text.contains("1111111") && transitions(bits[...]) <= 24
            && transitions(bits.prefix(6)) >= 2 && transitions(bits.suffix(16)) <= 11
            && bits.suffix(8).count { $0 == "1" } >= 3
            && Set([bits[0..<8], bits[8..<16], bits[16..<24], bits[24..<32]].map(Array.init)).count > 1
    }

    /// Somewhat more than half of all addresses keep the rules.
    @Test func randomAddressesAreAsAllowed() {
        var random = SeededRandom(seed: 12)
        var allowed = 0
        for _ in 0..<4_000 {
            let address = UInt32(truncatingIfNeeded: random.next())
            #expect(AccessAddress.isAllowed(address, isCoded: true) == keepsTheRules(address), "\(address)")
            if keepsTheRules(address) { allowed += 1 }
        }
        #expect((2_000...2_600).contains(allowed))
    }

    /// Each link of a device has its own address, drawn for it.
    @Test(arguments: [true, false]) func linksHaveDifferentAllowedAddresses(supportsCoded: Bool) throws {
        let bench = Bench(seed: 3)
        let central = bench.addHost { $0.supportsCoded = supportsCoded }
        for _ in 0..<12 { _ = try #require(bench.connect(central, bench.addHost(), interval: 80)) }
        let addresses = bench.radio.links(of: central.identifier).map(\.accessAddress)
        #expect(addresses.count == 12 && Set(addresses).count == 12)
        #expect(addresses.allSatisfy { AccessAddress.isAllowed($0, isCoded: supportsCoded) })
    }

    /// An address of another link of the device is drawn again.
    @Test func anAddressInUseIsNotDrawn() {
        var (random, again) = (SeededRandom(seed: 5), SeededRandom(seed: 5))
        let first = AccessAddress.random(isCoded: true, besides: [], using: &random)
        let second = AccessAddress.random(isCoded: true, besides: [first], using: &again)
        #expect(second != first)
        #expect(AccessAddress.isAllowed(second, isCoded: true))
    }
}
