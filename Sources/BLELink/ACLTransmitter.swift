import BLEWire

/// Sends L2CAP frames of all links through the controller's buffers: one queue of octets for each link, fragments no longer
/// than the controller takes, never more packets than it has room for (Vol 4, Part E, 4.1.1 and 4.3).
///
/// The next fragment goes to the link with the fewest packets in the controller, in turn where these are equal: a slow
/// link cannot fill all the buffers, and equal links get equal shares. Nothing is allocated once the queues are warm.
///
/// A link has two lanes, whose frames take turns: bulk data on its credit-based channels and its attributes share the link
/// evenly, and neither waits behind the other's queue.
package struct ACLTransmitter {
    /// The place of one link in this transmitter; used again after `close`.
    package struct Slot: Hashable, Sendable {
        let index: Int
    }

    /// Frames of one lane leave in order.
    package enum LaneName: Int, Hashable, Sendable {
        /// The fixed channels.
        case main = 0
        /// The credit-based channels, with their signalling.
        case bulk = 1
    }

    private struct Lane {
        /// Whole L2CAP frames one after another; what lies before `head` is gone.
        var octets: [UInt8] = []
        var head = 0
        var pending: Int { octets.count - head }

        mutating func removeAll(keepingAtMost limit: Int) {
            octets.removeAll(keepingCapacity: octets.capacity <= limit)
            head = 0
        }
    }

    private struct Queue {
        var handle: UInt16
        var isOpen: Bool
        var lanes: InlineArray<2, Lane> = [Lane(), Lane()]
        /// The lane of the last frame begun.
        var lane = 1
        /// Octets of the frame at that lane's head that are still to go; 0 between frames.
        var frameRest = 0
        /// Packets in the controller that it has not reported as completed.
        var outstanding = 0
        /// The main lane reached `fullMark` and has not fallen to `drainedMark` since.
        var wasFull = false
        var pending: Int { lanes[0].pending + lanes[1].pending }
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
        for lane in 0..<2 { queues[index].lanes[lane].removeAll(keepingAtMost: 4 * fullMark) }
        queues[index].frameRest = 0
        queues[index].outstanding = 0
        queues[index].wasFull = false
    }

    /// Octets of frames that wait for room in the controller.
    package func queuedOctets(_ slot: Slot, lane: LaneName = .main) -> Int {
        queues[slot.index].lanes[lane.rawValue].pending
    }

    /// Packets of this link in the controller.
    package func outstanding(_ slot: Slot) -> Int { queues[slot.index].outstanding }

    /// Whether the main lane holds so much that more should wait for `drained`.
    package func isFull(_ slot: Slot) -> Bool { queues[slot.index].wasFull }

    /// Queues one frame. False if the lane's limit leaves no room: then nothing was queued.
    package mutating func enqueue(
        _ payload: Span<UInt8>, channel: L2CAP.ChannelIdentifier, on slot: Slot, lane: LaneName = .main
    ) -> Bool {
        guard queues[slot.index].isOpen, let length = UInt16(exactly: payload.count),
            queuedOctets(slot, lane: lane) + L2CAP.headerCount + payload.count <= limit
        else { return false }
        queues[slot.index].lanes[lane.rawValue].octets.append(addingCapacity: L2CAP.headerCount + payload.count) {
            output in
            output.append(UInt8(truncatingIfNeeded: length))
            output.append(UInt8(truncatingIfNeeded: length >> 8))
            output.append(UInt8(truncatingIfNeeded: channel.rawValue))
            output.append(UInt8(truncatingIfNeeded: channel.rawValue >> 8))
            for index in payload.indices { output.append(payload[index]) }
        }
        if lane == .main, queuedOctets(slot) >= fullMark { queues[slot.index].wasFull = true }
        return true
    }

    /// Whether the controller takes more now.
    package var hasRoom: Bool { outstanding < bufferCount && fragmentLength > 0 }

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
        while hasRoom, let index = nextQueue() {
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
        let isStart = queues[index].frameRest == 0
        if isStart, queues[index].lanes[1 - queues[index].lane].pending > 0 {
            queues[index].lane = 1 - queues[index].lane
        }
        let lane = queues[index].lane
        let head = queues[index].lanes[lane].head
        if isStart {
            let octets = queues[index].lanes[lane].octets
            queues[index].frameRest = L2CAP.headerCount + (Int(octets[head]) | Int(octets[head + 1]) << 8)
        }
        let count = min(fragmentLength, queues[index].frameRest)
        // Packet boundary flag: 00 first non-automatically-flushable, 01 continuing (Vol 4, Part E, 5.4.2).
        let header = queues[index].handle & 0x0FFF | (isStart ? 0 : 0x1000)
        output.append(0x02)
        output.append(UInt8(truncatingIfNeeded: header))
        output.append(UInt8(truncatingIfNeeded: header >> 8))
        output.append(UInt8(truncatingIfNeeded: count))
        output.append(UInt8(truncatingIfNeeded: count >> 8))
        output.append(contentsOf: queues[index].lanes[lane].octets[head..<head + count])
        queues[index].frameRest -= count
        queues[index].lanes[lane].head = head + count
        queues[index].outstanding += 1
        outstanding += 1
        compact(index, lane)
        if queues[index].wasFull, queues[index].lanes[0].pending <= drainedMark {
            queues[index].wasFull = false
            drained.append(Slot(index: index))
        }
    }

    private mutating func compact(_ index: Int, _ lane: Int) {
        let head = queues[index].lanes[lane].head
        if head == queues[index].lanes[lane].octets.count {
            queues[index].lanes[lane].octets.removeAll(keepingCapacity: true)
            queues[index].lanes[lane].head = 0
        } else if head >= fullMark, head >= queues[index].lanes[lane].pending {
            queues[index].lanes[lane].octets.removeSubrange(..<head)
            queues[index].lanes[lane].head = 0
        }
    }
}
