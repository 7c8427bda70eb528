import BLECrypto
import BLESecurity
import BLEWire
import Testing

/// The toolbox against a foreign implementation.
struct BumbleTests {
    private let provider = SwiftCryptoProvider()

    private func narrow(_ text: Substring) throws -> UInt128 { try #require(UInt128(text, radix: 16)) }
    private func wide(_ text: Substring) throws -> UInt256 {
        UInt256(low: try narrow(text.suffix(32)), high: try narrow(text.prefix(32)))
    }
    private func address(_ text: Substring) throws -> DeviceAddress {
        DeviceAddress(
            kind: text.hasPrefix("00") ? .public : .random, value: UInt64(truncatingIfNeeded: try narrow(text)))
    }

    @Test func theToolboxAgreesWithBumble() throws {
        var checked: [Substring: Int] = [:]
        for line in bumbleVectors.split(separator: "\n") {
            let words = line.split(separator: " ")
            let (name, a, value) = (words[0], Array(words.dropFirst().dropLast()), try #require(words.last))
            checked[name, default: 0] += 1
            switch name {
            case "c1":
                let result = provider.c1(
                    try narrow(a[0]), random: try narrow(a[1]), request: try narrow(a[2]), response: try narrow(a[3]),
                    initiator: try address(a[4]), responder: try address(a[5]))
                #expect(result == (try narrow(value)))
            case "s1":
                let result = provider.s1(try narrow(a[0]), responder: try narrow(a[1]), initiator: try narrow(a[2]))
                #expect(result == (try narrow(value)))
            case "f4":
                let result = provider.f4(
                    try wide(a[0]), try wide(a[1]), try narrow(a[2]), UInt8(truncatingIfNeeded: try narrow(a[3])))
                #expect(result == (try narrow(value)))
            case "g2":
                let result = provider.g2(try wide(a[0]), try wide(a[1]), try narrow(a[2]), try narrow(a[3]))
                #expect(UInt128(result) == (try narrow(value)))
            case "f5":
                let result = provider.f5(
                    SharedSecret(value: try wide(a[0])), try narrow(a[1]), try narrow(a[2]), try address(a[3]),
                    try address(a[4]))
                let keys = try wide(value)
                #expect(result.check.value == keys.high && result.longTerm.value == keys.low)
            case "f6":
                let result = provider.f6(
                    CheckKey(value: try narrow(a[0])), try narrow(a[1]), try narrow(a[2]), try narrow(a[3]),
                    features: UInt32(truncatingIfNeeded: try narrow(a[4])), try address(a[5]), try address(a[6]))
                #expect(result == (try narrow(value)))
            case "h6":
                let result = provider.h6(
                    try narrow(a[0]), identifier: UInt32(truncatingIfNeeded: try narrow(a[1])))
                #expect(result == (try narrow(value)))
            case "h7":
                #expect(provider.h7(salt: try narrow(a[0]), try narrow(a[1])) == (try narrow(value)))
            case "ah":
                let result = provider.ah(
                    IdentityResolvingKey(value: try narrow(a[0])), random: UInt32(truncatingIfNeeded: try narrow(a[1])))
                #expect(UInt128(result) == (try narrow(value)))
            default: Issue.record("no function is called \(name)")
            }
        }
        #expect(checked.count == 9 && checked.values.allSatisfy { $0 == 12 })
    }
}
