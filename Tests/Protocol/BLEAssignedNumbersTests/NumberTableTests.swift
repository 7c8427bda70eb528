import Testing

@testable import BLEAssignedNumbers

struct NumberTableTests {
    /// Each table with the least number of entries it must have, its first number and its last.
    static let tables: [(kind: String, table: NumberTable, atLeast: Int, first: UInt16, last: UInt16)] = [
        ("services", AssignedNumbers.services, 75, 0x1800, 0xFEBB),
        ("characteristics", AssignedNumbers.characteristics, 450, 0x2A00, 0x2C1A),
        ("descriptors", AssignedNumbers.descriptors, 24, 0x2900, 0x2917),
        ("declarations", AssignedNumbers.declarations, 4, 0x2800, 0x2803),
        ("units", AssignedNumbers.units, 120, 0x2700, 0x27C9),
        ("members", AssignedNumbers.members, 650, 0xFC75, 0xFFFE),
        ("companies", AssignedNumbers.companies, 3400, 0x0000, 0x0D53),
        ("appearances", AssignedNumbers.appearances, 300, 0x0000, 0x1444),
        ("advertisingTypes", AssignedNumbers.advertisingTypes, 50, 0x01, 0xFF),
    ]

    @Test(arguments: tables.indices)
    func aTableIsSortedAndEachOfItsNumbersIsFound(index: Int) throws {
        let (kind, table, atLeast, first, last) = Self.tables[index]
        let entries = table.entries
        #expect(entries.count >= atLeast, "\(kind)")
        #expect(entries.first?.number == first, "\(kind)")
        #expect(entries.last?.number == last, "\(kind)")
        for (one, next) in zip(entries, entries.dropFirst()) {
            #expect(one.number < next.number, "\(kind): \(one) before \(next)")
        }
        for (number, name) in entries {
            #expect(!name.isEmpty && name.first != " " && name.last != " ", "\(kind) \(number)")
            #expect(!name.unicodeScalars.contains { $0.properties.generalCategory == .control || $0 == "\u{FFFD}" })
            #expect(table.name(of: number) == name, "\(kind) \(number)")
        }
    }

    @Test(arguments: tables.indices)
    func aTableContainsOnlyItsNumbers(index: Int) {
        let (kind, table, _, _, _) = Self.tables[index]
        let known = Dictionary(uniqueKeysWithValues: table.entries.map { ($0.number, $0.name) })
        // A search goes wrong beside a number of the table, at the ends, or in a wide gap.
        let beside = known.keys.flatMap { [$0 &- 2, $0 &- 1, $0, $0 &+ 1, $0 &+ 2] }
        for number in Set(beside + stride(from: UInt16.min, to: .max, by: 61) + [.max]) {
            let name = table.name(of: number)
            if name != known[number] { Issue.record("\(kind) \(number): \(name ?? "nothing")") }
        }
    }

    @Test func tablesOfNoneOneAndTwoLinesAreSearched() {
        #expect(NumberTable("").name(of: 0) == nil)
        #expect(NumberTable("").entries.isEmpty)
        let one = NumberTable("00A0 One\n")
        #expect(one.name(of: 0x9F) == nil)
        #expect(one.name(of: 0xA0) == "One")
        #expect(one.name(of: 0xA1) == nil)
        let two = NumberTable("0000 A longer name than the other\nFFFF B\n")
        #expect(two.name(of: 0) == "A longer name than the other")
        #expect(two.name(of: 1) == nil)
        #expect(two.name(of: 0xFFFF) == "B")
    }
}
