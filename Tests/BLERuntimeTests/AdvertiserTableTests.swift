import BLEAdapter
import BLEHost
import BLEWire
import Testing

@testable import BLERuntime

struct AdvertiserTableTests {
    private let peer = PeerIdentifier(high: 0, low: 0)

    private func address(_ number: Int) -> DeviceAddress { DeviceAddress(kind: .random, value: UInt64(number)) }

    private func hear(_ number: Int, _ table: inout AdvertiserTable, data: [UInt8] = [2, 1, 6]) -> Int {
        var holds = HoldQueue()
        let place = table.hear(address(number)) ?? table.admit(address(number), peer, PeerNames(), &holds)
        let report = AdvertisingReport(kind: .nonConnectable, address: address(number), rssi: -40, data: 0..<data.count)
        table.update(place, report, data.span)
        return place
    }

    @Test func whoeverChangesAddressesDoesNotFillTheMemory() {
        var table = AdvertiserTable()
        for number in 0..<20_000 {
            _ = hear(number, &table)
            // One is heard all the time.
            if number % 100 == 0 { _ = hear(0, &table) }
            #expect(table.entries.count <= AdvertiserTable.capacity)
        }
        #expect(table.place(of: address(0)) != nil)
        // Exactly those that were heard last are there.
        let oldest = 20_000 - AdvertiserTable.capacity + 1
        #expect(table.place(of: address(19_999)) != nil && table.place(of: address(oldest)) != nil)
        #expect(table.place(of: address(oldest - 1)) == nil)
    }

    @Test func aPlaceThatChangesItsOwnerIsNewsToASession() {
        var table = AdvertiserTable()
        var scanner = Scanner()
        scanner.sessions = [.init(number: 1, request: ScanRequest())]
        let first = hear(0, &table)
        scanner.choose(table, first, isPacket: true)
        #expect(scanner.chosen == [1])
        scanner.choose(table, first, isPacket: true)
        #expect(!scanner.hasChosen, "told once")
        for number in 1...AdvertiserTable.capacity { _ = hear(number, &table) }
        let place = table.place(of: address(AdvertiserTable.capacity))
        #expect(place == first, "the oldest made room")
        scanner.choose(table, first, isPacket: true)
        #expect(scanner.chosen == [1])
    }

    @Test func whoTakesAPlaceDoesNotInheritTheWaitOfAnother() {
        var table = AdvertiserTable()
        var holds = HoldQueue()
        for number in 0..<AdvertiserTable.capacity {
            let place = table.admit(address(number), peer, PeerNames(), &holds)
            let report = AdvertisingReport(kind: .connectable, address: address(number), rssi: -40, data: 0..<0)
            table.update(place, report, Span())
            table[place].hold = holds.add(place, until: .zero + .milliseconds(250 + number))
        }
        let place = table.admit(address(AdvertiserTable.capacity), peer, PeerNames(), &holds)
        #expect(place == 0 && table[place].hold == nil && !table[place].isConnectable)
        table[place].hold = holds.add(place, until: .zero + .seconds(9))
        // The first that is over is that of the second place.
        #expect(holds.next == .zero + .milliseconds(251))
        #expect(holds.take(dueAt: .zero + .seconds(1)) == 1)
    }

    @Test func anotherScanTellsEverythingAgainAndNamesStay() {
        var table = AdvertiserTable()
        let name: [UInt8] = [2, 9, 0x41]
        let place = hear(7, &table, data: name)
        let version = table[place].version
        _ = hear(7, &table, data: name)
        #expect(table[place].version == version, "nothing new")
        table.beginScan()
        _ = hear(7, &table, data: [2, 1, 6])
        #expect(table[place].version != version && table[place].name == "A")
    }

    @Test func holdsEndInTurnOrEarly() {
        var holds = HoldQueue()
        func at(_ time: Int64) -> Instant { Instant(nanoseconds: time) }
        let tickets = (0..<1000).map { holds.add($0, until: at(Int64($0))) }
        for number in stride(from: 0, to: 1000, by: 2) { holds.release(tickets[number]) }
        #expect(holds.next == at(1))
        #expect(holds.take(dueAt: at(0)) == nil)
        var taken: [Int] = []
        while let place = holds.take(dueAt: at(499)) { taken.append(place) }
        #expect(taken == Array(stride(from: 1, to: 500, by: 2)))
        // One that is over already, and one of an earlier life.
        holds.release(tickets[1])
        for ticket in tickets { holds.release(ticket) }
        #expect(holds.next == nil)
        #expect(holds.add(5, until: at(7)) == 1000 && holds.next == at(7))
    }
}
