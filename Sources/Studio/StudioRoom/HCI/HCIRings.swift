import BLETransport
import BLEWire

/// The latest HCI packets of the hosts of a run.
///
/// Each host has a ring. All rings together keep `octetLimit` octets: beyond it, the host with the most octets loses its oldest packets, so a host
/// that scans a busy room does not displace the packets of the others.
struct HCIRings: Sendable {
    static let octetLimit = 4 << 20
    /// A block is full with this number of octets, and is dropped as a whole.
    static let blockSize = 16 << 10

    fileprivate struct Block: Sendable {
        /// Records: time, direction, length, H4 packet.
        var octets: [UInt8] = []
        var count = 0
    }

    fileprivate struct Ring: Sendable {
        var blocks: [Block] = []
        var octetCount = 0
    }

    private var rings: [Int: Ring] = [:]
    /// The dropped packets of each slot, also of one that has none left.
    private(set) var dropped: [Int: Int] = [:]
    private(set) var octetCount = 0
    private let octetLimit: Int

    init(octetLimit: Int = Self.octetLimit) { self.octetLimit = octetLimit }

    /// Adds an H4 packet of the host with a slot.
    mutating func append(_ packet: Span<UInt8>, _ direction: BtsnoopWriter.Direction, time: Int64, slot: Int) {
        rings[slot, default: Ring()].append(packet, direction, time)
        octetCount += packet.count + Ring.headSize
        while octetCount > octetLimit { dropOldest() }
    }

    private mutating func dropOldest() {
        // The lowest slot among equals, so that equal runs drop equal packets.
        let longest = rings.max { one, other in
            (one.value.octetCount, other.key) < (other.value.octetCount, one.key)
        }
        guard let slot = longest?.key else { return }
        let block = rings[slot]!.takeOldest()
        octetCount -= block.octets.count
        dropped[slot, default: 0] += block.count
        if rings[slot]!.blocks.isEmpty { rings[slot] = nil }
    }

    /// The packets of some slots as btsnoop with H4 packets, one slot after another. Each record names the number of packets dropped before it.
    func btsnoop(ofSlots slots: [Int]) -> [UInt8] {
        var writer = BtsnoopWriter(format: .h4)
        var output: [UInt8] = []
        writer.appendHeader(to: &output)
        for slot in slots {
            writer.droppedRecords = UInt32(clamping: Int(writer.droppedRecords) + (dropped[slot] ?? 0))
            rings[slot]?.forEach { packet, direction, time in
                writer.append(packet, direction: direction, time: time, to: &output)
            }
        }
        return output
    }

    /// The number of packets of a slot.
    func count(ofSlot slot: Int) -> Int { rings[slot]?.blocks.reduce(0) { $0 + $1.count } ?? 0 }
}

extension HCIRings.Ring {
    /// The octets of a record before its packet.
    fileprivate static let headSize = 8 + 1 + 4

    fileprivate mutating func append(_ packet: Span<UInt8>, _ direction: BtsnoopWriter.Direction, _ time: Int64) {
        if blocks.last.map({ $0.octets.count >= HCIRings.blockSize }) ?? true { blocks.append(.init()) }
        let last = blocks.count - 1
        withUnsafeBytes(of: time.littleEndian) { blocks[last].octets.append(contentsOf: $0) }
        blocks[last].octets.append(direction == .sent ? 0 : 1)
        withUnsafeBytes(of: UInt32(packet.count).littleEndian) { blocks[last].octets.append(contentsOf: $0) }
        blocks[last].octets.append(packet)
        blocks[last].count += 1
        octetCount += packet.count + Self.headSize
    }

    /// Removes and returns the oldest block.
    fileprivate mutating func takeOldest() -> HCIRings.Block {
        let block = blocks.removeFirst()
        octetCount -= block.octets.count
        return block
    }

    fileprivate func forEach(_ body: (Span<UInt8>, BtsnoopWriter.Direction, _ time: Int64) -> Void) {
        for block in blocks {
            var offset = 0
            func number(_ count: Int) -> UInt64 {
                defer { offset += count }
                return (0..<count).reduce(0) { $0 | UInt64(block.octets[offset + $1]) << (8 * UInt64($1)) }
            }
            while offset < block.octets.count {
                let time = Int64(bitPattern: number(8))
                let direction: BtsnoopWriter.Direction = number(1) == 0 ? .sent : .received
                let count = Int(number(4))
                body(block.octets.span.extracting(offset..<offset + count), direction, time)
                offset += count
            }
        }
    }
}
