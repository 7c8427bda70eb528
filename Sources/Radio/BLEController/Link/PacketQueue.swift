import BLEWire

/// The host's ACL packets for one link in one reused buffer.
struct PacketQueue {
    private struct Packet {
        var start: Int
        var count: Int
        var isStart: Bool
    }

    /// The next fragment to send.
    struct Fragment {
        var range: Range<Int>
        /// Whether the fragment starts an L2CAP packet.
        var isStart: Bool
        /// Whether the fragment completes the host's packet.
        var isLast: Bool
    }

    private(set) var bytes: [UInt8] = []
    private var packets: [Packet] = []
    private var head = 0
    /// The acknowledged octets of the first packet.
    private var sent = 0

    var isEmpty: Bool { head == packets.count }
    /// The packets that are not completely acknowledged.
    var count: Int { packets.count - head }

    mutating func append(_ data: Span<UInt8>, isStart: Bool) {
        packets.append(Packet(start: bytes.count, count: data.count, isStart: isStart))
        bytes.append(data)
    }

    /// The first fragment that is not acknowledged, of at most `limit` octets.
    func first(limit: Int) -> Fragment? {
        guard head < packets.count else { return nil }
        let packet = packets[head]
        let count = min(max(1, limit), packet.count - sent)
        let start = packet.start + sent
        return Fragment(
            range: start..<start + count, isStart: packet.isStart && sent == 0, isLast: sent + count == packet.count)
    }

    /// Whether data follows a fragment of `count` octets.
    func hasMore(after count: Int) -> Bool {
        guard head < packets.count else { return false }
        return head + 1 < packets.count || sent + count < packets[head].count
    }

    /// Removes the first `count` octets, which `first` returned. Returns whether the packet is complete.
    mutating func remove(_ count: Int) -> Bool {
        guard head < packets.count else { return false }
        sent += count
        guard sent >= packets[head].count else { return false }
        sent = 0
        head += 1
        if head == packets.count {
            packets.removeAll(keepingCapacity: true)
            bytes.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 32 {
            let start = packets[head].start
            bytes.removeFirst(start)
            packets.removeFirst(head)
            for index in packets.indices { packets[index].start -= start }
            head = 0
        }
        return true
    }
}
