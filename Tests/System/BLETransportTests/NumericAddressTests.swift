import BLETransport
import Testing

struct NumericAddressTests {
    @Test(arguments: [
        ("192.0.2.7", [192, 0, 2, 7]), ("::1", [UInt8](repeating: 0, count: 15) + [1]),
        ("fe80::1%eth0", [0xFE, 0x80] + [UInt8](repeating: 0, count: 13) + [1]),
    ])
    func numericAddressesHaveOctets(text: String, octets: [UInt8]) {
        #expect(NumericAddress.octets(of: text) == octets)
    }

    @Test(arguments: ["localhost", "", "192.0.2", "1.2.3.4.5", "::g"])
    func otherTextIsNoAddress(text: String) {
        #expect(NumericAddress.octets(of: text) == nil)
    }

    @Test func oneMachineHasOneIPv4AddressOrOneIPv6Network() throws {
        func machine(_ text: String) throws -> [UInt8] {
            NumericAddress.machine(of: try #require(NumericAddress.octets(of: text)))
        }
        #expect(try machine("2001:db8:1:2::a") == machine("2001:db8:1:2:ffff::b"))
        #expect(try machine("2001:db8:1:2::a") != machine("2001:db8:1:3::a"))
        #expect(try machine("::ffff:192.0.2.7") == machine("192.0.2.7"))
        #expect(try machine("192.0.2.7") != machine("192.0.2.8"))
    }

    @Test func theSourceWithTheMostElementsLosesItsFirst() {
        let elements = [(1, "a"), (2, "b"), (3, "b"), (4, "c")]
        #expect(elements.firstOfLargestGroup { $0.1 }?.0 == 2)
        #expect(elements.dropFirst(2).firstOfLargestGroup { $0.1 }?.0 == 3)
        #expect(elements.prefix(0).firstOfLargestGroup { $0.1 } == nil)
    }
}
