import BLEWire

/// One LE credit-based channel: its two ends, what waits to be sent, the SDU under way, and the credits of both sides.
struct CreditBasedChannel {
    enum State: Hashable {
        /// Our request waits for its answer.
        case connecting(identifier: UInt8)
        case open
        /// Closed by this side; what is queued still goes.
        case draining
        /// Our disconnection request waits for its answer; the owner knows the end already.
        case disconnecting(identifier: UInt8)
    }

    let number: UInt32
    let spsm: UInt16
    let local: L2CAP.ChannelIdentifier
    let isIncoming: Bool
    var state: State
    var deadline: Instant?
    var remote = L2CAP.ChannelIdentifier.null
    /// `close` came before the peer's answer.
    var isAbandoned = false

    // What the peer takes.
    var peerMTU = 0
    var peerMPS = 0
    var sendCredits = 0

    /// SDUs to send as they go out: length, then octets. What lies before `head` is gone.
    private(set) var queue: [UInt8] = []
    private var head = 0
    /// Octets of the SDU at `head` that are still to go, with its length field; 0 at the start of an SDU.
    private var sduRest = 0
    /// `send` said full and `writable` has not come since.
    var wasFull = false

    /// K-frames that the peer may still send.
    var receiveCredits = 0
    /// Octets that the reader has not consumed.
    var unread = 0
    /// The SDU under way.
    var partial: [UInt8] = []
    /// Octets that it lacks; nil between SDUs.
    var missing: Int?

    init(number: UInt32, spsm: UInt16, local: L2CAP.ChannelIdentifier, isIncoming: Bool, state: State) {
        self.number = number
        self.spsm = spsm
        self.local = local
        self.isIncoming = isIncoming
        self.state = state
    }

    /// Octets that wait to be sent.
    var queued: Int { queue.count - head }

    var canSend: Bool { sendCredits > 0 && queued > 0 && (state == .open || state == .draining) }

    /// Queues an SDU of at most 65,535 octets.
    mutating func append(_ sdu: Span<UInt8>) {
        queue.append(addingCapacity: 2 + sdu.count) { output in
            output.append(UInt8(truncatingIfNeeded: sdu.count))
            output.append(UInt8(truncatingIfNeeded: sdu.count >> 8))
            for index in sdu.indices { output.append(sdu[index]) }
        }
    }

    /// Calls `body` with the next K-frame's payload and spends a credit. Only if `canSend`.
    mutating func takeFrame(_ body: (Span<UInt8>) -> Void) {
        if sduRest == 0 { sduRest = 2 + (Int(queue[head]) | Int(queue[head + 1]) << 8) }
        let count = min(peerMPS, sduRest)
        body(queue.span.extracting(head..<head + count))
        head += count
        sduRest -= count
        sendCredits -= 1
        if head == queue.count {
            queue.removeAll(keepingCapacity: true)
            head = 0
        } else if head >= 16_384, head >= queued {
            queue.removeSubrange(..<head)
            head = 0
        }
    }

    mutating func dropQueue() {
        queue = []
        head = 0
        sduRest = 0
        partial = []
        missing = nil
    }
}
