import BLEWire

/// The ACL packets that a host gave for one link, in one reused buffer, and how far the first has been sent.
struct PacketQueue {
    private struct Packet {
        var start: Int
        var count: Int
        var isStart: Bool
    }

    /// The next piece to send.
    struct Fragment {
        var range: Range<Int>
        /// It begins an L2CAP packet.
        var isStart: Bool
        /// With it the host's packet is complete.
        var isLast: Bool
    }

    private(set) var bytes: [UInt8] = []
    private var packets: [Packet] = []
    private var head = 0
    /// The octets of the first packet that were acknowledged.
    private var sent = 0

    var isEmpty: Bool { head == packets.count }
    /// The packets not yet acknowledged as a whole.
    var count: Int { packets.count - head }

    mutating func append(_ data: Span<UInt8>, isStart: Bool) {
        packets.append(Packet(start: bytes.count, count: data.count, isStart: isStart))
        bytes.append(data)
    }

    /// The first piece not acknowledged, of at most `limit` octets.
    func first(limit: Int) -> Fragment? {
        guard head < packets.count else { return nil }
        let packet = packets[head]
        let count = min(max(1, limit), packet.count - sent)
        let start = packet.start + sent
        return Fragment(
            range: start..<start + count, isStart: packet.isStart && sent == 0, isLast: sent + count == packet.count)
    }

    /// Whether something is left behind a piece of `count` octets.
    func hasMore(after count: Int) -> Bool {
        guard head < packets.count else { return false }
        return head + 1 < packets.count || sent + count < packets[head].count
    }

    /// Takes off the first `count` octets, which `first` returned; true if the packet is complete.
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
