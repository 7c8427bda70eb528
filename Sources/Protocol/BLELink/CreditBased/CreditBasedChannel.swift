import BLEWire

/// One credit-based channel of either mode: its two ends, the data to be sent, the SDU in reassembly, and the credits of both
/// sides.
struct CreditBasedChannel {
    enum State: Hashable {
        /// Our request waits for the peer's answer.
        case connecting(identifier: UInt8)
        /// The peer refused our request with this result. The owner changes the link's security and calls `resume`.
        case suspended(L2CAP.CreditBasedConnectionResponse.Result)
        case open
        /// This side closed the channel. Queued data is still sent.
        case draining
        /// Our disconnection request waits for the peer's answer (Vol 3, Part A, 4.7). The owner has received the end.
        case disconnecting(identifier: UInt8)
    }

    let number: UInt32
    let spsm: UInt16
    let local: L2CAP.ChannelIdentifier
    let isIncoming: Bool
    var state: State
    var deadline: Instant?
    var remote = L2CAP.ChannelIdentifier.null
    /// `close` was called before the peer's answer.
    var isAbandoned = false
    /// Whether a refusal for insufficient security suspends the channel. The second refusal is final.
    var canSuspend = false

    /// What this side accepts.
    let own: CreditBasedOffer
    /// What the peer accepts.
    var peer = ChannelLimits(mtu: 0, mps: 0)
    var sendCredits = 0

    /// SDUs in the order of transmission: length, then octets. The octets before `head` have been sent.
    private(set) var queue: [UInt8] = []
    private var head = 0
    /// The octets of the SDU at `head` that are still to be sent, including its length field; 0 at the start of an SDU.
    private var sduRest = 0
    /// `send` has returned `full`, and `writable` has not followed yet.
    var wasFull = false

    /// The K-frames that the peer may still send (Vol 3, Part A, 10.1).
    var receiveCredits = 0
    /// The octets that the reader has not consumed.
    var unread = 0
    /// The SDU in reassembly.
    var partial: [UInt8] = []
    /// The octets that it still lacks; nil between SDUs.
    var missing: Int?

    init(
        number: UInt32, spsm: UInt16, local: L2CAP.ChannelIdentifier, isIncoming: Bool, own: CreditBasedOffer,
        state: State
    ) {
        self.number = number
        self.spsm = spsm
        self.local = local
        self.isIncoming = isIncoming
        self.own = own
        self.state = state
    }

    /// The octets that wait to be sent.
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

    /// Calls `body` with the next K-frame's payload and uses a credit (Vol 3, Part A, 3.4 and 10.1). Requires
    /// `canSend`.
    mutating func takeFrame(_ body: (Span<UInt8>) -> Void) {
        if sduRest == 0 { sduRest = 2 + (Int(queue[head]) | Int(queue[head + 1]) << 8) }
        let count = min(peer.mps, sduRest)
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
