import BLETransport
import BLEWire
import Foundation
import Testing

@Suite struct JSONBuilderTests {
    private func text(_ body: (inout JSONBuilder) -> Void) -> String {
        String(decoding: JSONBuilder.object(body), as: UTF8.self)
    }

    @Test func anObjectHasCommasBetweenItsMembers() {
        let text = text { json in
            json.add("a", 1)
            json.add("b", true)
            json.addNull("c")
            json.add("d", hexadecimal: [0x0A, 0xFF])
            json.add(
                "e",
                list: { list in
                    list.addElement("x")
                    list.addElement(object: { _ in })
                    list.addElement(object: { $0.add("y", "z") })
                })
            json.add("f", object: { $0.add("g", -1) })
            json.add(members: Array(#""h":0"#.utf8))
        }
        #expect(
            text
                == #"{"a":1,"b":true,"c":null,"d":"0aff","e":["x",{},{"y":"z"}],"f":{"g":-1},"h":0}"#)
    }

    @Test(arguments: [0, 1, -1, 9, 10, -10, 127, 1_700_000_000_123, Int64.max, Int64.min])
    func integersHaveTheirDigits(value: Int64) {
        #expect(text { $0.add("a", value) } == "{\"a\":\(value)}")
    }

    @Test func numbersHaveNoNeedlessPoint() {
        #expect(text { $0.add("a", UInt64.max) } == "{\"a\":18446744073709551615}")
        #expect(text { $0.add("a", 3.0) } == "{\"a\":3}")
        #expect(text { $0.add("a", -1.25) } == "{\"a\":-1.25}")
        #expect(text { $0.add("a", 1e17) } == "{\"a\":1e+17}")
    }

    @Test(arguments: [0, 0xACBC_3289_0EA9, 0xFFFF_FFFF_FFFF, 0x0102_0304_0506] as [UInt64])
    func anAddressHasSixPairsOfDigits(value: UInt64) {
        let address = DeviceAddress(kind: .public, value: value)
        #expect(text { $0.add("a", address) } == "{\"a\":\"\(address.description)\"}")
    }
}
