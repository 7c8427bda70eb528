import Testing

@testable import BLEWire

struct SlotIndexTests {
    @Test func findsWhatADictionaryFinds() {
        var random = SeededRandom(seed: 7)
        var index = SlotIndex(seed: 7)
        var expected: [UInt64: Int] = [:]
        for step in 0..<40_000 {
            // Few keys, in a row: runs of places grow together, and removals divide them.
            let key = UInt64.random(in: 0..<(step < 20_000 ? 200 : 3000), using: &random)
            if let slot = expected.removeValue(forKey: key) {
                #expect(index.slot(of: key) == slot)
                index.remove(key, slot: slot)
            } else {
                expected[key] = step
                index.insert(key, slot: step)
            }
            let other = UInt64.random(in: 0..<3000, using: &random)
            #expect(index.slot(of: other) == expected[other])
        }
        for key in 0..<3000 as Range<UInt64> { #expect(index.slot(of: key) == expected[key]) }
    }

    @Test func recordsMayHaveEqualKeys() {
        var index = SlotIndex()
        for slot in 0..<100 { index.insert(7, slot: slot) }
        index.insert(8, slot: 100)
        for slot in stride(from: 0, to: 100, by: 2) { index.remove(7, slot: slot) }
        for slot in 0..<100 { #expect(index.slot(of: 7) { $0 == slot } == (slot % 2 == 0 ? nil : slot)) }
        #expect(index.slot(of: 8) == 100)
        index.remove(8, slot: 5)
        index.remove(9, slot: 100)
        #expect(index.slot(of: 8) == 100 && index.slot(of: 7) { $0 == 5 } == 5)
        for slot in 0..<100 { index.remove(7, slot: slot) }
        #expect(index.slot(of: 7) == nil && index.slot(of: 8) == 100)
    }

    @Test func addressesOfEachKindHaveTheirOwnKeys() {
        let value: UInt64 = 0xC000_0000_0001
        #expect(DeviceAddress(kind: .public, value: value).key != DeviceAddress(kind: .random, value: value).key)
    }
}
