import BLEWire
import Testing

@testable import BLESessions

struct AddressIndexTests {
    @Test func findsWhatADictionaryFinds() {
        var random = SeededRandom(seed: 7)
        var index = AddressIndex()
        var expected: [DeviceAddress: Int] = [:]
        for step in 0..<40_000 {
            // Few addresses, in a row: runs of places grow together, and removals divide them.
            let address = DeviceAddress(
                kind: .random, value: UInt64.random(in: 0..<(step < 20_000 ? 200 : 3000), using: &random))
            if let slot = expected.removeValue(forKey: address) {
                #expect(index.slot(of: address) == slot)
                index.remove(address)
            } else {
                expected[address] = step
                index.insert(address, slot: step)
            }
            let other = DeviceAddress(kind: .random, value: UInt64.random(in: 0..<3000, using: &random))
            #expect(index.slot(of: other) == expected[other])
        }
        for value in 0..<3000 as Range<UInt64> {
            let address = DeviceAddress(kind: .random, value: value)
            #expect(index.slot(of: address) == expected[address])
        }
    }

    @Test func distinguishesKindsOfAddresses() {
        var index = AddressIndex()
        let address = DeviceAddress(kind: .public, value: 1)
        index.insert(address, slot: 3)
        #expect(index.slot(of: DeviceAddress(kind: .random, value: 1)) == nil)
        index.remove(DeviceAddress(kind: .random, value: 1))
        #expect(index.slot(of: address) == 3)
        index.remove(address)
        #expect(index.slot(of: address) == nil)
    }
}
