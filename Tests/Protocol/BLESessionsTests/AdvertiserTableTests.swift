import BLEAdapter
import BLEHost
import BLEWire
import Testing

@testable import BLESessions

struct AdvertiserTableTests {
    private let peer = AdvertiserIdentity(PeerIdentifier(high: 0, low: 0))
    private let source = IdentifierSource(PlainIdentities())

    private func address(_ number: Int) -> DeviceAddress { DeviceAddress(kind: .random, value: UInt64(number)) }

    private func hear(_ number: Int, _ table: inout AdvertiserTable, data: [UInt8] = [2, 1, 6]) -> Int {
        var holds = HoldQueue()
        let slot = table.refresh(address(number)) ?? table.admit(address(number), peer, PeerNames(), &holds)
        let report = AdvertisingReport(kind: .nonConnectable, address: address(number), rssi: -40, data: 0..<data.count)
        table.update(slot, report, data.span, source)
        return slot
    }

    @Test func devicesThatChangeTheirAddressDoNotFillTheMemory() {
        var table = AdvertiserTable()
        for number in 0..<20_000 {
            _ = hear(number, &table)
            // One is heard all the time.
            if number % 100 == 0 { _ = hear(0, &table) }
            #expect(table.entries.count <= AdvertiserTable.capacity)
        }
        #expect(!table.slots(of: address(0)).isEmpty)
        // Exactly those that were heard last are there.
        let oldest = 20_000 - AdvertiserTable.capacity + 1
        #expect(!table.slots(of: address(19_999)).isEmpty && !table.slots(of: address(oldest)).isEmpty)
        #expect(table.slots(of: address(oldest - 1)).isEmpty)
    }

    /// A new advertiser takes the place of the one that has been silent for longest, whichever was heard in between.
    @Test func theOldestMayBeHeardAgain() {
        var table = AdvertiserTable()
        var order = Array(0..<AdvertiserTable.capacity)
        for number in order { _ = hear(number, &table) }
        for number in AdvertiserTable.capacity..<AdvertiserTable.capacity + 60 {
            _ = hear(number, &table)
            #expect(table.slots(of: address(order[0])).isEmpty, "\(number)")
            order.removeFirst()
            order.append(number)
            // The oldest, the newest, the one before it, and one in between.
            for place in [0, order.count - 1, order.count - 2, number % order.count] {
                let again = order.remove(at: place)
                #expect(table.refresh(address(again)) != nil, "\(again)")
                order.append(again)
            }
        }
        #expect(order.allSatisfy { !table.slots(of: address($0)).isEmpty })
        #expect(table.entries.count == AdvertiserTable.capacity)
    }

    @Test func aReusedSlotIsReportedAsANewAdvertiser() {
        var table = AdvertiserTable()
        var scans = ScanRequests()
        scans.sessions = [.init(number: 1, request: ScanRequest())]
        func selected(_ slot: Int) -> [Int] {
            var selected: [Int] = []
            scans.select(table, slot, isPacket: true, into: &selected)
            return selected
        }
        let first = hear(0, &table)
        #expect(selected(first) == [1])
        #expect(selected(first) == [], "reported once")
        for number in 1...AdvertiserTable.capacity { _ = hear(number, &table) }
        #expect(table.slots(of: address(AdvertiserTable.capacity)) == [first], "the oldest made room")
        #expect(selected(first) == [1])
    }

    @Test func aNewAdvertiserDoesNotInheritTheWaitOfItsSlot() {
        var table = AdvertiserTable()
        var holds = HoldQueue()
        for number in 0..<AdvertiserTable.capacity {
            let slot = table.admit(address(number), peer, PeerNames(), &holds)
            let report = AdvertisingReport(kind: .connectable, address: address(number), rssi: -40, data: 0..<0)
            table.update(slot, report, Span(), source)
            table[slot].hold = holds.add(slot, until: .zero + .milliseconds(250 + number))
        }
        let slot = table.admit(address(AdvertiserTable.capacity), peer, PeerNames(), &holds)
        #expect(slot == 0 && table[slot].hold == nil && !table[slot].isConnectable)
        table[slot].hold = holds.add(slot, until: .zero + .seconds(9))
        // The first that is over is that of the second slot.
        #expect(holds.next == .zero + .milliseconds(251))
        #expect(holds.take(dueAt: .zero + .seconds(1)) == 1)
    }

    @Test func aHoldOfAnEarlierScanReleasesNoOther() {
        var table = AdvertiserTable()
        var holds = HoldQueue()
        for number in 0..<AdvertiserTable.capacity {
            let slot = hear(number, &table)
            table[slot].hold = holds.add(slot, until: .zero + .milliseconds(250))
        }
        table.beginScan()
        holds = HoldQueue()
        let slot = hear(100, &table)
        table[slot].hold = holds.add(slot, until: .zero + .milliseconds(250))
        // Takes the slot of an advertiser that waited in the earlier scan.
        _ = table.admit(address(AdvertiserTable.capacity), peer, PeerNames(), &holds)
        #expect(holds.take(dueAt: .zero + .seconds(1)) == slot)
    }

    @Test func aNewScanReportsAdvertisersAgainAndKeepsNames() {
        var table = AdvertiserTable()
        let name: [UInt8] = [2, 9, 0x41]
        let slot = hear(7, &table, data: name)
        let version = table[slot].dataVersion
        _ = hear(7, &table, data: name)
        #expect(table[slot].dataVersion == version, "nothing new")
        table.beginScan()
        _ = hear(7, &table, data: [2, 1, 6])
        #expect(table[slot].dataVersion != version && table[slot].content?.name == "A")
        // One without a packet before is new in the next scan as well.
        var holds = HoldQueue()
        let other = table.admit(address(8), peer, PeerNames(), &holds)
        table.beginScan()
        #expect(hear(8, &table, data: name) == other && table[other].content?.name == "A")
    }

