import BLEPacketDecoding
import BLEWire

/// The latest packets of a run.
///
/// The ring keeps `packetLimit` packets, or fewer if their octets exceed `octetLimit`. It is a value of blocks that copies share, so a reader takes a
/// copy and searches it while the room runs on. Octets are in one array for each block, because an array for each packet costs more memory than
/// the octets.
package struct PacketRing: Sendable {
    package static let packetLimit = 100_000
    package static let octetLimit = 8 << 20
    static let blockSize = 1000

    struct Block: Sendable {
        var first: Int
        var records: [PacketRecord] = []
        /// The octets and the receptions of all records.
        var octets: [UInt8] = []
        /// The octets of reassembled frames, which the records hold.
        var frameOctets = 0
    }

    private var blocks: [Block] = []
    /// The number of packets of the run, which is the number of the next one.
    package private(set) var count = 0
    private var octetCount = 0
    private let packetLimit: Int
    private let octetLimit: Int

    /// - Parameter first: The number of the first packet.
    package init(packetLimit: Int = Self.packetLimit, octetLimit: Int = Self.octetLimit, first: Int = 0) {
        count = first
        self.packetLimit = packetLimit
        self.octetLimit = octetLimit
    }

    /// The numbers of the packets in the ring.
    package var range: Range<Int> { (blocks.first?.first ?? count)..<count }

    /// Adds the packet with the number `count`.
    mutating func append(_ frame: AirFrame, _ summary: PacketSummary) {
        if blocks.last.map({ $0.records.count >= Self.blockSize }) ?? true {
            blocks.append(Block(first: count))
            blocks[blocks.count - 1].records.reserveCapacity(Self.blockSize)
        }
        let last = blocks.count - 1
        let before = blocks[last].octets.count
        let record = PacketRecord(frame, summary, &blocks[last].octets)
        blocks[last].records.append(record)
        blocks[last].frameOctets += record.frameOctets
        octetCount += blocks[last].octets.count - before + record.frameOctets
        count += 1
        while blocks.count > 1, octetCount > octetLimit || count - blocks[1].first >= packetLimit {
            let oldest = blocks.removeFirst()
            octetCount -= oldest.octets.count + oldest.frameOctets
        }
    }

    /// The packet with a number; nil if the ring does not have it.
    package subscript(number: Int) -> RoomPacket? {
        guard range.contains(number), let index = blockIndex(of: number) else { return nil }
        return packet(number, blocks[index])
    }

    /// Calls `body` with the packets of a range that the ring has, in their order, until it returns false.
    package func forEach(in wanted: Range<Int>, _ body: (RoomPacket) throws -> Bool) rethrows {
        let wanted = wanted.clamped(to: range)
        guard !wanted.isEmpty, var index = blockIndex(of: wanted.lowerBound) else { return }
        var number = wanted.lowerBound
        while number < wanted.upperBound, index < blocks.count {
            let block = blocks[index]
            let end = min(wanted.upperBound, block.first + block.records.count)
            while number < end {
                guard try body(packet(number, block)) else { return }
                number += 1
            }
            index += 1
        }
    }

    /// All blocks but the last have `blockSize` packets.
    private func blockIndex(of number: Int) -> Int? {
        guard let first = blocks.first?.first else { return nil }
        let index = (number - first) / Self.blockSize
        return blocks.indices.contains(index) ? index : nil
    }

    private func packet(_ number: Int, _ block: Block) -> RoomPacket {
        block.records[number - block.first].packet(number, block.octets)
    }
}
