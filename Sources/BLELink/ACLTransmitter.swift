import BLEWire

/// Sends L2CAP frames of all links through the controller's buffers: one queue of octets for each link, fragments no longer
/// than the controller takes, never more packets than it has room for (Vol 4, Part E, 4.1.1 and 4.3).
///
/// The next fragment goes to the link with the fewest packets in the controller, in turn where these are equal: a slow
/// link cannot fill all the buffers, and equal links get equal shares. Nothing is allocated once the queues are warm.
package struct ACLTransmitter {
    /// The place of one link in this transmitter; used again after `close`.
    package struct Slot: Hashable, Sendable {
        let index: Int
    }

    private struct Queue {
        var handle: UInt16
        var isOpen: Bool
        /// Whole L2CAP frames one after another; what lies before `head` is gone.
        var octets: [UInt8] = []
        var head = 0
        /// Octets of the frame at `head` that are still to go; 0 at the start of a frame.
        var frameRest = 0
        /// Packets in the controller that it has not reported as completed.
        var outstanding = 0
        /// The queue reached `fullMark` and has not fallen to `drainedMark` since.
        var wasFull = false
        var pending: Int { octets.count - head }
    }

    private var queues: [Queue] = []
    private var turn = 0
    /// The longest ACL payload the controller takes, octets; 0 until it is known.
    package private(set) var fragmentLength = 0
    /// The number of packets the controller buffers for all links.
    package private(set) var bufferCount = 0
    /// Packets in the controller, all links.
    package private(set) var outstanding = 0
    /// Queues that drained after having been full; the owner takes and empties it.
    package var drained: [Slot] = []

    /// From this number of queued octets on a queue counts as full.
    package let fullMark: Int
    /// At or below this number of octets a queue that was full counts as drained.
    package let drainedMark: Int
    /// A frame that would bring a queue above this number of octets is refused.
    package let limit: Int

    package init(fullMark: Int = 8_192, limit: Int = 1 << 20) {
        self.fullMark = fullMark
        self.drainedMark = fullMark / 2
        self.limit = max(limit, fullMark)
    }

    /// Takes over the controller's buffers (LE Read Buffer Size, or Read Buffer Size where they are shared).
    package mutating func configure(fragmentLength: Int, bufferCount: Int) {
        self.fragmentLength = fragmentLength
        self.bufferCount = bufferCount
    }

    /// Forgets every link and every packet in the controller, as an HCI Reset does.
    package mutating func reset() {
        for index in queues.indices { release(index) }
        outstanding = 0
        fragmentLength = 0
        bufferCount = 0
        drained.removeAll(keepingCapacity: true)
    }

    package mutating func open(handle: UInt16) -> Slot {
        if let index = queues.firstIndex(where: { !$0.isOpen }) {
            queues[index].handle = handle
            queues[index].isOpen = true
            return Slot(index: index)
        }
        queues.append(Queue(handle: handle, isOpen: true))
        return Slot(index: queues.count - 1)
    }

    /// Drops what is queued. The link's packets in the controller count as flushed (Vol 4, Part E, 4.3).
    package mutating func close(_ slot: Slot) {
        guard queues[slot.index].isOpen else { return }
        outstanding -= queues[slot.index].outstanding
        release(slot.index)
        drained.removeAll { $0 == slot }
    }

    private mutating func release(_ index: Int) {
        queues[index].isOpen = false
        queues[index].octets.removeAll(keepingCapacity: queues[index].octets.capacity <= 4 * fullMark)
        queues[index].head = 0
        queues[index].frameRest = 0
        queues[index].outstanding = 0
        queues[index].wasFull = false
    }

    /// Octets of frames that wait for room in the controller.
    package func queuedOctets(_ slot: Slot) -> Int { queues[slot.index].pending }

    /// Packets of this link in the controller.
    package func outstanding(_ slot: Slot) -> Int { queues[slot.index].outstanding }

    /// Whether the queue holds so much that more should wait for `drained`.
    package func isFull(_ slot: Slot) -> Bool { queues[slot.index].wasFull }

    /// Queues one frame. False if the queue's limit leaves no room: then nothing was queued.
    package mutating func enqueue(_ payload: Span<UInt8>, channel: L2CAP.ChannelIdentifier, on slot: Slot) -> Bool {
        guard queues[slot.index].isOpen, let length = UInt16(exactly: payload.count),
            queues[slot.index].pending + L2CAP.headerCount + payload.count <= limit
        else { return false }
        queues[slot.index].octets.append(addingCapacity: L2CAP.headerCount + payload.count) { output in
            output.append(UInt8(truncatingIfNeeded: length))
            output.append(UInt8(truncatingIfNeeded: length >> 8))
            output.append(UInt8(truncatingIfNeeded: channel.rawValue))
            output.append(UInt8(truncatingIfNeeded: channel.rawValue >> 8))
            for index in payload.indices { output.append(payload[index]) }
        }
        if queues[slot.index].pending >= fullMark { queues[slot.index].wasFull = true }
        return true
    }

    /// What was wrong with a Number Of Completed Packets.
    package enum CompletionFault: Hashable, Sendable {
        /// The controller completed packets that it never got; the surplus is ignored.
        case moreThanSent
        case unknownHandle
    }

    /// Takes one entry of a Number Of Completed Packets event. Call `pump` after all entries.
    package mutating func completed(handle: UInt16, count: Int) -> CompletionFault? {
        guard let index = queues.firstIndex(where: { $0.isOpen && $0.handle == handle }) else { return .unknownHandle }
        let accepted = min(count, queues[index].outstanding)
        queues[index].outstanding -= accepted
        outstanding -= accepted
        return accepted < count ? .moreThanSent : nil
    }

    /// Moves fragments to `output` as whole H4 packets while the controller has room.
    package mutating func pump(into output: inout [UInt8]) {
        while outstanding < bufferCount, fragmentLength > 0, let index = nextQueue() {
            sendFragment(of: index, into: &output)
        }
    }

    private mutating func nextQueue() -> Int? {
        var best: Int?
        var fewest = Int.max
        let count = queues.count
        for step in 0..<count {
            let index = turn + step < count ? turn + step : turn + step - count
            if queues[index].isOpen, queues[index].pending > 0, queues[index].outstanding < fewest {
                best = index
                fewest = queues[index].outstanding
            }
        }
        if let best { turn = best + 1 < count ? best + 1 : 0 }
        return best
    }

    private mutating func sendFragment(of index: Int, into output: inout [UInt8]) {
        let head = queues[index].head
        let isStart = queues[index].frameRest == 0
        if isStart {
            let length = Int(queues[index].octets[head]) | Int(queues[index].octets[head + 1]) << 8
            queues[index].frameRest = L2CAP.headerCount + length
        }
        let count = min(fragmentLength, queues[index].frameRest)
        // Packet boundary flag: 00 first non-automatically-flushable, 01 continuing (Vol 4, Part E, 5.4.2).
        let header = queues[index].handle & 0x0FFF | (isStart ? 0 : 0x1000)
        output.append(0x02)
        output.append(UInt8(truncatingIfNeeded: header))
        output.append(UInt8(truncatingIfNeeded: header >> 8))
        output.append(UInt8(truncatingIfNeeded: count))
        output.append(UInt8(truncatingIfNeeded: count >> 8))
        output.append(contentsOf: queues[index].octets[head..<head + count])
        queues[index].frameRest -= count
        queues[index].head = head + count
        queues[index].outstanding += 1
        outstanding += 1
        compact(index)
        if queues[index].wasFull, queues[index].pending <= drainedMark {
            queues[index].wasFull = false
            drained.append(Slot(index: index))
        }
    }

    private mutating func compact(_ index: Int) {
        let head = queues[index].head
        if head == queues[index].octets.count {
            queues[index].octets.removeAll(keepingCapacity: true)
            queues[index].head = 0
        } else if head >= fullMark, head >= queues[index].pending {
            queues[index].octets.removeSubrange(..<head)
            queues[index].head = 0
        }
    }
}