    @Test func aNameLastsUntilTheDeviceSendsAnother() {
        var table = AdvertiserTable()
        func name(_ data: [UInt8]) -> String? {
            let slot = hear(7, &table, data: data)
            return table[slot].content?.name
        }
        #expect(name([2, 1, 6]) == nil)
        #expect(name([2, 8, 0x41]) == "A")
        #expect(name([2, 1, 6]) == "A")
        #expect(name([2, 1, 4]) == "A", "of the content before the last")
        #expect(name([2, 9, 0x42]) == "B")
        let slot = hear(7, &table, data: [2, 1, 6])
        let version = table[slot].dataVersion
        table.setDeviceName("C", at: slot)
        #expect(table[slot].content?.name == "C" && table[slot].advertisedName == "B")
        #expect(table[slot].dataVersion == version)
        #expect(name([2, 9, 0x44]) == "C")
        table.setDeviceName(nil, at: slot)
        #expect(table[slot].content?.name == "D")
    }

    /// Data and scan response with different values arrive in turn. A changed name reaches the content of each.
    @Test func aChangedNameReachesBothHalves() {
        var table = AdvertiserTable()
        func respond(_ slot: Int) {
            let octets: [UInt8] = [4, 0xFF, 1, 2, 4]
            let report = AdvertisingReport(kind: .scanResponse, address: address(1), rssi: -40, data: 0..<5)
            table.update(slot, report, octets.span, source)
        }
        let data: [UInt8] = [2, 9, 0x41, 4, 0xFF, 1, 2, 3]
        for name in [nil, "N", "M"] {
            let slot = hear(1, &table, data: data)
            respond(slot)
            if let name { table.setDeviceName(name, at: slot) }
            for _ in 0..<2 {
                _ = hear(1, &table, data: data)
                #expect(table[slot].content?.isScanResponseNewer == false)
                #expect(table[slot].content?.name == name ?? "A")
                respond(slot)
                #expect(table[slot].content?.isScanResponseNewer == true)
                #expect(table[slot].content?.name == name ?? "A")
            }
        }
    }

    /// Extended advertising has up to 1,650 octets, and the scan response others (Vol 4, Part E, 7.8.54).
    @Test func octetsOfAnyLengthStay() throws {
        for length in [0, 1, 30, 31, 32, 62, 63, 255, 1650] {
            var table = AdvertiserTable()
            let slot = hear(1, &table, data: [UInt8](repeating: 1, count: length))
            for response in [0, 1, 31, 200] {
                let octets = [UInt8](repeating: 2, count: response)
                let report = AdvertisingReport(kind: .scanResponse, address: address(1), rssi: -40, data: 0..<response)
                table.update(slot, report, octets.span, source)
                let content = try #require(table[slot].content)
                #expect([UInt8](content.octets.data) == [UInt8](repeating: 1, count: length))
                #expect([UInt8](content.octets.scanResponse) == octets)
            }
        }
    }

    @Test func equalOctetsAreEqual() {
        let short = AdvertisingOctets(data: [1, 2], scanResponse: [3])
        #expect(short == AdvertisingOctets(data: [1, 2], scanResponse: [3]))
        #expect(short != AdvertisingOctets(data: [1], scanResponse: [2, 3]))
        let long = [UInt8](repeating: 1, count: 100)
        #expect(AdvertisingOctets(data: long) == AdvertisingOctets(data: long))
        #expect(AdvertisingOctets(data: long) != AdvertisingOctets(scanResponse: long))
    }

    /// Equal structures without end would be compared each with each.
    @Test func theNumberOfComparedStructuresIsLimited() {
        let most = AdvertisingOctets.maximumCompared
        func octets(_ count: Int) -> [UInt8] { [[UInt8]](repeating: [1, 0xFF], count: count).flatMap { $0 } }
        for (data, response, differ) in [
            (most, most, false), (most + 1, most, true), (most, most + 1, true), (825, 825, true), (825, 0, false),
        ] {
            #expect(AdvertisingOctets(data: octets(data), scanResponse: octets(response)).halvesDiffer == differ)
        }
        // Long structures are few.
        let long = [UInt8]([255, 0xFF] + [UInt8](repeating: 7, count: 254))
        #expect(!AdvertisingOctets(data: long + long, scanResponse: long).halvesDiffer)
    }

    @Test func holdsEndInOrderOrEarly() {
        var holds = HoldQueue()
        func at(_ time: Int64) -> Instant { Instant(nanoseconds: time) }
        let tickets = (0..<1000).map { holds.add($0, until: at(Int64($0))) }
        for number in stride(from: 0, to: 1000, by: 2) { holds.release(tickets[number]) }
        #expect(holds.next == at(1))
        #expect(holds.take(dueAt: at(0)) == nil)
        var taken: [Int] = []
        while let slot = holds.take(dueAt: at(499)) { taken.append(slot) }
        #expect(taken == Array(stride(from: 1, to: 500, by: 2)))
        // One that is over already, and one of an earlier life.
        holds.release(tickets[1])
        for ticket in tickets { holds.release(ticket) }
        #expect(holds.next == nil)
        #expect(holds.add(5, until: at(7)) == 1000 && holds.next == at(7))
    }
}
