import BLEWire
import Foundation
import Testing

@testable import CloudGateway

@Suite struct JSONTextTests {
    @Test(arguments: [0, 1, -1, 9, 10, -10, 127, 1_700_000_000_123, Int64.max, Int64.min])
    func integersHaveTheirDigits(value: Int64) {
        let octets = JSONBuilder.object { $0.add("a", value) }
        #expect(String(decoding: octets, as: UTF8.self) == "{\"a\":\(value)}")
    }

    @Test func anIntegerOf64BitsWithoutASignFits() {
        let octets = JSONBuilder.object { $0.add("a", UInt64.max) }
        #expect(String(decoding: octets, as: UTF8.self) == "{\"a\":18446744073709551615}")
    }

    @Test(arguments: [
        "", "Pulse", "日本 é", "a\"b", "\\", "\u{0}\n\u{1F}\u{7F}", "\u{85}end\"", String(repeating: "x", count: 300),
    ])
    func aTextIsTheSameAfterParsing(text: String) throws {
        let octets = JSONBuilder.object {
            $0.add("a", text)
            $0.add("b", true)
        }
        let value = try json(octets)
        #expect(value["a"] as? String == text)
        #expect(value["b"] as? Bool == true)
    }

    @Test(arguments: [0, 0xACBC_3289_0EA9, 0xFFFF_FFFF_FFFF, 0x0102_0304_0506] as [UInt64])
    func anAddressHasSixPairsOfDigits(value: UInt64) throws {
        let address = DeviceAddress(kind: .public, value: value)
        let octets = JSONBuilder.object { $0.add("a", address) }
        #expect(try json(octets)["a"] as? String == address.description)
    }
}
