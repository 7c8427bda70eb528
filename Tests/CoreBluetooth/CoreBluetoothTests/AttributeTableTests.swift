import Testing

@testable import CoreBluetooth

@Suite struct AttributeTableTests {
    private func attribute() -> CBAttribute { CBAttribute(uuid: CBUUID(string: "AA01")) }

    @Test func theOrderOfTheHandlesIsThatOfTheEntries() {
        var table = AttributeTable()
        let attributes = (0..<50).map { _ in attribute() }
        let handles: [UInt16] = (UInt16(0)..<50).map { 1 + $0 * 7 % 50 }
        for (handle, attribute) in zip(handles, attributes) { #expect(table.update(attribute, at: handle) == nil) }
        #expect(table.entries.map(\.handle) == Array(1...50))
        #expect(zip(handles, attributes).allSatisfy { table[$0] === $1 })
        #expect(table[0] == nil && table[51] == nil)
    }

    @Test func anUpdateReturnsTheAttributeBefore() {
        var table = AttributeTable()
        let (first, second) = (attribute(), attribute())
        #expect(table.update(first, at: 0xFFFF) == nil)
        #expect(table.update(second, at: 0xFFFF) === first)
        #expect(table[0xFFFF] === second && table.entries.count == 1)
    }

    @Test func removedEntriesAreReturnedInOrder() {
        var table = AttributeTable()
        for handle in [5, 1, 9, 3] as [UInt16] { _ = table.update(attribute(), at: handle) }
        #expect(table.removeAll { $0.handle < 4 }.map(\.handle) == [1, 3])
        #expect(table.entries.map(\.handle) == [5, 9] && table[3] == nil)
    }
}
