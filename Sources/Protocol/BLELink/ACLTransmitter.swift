import BLEWire

/// Sends the L2CAP frames of all links through the controller's buffers. Each link has a queue of octets. Fragments are
/// no longer than the controller accepts, and the controller never has more packets than buffers (Vol 4, Part E, 4.1.1
/// and 4.3).
///
/// The next fragment goes to the link with the fewest packets in the controller. Links with equal counts take turns. A
/// slow link cannot fill all the buffers, and equal links get equal shares. Warm queues allocate nothing.
///
/// A link has two lanes, which take turns. Bulk data on its credit-based channels and its attribute traffic share the
/// link evenly, octet for octet. Neither waits for more than one frame of the other.
///
/// `enqueue` and `pump` serve a call that may concern many links. `send` serves a call that concerns one frame of one link, and
/// skips the queue while no link waits.
@usableFromInline
package struct ACLTransmitter {
    /// Identifies a link's queue in this transmitter. Reused after `close`.
    @usableFromInline
    package struct Slot: Hashable, Sendable {
        let index: Int
    }

    /// A lane of a link. Frames of one lane leave in order.
    package enum QueuePriority: Int, Hashable, Sendable {
        /// The fixed channels.
        case main = 0
        /// The credit-based channels, with their signalling.
        case bulk = 1
    }

    private var queues: [Queue] = []
    private var turn = 0
    /// The octets in the queues of all links.
    @usableFromInline var queued = 0
    /// The longest ACL payload that the controller accepts, in octets; 0 until it is known.
    package private(set) var fragmentLength = 0
    /// The number of packets that the controller buffers for all links.
    package private(set) var bufferCount = 0
    /// The packets of all links in the controller.
    package private(set) var outstanding = 0
    /// The queues that drained after being full. The owner takes and empties the array.
    @usableFromInline package var drained: [Slot] = []

    /// The number of queued octets from which on a queue counts as full.
    package let fullMark: Int
    /// The number of queued octets at or below which a full queue counts as drained.
    package let drainedMark: Int
    /// The limit of queued octets. A frame that would exceed it is refused.
    package let limit: Int

    package init(fullMark: Int = 8_192, limit: Int = 1 << 20) {
        self.fullMark = fullMark
        self.drainedMark = fullMark / 2
        self.limit = max(limit, fullMark)
        queues.prepareStorage()
    }

    /// Sets the controller's buffers, from LE Read Buffer Size, or from Read Buffer Size if they are shared.
    package mutating func configure(fragmentLength: Int, bufferCount: Int) {
        self.fragmentLength = fragmentLength
        self.bufferCount = bufferCount
    }

    /// Removes every link and every packet in the controller, as an HCI Reset does.
    package mutating func reset() {
        for index in queues.indices { release(index) }
        outstanding = 0
        fragmentLength = 0
        bufferCount = 0
        drained.empty()
    }

    package mutating func open(handle: UInt16) -> Slot {
        if let index = queues.firstIndex(where: { !$0.isOpen }) {
            queues[index].handle = handle
            queues[index].isOpen = true
            return Slot(index: index)
        }
        queues.append(Queue(handle: handle))
        return Slot(index: queues.count - 1)
    }

    /// Drops the queued data. The link's packets in the controller count as flushed (Vol 4, Part E, 4.3).
    package mutating func close(_ slot: Slot) {
        guard queues[slot.index].isOpen else { return }
        outstanding -= queues[slot.index].outstanding
        release(slot.index)
        drained.removeAll { $0 == slot }
    }

    private mutating func release(_ index: Int) {
        queued -= queues[index].pending
        queues[index].release(keepingAtMost: 4 * fullMark)
    }

    /// Whether nothing waits: no data, and no report of a queue that drained.
    @inlinable package var isQuiet: Bool { queued == 0 && drained.isEmpty }

    /// Whether data waits for room in the controller.
    package var isStalled: Bool { queued > 0 && !hasRoom }

    /// The octets of frames that wait for room in the controller.
    package func queuedOctets(_ slot: Slot, lane: QueuePriority = .main) -> Int {
        lane == .main ? queues[slot.index].mainPending : queues[slot.index].bulkPending
    }

    /// The packets of this link in the controller.
    package func outstanding(_ slot: Slot) -> Int { queues[slot.index].outstanding }

    /// Whether the controller has completed all packets of a link, and none waits.
    package func isIdle(_ slot: Slot) -> Bool {
        queues[slot.index].outstanding == 0 && queues[slot.index].pending == 0
    }

    /// An upper bound of the packets that the controller completes until the frames now in the main lane are delivered. The
    /// bulk lane sends as many octets meanwhile.
    package func packetsUntilDelivered(_ slot: Slot) -> Int {
        let queue = queues[slot.index]
        guard queue.mainPending > 0 else { return queue.outstanding }
        // Every packet has at least the octets of a header.
        return queue.outstanding + (2 * queue.mainPending + queue.bulkPending) / L2CAP.headerCount + 2
    }

    /// Whether the main lane is full. Further data should then wait for `drained`.
    package func isFull(_ slot: Slot) -> Bool { queues[slot.index].wasFull }

    /// Queues one frame. Returns false, without effect, if it would exceed the lane's limit.
    package mutating func enqueue(
        _ payload: Span<UInt8>, channel: L2CAP.ChannelIdentifier, on slot: Slot, lane: QueuePriority = .main
    ) -> Bool {
        guard queues[slot.index].isOpen, let length = UInt16(exactly: payload.count),
            queuedOctets(slot, lane: lane) + L2CAP.headerCount + payload.count <= limit
        else { return false }
        queues[slot.index].append(payload, length: length, channel, lane: lane)
        queued += L2CAP.headerCount + payload.count
        if lane == .main, queuedOctets(slot) >= fullMark { queues[slot.index].wasFull = true }
        return true
    }

    /// Queues an attribute PDU of an opcode, a handle and a value. Returns false, without effect, if it would exceed the lane's limit.
    package mutating func enqueue(opcode: ATT.Opcode, handle: UInt16, _ value: Span<UInt8>, on slot: Slot) -> Bool {
        let count = L2CAP.headerCount + 3 + value.count
        guard queues[slot.index].isOpen, 3 + value.count <= UInt16.max, queuedOctets(slot) + count <= limit else {
            return false
        }
        queues[slot.index].append(opcode: opcode, handle: handle, value)
        queued += count
        if queuedOctets(slot) >= fullMark { queues[slot.index].wasFull = true }
        return true
    }

    /// Sends one frame of the main lane. Returns false, without effect, if the lane's limit refuses the frame.
    ///
    /// The octets in `output` and all later output are those of `enqueue` and `pump`. If the controller has room and no link waits,
    /// the frame goes to `output` directly, and the queue holds only the fragments for which the controller has no room.
    /// Otherwise the frame is queued, and the next `pump` chooses among all links.
    package mutating func send(
        _ payload: Span<UInt8>, channel: L2CAP.ChannelIdentifier, on slot: Slot, into output: inout [UInt8]
    ) -> Bool {
        // A frame that alone fills the queue has to report that the queue drained.
        guard queued == 0, hasRoom, fragmentLength >= L2CAP.headerCount, queues[slot.index].isOpen,
            let length = UInt16(exactly: payload.count), L2CAP.headerCount + payload.count < fullMark
        else { return enqueue(payload, channel: channel, on: slot) }
        outstanding += queues[slot.index].sendFrame(
            payload, length: length, channel, upTo: fragmentLength, room: bufferCount - outstanding, into: &output)
        queued = queues[slot.index].pending
        turn = slot.index + 1 < queues.count ? slot.index + 1 : 0
        return true
    }

    /// Sends an attribute PDU of an opcode, a handle and a value as one packet, like `send`. Returns false, without effect, if `send` has to
    /// queue or to fragment it.
    package mutating func send(
        opcode: ATT.Opcode, handle: UInt16, _ value: Span<UInt8>, on slot: Slot, into output: inout [UInt8]
    ) -> Bool {
        let length = 3 + value.count
        let count = L2CAP.headerCount + length
        guard queued == 0, hasRoom, count <= fragmentLength, count < fullMark, queues[slot.index].isOpen else {
            return false
        }
        // The length of an ACL packet has 16 bits, and `count` is at most that.
        let header = H4.header(queues[slot.index].handle, opcode, attribute: handle, valueCount: value.count)
        output.append(header, value)
        queues[slot.index].sentFrame(count)
        outstanding += 1
        turn = slot.index + 1 < queues.count ? slot.index + 1 : 0
        return true
    }

    /// Sends a short attribute PDU, like `send`.
    package mutating func send(_ pdu: ATT.ShortPDU, on slot: Slot, into output: inout [UInt8]) {
        let count = L2CAP.headerCount + pdu.count
        guard queued == 0, hasRoom, count <= fragmentLength, count < fullMark, queues[slot.index].isOpen else {
            _ = pdu.withOctets { send($0, channel: .attribute, on: slot, into: &output) }
            return
        }
        let header = H4.header(queues[slot.index].handle, count: count, frame: pdu.count, .attribute)
        output.append(header, pdu)
        queues[slot.index].sentFrame(count)
        outstanding += 1
        turn = slot.index + 1 < queues.count ? slot.index + 1 : 0
    }

    /// Whether the controller accepts another packet now.
    package var hasRoom: Bool { outstanding < bufferCount && fragmentLength > 0 }

    /// A fault in Number Of Completed Packets.
    package enum CompletionFault: Hashable, Sendable {
        /// The controller completed packets that it never received. The surplus is ignored.
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
        while queued > 0, hasRoom, let index = nextQueue() {
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
        queued -= queues[index].sendFragment(upTo: fragmentLength, into: &output, mark: fullMark)
        outstanding += 1
        if queues[index].wasFull, queues[index].mainPending <= drainedMark {
            queues[index].wasFull = false
            drained.append(Slot(index: index))
        }
    }
}
