import BLEPacketDecoding
import BLEWire
import Testing

@testable import Studio
@testable import StudioRoom

/// The index of packets in a long run.
struct PacketIndexTests {
    /// Packets of advertisers: number 1 in every tenth packet, number 2 until packet 7000, and others for 30 packets each.
    private static func sender(of number: Int) -> Int {
        if number.isMultiple(of: 10) { return 1 }
        if number < 7000, number % 10 == 3 { return 2 }
        return 3 + number / 30 % 250
    }

    private func fill(_ ring: inout PacketRing, _ dissector: inout AirDissector, to count: Int) {
        while ring.count < count {
            let sender = Self.sender(of: ring.count)
            // A second each, so that an advertiser that returns begins another conversation.
            let frame = AirFrame(
                number: ring.count, start: Int64(ring.count) * 1_000_000_000 / 3, airTime: 100_000, channel: 37,
                phy: .oneM, accessAddress: LL.advertisingAccessAddress,
                octets: [0x60, 9, UInt8(sender & 0xFF), UInt8(sender >> 8), 3, 4, 5, 0xC6, 2, 1, 6], sender: sender)
            ring.append(frame, dissector.add(frame))
        }
    }

    /// The packets of each conversation of the ring that a filter selects.
    private func conversations(_ ring: PacketRing, _ filter: PacketFilter) -> [Int: [Int]] {
        var found: [Int: [Int]] = [:]
        let matcher = PacketMatcher(filter)
        ring.forEach(in: ring.range) { packet in
            if matcher.matches(packet), let conversation = packet.summary.conversation {
                found[conversation, default: []].append(packet.frame.number)
            }
            return true
        }
        return found
    }

    private static let filters = [PacketFilter(), PacketFilter(device: "d1"), PacketFilter(device: "d9")]

    /// With a low limit the index moves its base several times.
    @Test(arguments: filters, [Int(Int32.max), 8000])
    func rowsAreRightAfterTheRingHasDroppedPackets(filter: PacketFilter, offsetLimit: Int) {
        expectRows(PacketIndex(filter, offsetLimit: offsetLimit), filter, firstPacket: 0)
    }

    @Test(arguments: [Int(Int32.max), Int(UInt32.max), 2 * Int(UInt32.max)])
    func rowsAreRightInARunWithMorePacketsThan32BitsCount(number: Int) {
        for filter in Self.filters {
            expectRows(PacketIndex(filter), filter, firstPacket: number - 7000)
        }
    }

    /// An index that was not used for billions of packets.
    @Test func anOldIndexContinues() {
        var (old, new) = (PacketRing(packetLimit: 3000), PacketRing(packetLimit: 3000, first: 2 * Int(UInt32.max)))
        var dissector = AirDissector()
        var index = PacketIndex(PacketFilter())
        fill(&old, &dissector, to: 2500)
        _ = index.advance(in: old, limit: 100_000)
        fill(&new, &dissector, to: new.count + 2500)
        _ = index.advance(in: new, limit: 100_000)
        #expect(index.flatRange.count == 2500)
        #expect(index.flatRange.map { index.number(ofFlatRow: $0) } == Array(new.range))
        // A page may ask for any number.
        #expect(index.flatRow(of: .min) == index.flatRange.lowerBound)
        #expect(index.flatRow(of: .max) == index.flatRange.upperBound)
    }

    private func expectRows(_ index: PacketIndex, _ filter: PacketFilter, firstPacket: Int) {
        var index = index
        var ring = PacketRing(packetLimit: 3000, first: firstPacket)
        var dissector = AirDissector()
        var (first, numbers): (Int, [Int: Int]) = (0, [:])
        var kept = 0
        for count in stride(from: 700, through: 21_000, by: 700) {
            fill(&ring, &dissector, to: firstPacket + count)
            let isComplete = index.advance(in: ring, limit: 100_000)
            #expect(isComplete)
            let expected = conversations(ring, filter)
            #expect(index.foldedRange.count == expected.count)
            var begin = -1
            for row in index.foldedRange {
                let content = index.numbers(ofRow: row)
                let conversation = index.conversation(ofRow: row) ?? -1
                #expect(index.numbers(ofRow: row, from: ring.range.lowerBound) == expected[conversation])
                #expect(content == expected[conversation])
                #expect(index.count(ofRow: row) == expected[conversation]?.count)
                #expect(index.row(ofConversation: conversation) == row)
                #expect(index.foldedRow(of: content[0], conversation: conversation) == row)
                // The rows are in the order of their beginnings; those that began in the ring keep their numbers.
                if let former = numbers[conversation], content[0] == former {
                    kept += 1
                    #expect(former > begin)
                }
                begin = max(begin, numbers[conversation] ?? content[0])
                numbers[conversation] = numbers[conversation] ?? content[0]
            }
            #expect(index.foldedRange.lowerBound >= first)
            first = index.foldedRange.lowerBound
            #expect(index.flatRange.count == expected.values.reduce(0) { $0 + $1.count })
        }
        #expect(kept > 0 || filter.device != nil)
        #expect(first > 0 || filter.device != nil || firstPacket > 0)
    }

    @Test func theIndexIsBoundedByTheRing() {
        let limit = 2000
        var ring = PacketRing(packetLimit: limit)
        var dissector = AirDissector()
        var index = PacketIndex(PacketFilter())
        var largest = 0
        for count in stride(from: 500, through: 60_000, by: 500) {
            fill(&ring, &dissector, to: count)
            _ = index.advance(in: ring, limit: 1000)
            largest = max(largest, index.size)
        }
        // Packets, rows, their packets and their conversations, with the capacities of growing arrays.
        #expect(largest < 12 * limit)
    }

    @Test func theListNamesTheMissingHCIPackets() throws {
        let packets = RoomPackets(
            ring: PacketRing(), dissector: AirDissector(), run: 1, names: [:], droppedHCI: [1: 7, 12: 3])
        let list = PacketList(
            PacketQuery(count: 10), PacketIndex(PacketFilter()), packets, isComplete: true, limit: 10)
        #expect(list.droppedHCI == ["d1": 7, "d12": 3])
    }
}
