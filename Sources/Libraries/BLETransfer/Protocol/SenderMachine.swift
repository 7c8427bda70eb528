/// The sending end of a transfer as a value: messages and the time go in, messages, events and a deadline come out.
///
/// The machine reads no file and knows no link. The caller asks for the next piece of the file with `nextPiece`, hands the octets to
/// the link, and reports a piece that the link accepted with `sent`.
package struct SenderMachine {
    package enum Event: Hashable, Sendable {
        /// The receiver claims the first `count` octets of the file. Answer with `prefixChecked`.
        case checkPrefix(count: Int, digest: [UInt8])
        /// Octets flow from this offset on.
        case started(offset: Int)
        /// The receiver has stored this number of octets.
        case progress(Int)
        /// The transfer ended: nil is success.
        case ended(TransferError?)
    }

    enum State: Hashable, Sendable {
        /// Without a link since this time.
        case unlinked(since: Duration)
        /// The offer was sent. After a restart the receiver must have no octets.
        case offering(isRestart: Bool)
        /// The caller compares the receiver's octets with the file.
        case checkingPrefix(count: Int, window: Int)
        case sending
        case ended
    }

    /// The number of repetitions without progress after which the sender gives up.
    static let repetitionLimit = 64

    package let offer: TransferOffer
    private let timing: TransferTiming
    private(set) var state: State
    /// The messages to send, in order. The caller empties the list after each call.
    package var outgoing: [TransferMessage] = []
    /// What happened. The caller empties the list after each call.
    package var events: [Event] = []

    /// The number of octets that the receiver has stored.
    package private(set) var acknowledged = 0
    /// The offset of the next octet to send.
    private var next = 0
    /// The number of octets that were sent at least once.
    private var highest = 0
    /// The number of octets that may be under way.
    private var window = 0
    /// The time of the peer's last message.
    private var lastHeard: Duration
    /// The time of the peer's last message, or of the last piece that the link accepted.
    private var lastActivity: Duration
    /// The time of a check that the receiver has not answered.
    private var checked: Duration?
    private var repetitions = 0

    package init(_ offer: TransferOffer, timing: TransferTiming = TransferTiming(), at now: Duration) {
        self.offer = offer
        self.timing = timing
        state = .unlinked(since: now)
        lastHeard = now
        lastActivity = now
    }

    package var isEnded: Bool { state == .ended }

    /// The time limit of the first link counts from now on.
    package mutating func begin(at now: Duration) {
        if case .unlinked = state { state = .unlinked(since: now) }
    }

    // MARK: Link

    package mutating func linkOpened(at now: Duration) {
        guard case .unlinked = state else { return }
        outgoing = [.offer(version: TransferMessage.version, offer)]
        state = .offering(isRestart: false)
        heard(at: now)
    }

    package mutating func linkClosed(at now: Duration) {
        outgoing = []
        switch state {
        case .unlinked, .ended: return
        case .offering, .checkingPrefix, .sending: state = .unlinked(since: now)
        }
    }

    // MARK: Messages

    package mutating func receive(_ message: TransferMessage, at now: Duration) {
        switch (state, message) {
        case (.ended, _), (.unlinked, _): return
        case (_, .end(let reason)):
            // The receiver cannot have octets that were not sent.
            let isWhole = state == .sending && highest == offer.size
            if reason == .complete, isWhole {
                acknowledged = offer.size
                events.append(.progress(offer.size))
                finish(nil)
            } else if reason == .complete {
                stop(.protocolError)
            } else {
                finish(.endedByPeer(reason))
            }
        case (_, .offer): stop(.wrongRole)
        case (.offering(let isRestart), .accept(let offset, let window, let digest)):
            guard window > 0, offset <= (isRestart ? 0 : offer.size) else { return stop(.protocolError) }
            heard(at: now)
            if offset == 0 {
                start(at: 0, window: window, now)
            } else {
                state = .checkingPrefix(count: offset, window: window)
                events.append(.checkPrefix(count: offset, digest: digest))
            }
        case (.sending, .acknowledge(let offset)):
            guard offset <= highest, offset >= acknowledged else { return stop(.protocolError) }
            heard(at: now)
            advance(to: offset)
        case (.sending, .resend(let offset)):
            guard offset <= highest, offset >= acknowledged else { return stop(.protocolError) }
            heard(at: now)
            advance(to: offset)
            repetitions += 1
            guard repetitions <= Self.repetitionLimit else { return stop(.protocolError) }
            next = offset
        default: stop(.protocolError)
        }
    }

    /// The peer sent octets that are not a message.
    package mutating func receivedInvalidOctets() {
        switch state {
        case .unlinked, .ended: return
        default: stop(.protocolError)
        }
    }

    /// Answers `checkPrefix`.
    package mutating func prefixChecked(isEqual: Bool, at now: Duration) {
        guard case .checkingPrefix(let count, let window) = state else { return }
        // The check of a large file takes time.
        heard(at: now)
        if isEqual {
            start(at: count, window: window, now)
        } else {
            outgoing.append(.restart)
            state = .offering(isRestart: true)
        }
    }

    private mutating func start(at offset: Int, window: Int, _ now: Duration) {
        state = .sending
        self.window = window
        acknowledged = offset
        next = offset
        highest = offset
        repetitions = 0
        lastActivity = now
        checked = nil
        events.append(.started(offset: offset))
    }

    private mutating func advance(to offset: Int) {
        checked = nil
        guard offset > acknowledged else { return }
        acknowledged = offset
        next = max(next, offset)
        repetitions = 0
        events.append(.progress(offset))
    }

    // MARK: Data

    /// The next octets to send, at most `limit` of them; nil if the window is full or all were sent.
    package func nextPiece(limit: Int) -> Range<Int>? {
        guard state == .sending, limit > 0, next < offer.size else { return nil }
        let end = min(next + limit, offer.size)
        let allowed = acknowledged + window
        if end <= allowed { return next..<end }
        // A short piece would waste a packet while an acknowledgement is about to open the window.
        return next == acknowledged ? next..<min(end, allowed) : nil
    }

    /// The link accepted a piece.
    package mutating func sent(_ piece: Range<Int>, at now: Duration) {
        guard state == .sending, piece.lowerBound == next else { return }
        next = piece.upperBound
        highest = max(highest, next)
        lastActivity = now
    }

    // MARK: Time and end

    /// The time at which `handleTimeout` must be called.
    package var deadline: Duration? {
        switch state {
        case .unlinked(let since): since + timing.linkLimit
        case .offering, .checkingPrefix: lastHeard + timing.answerLimit
        case .sending: checked.map { $0 + timing.answerLimit } ?? lastActivity + timing.checkInterval
        case .ended: nil
        }
    }

    package mutating func handleTimeout(at now: Duration) {
        guard let deadline, deadline <= now else { return }
        switch state {
        case .unlinked: finish(.noLink)
        case .sending where checked == nil:
            checked = now
            outgoing.append(.check(offset: next))
        default: stop(.timeout)
        }
    }

    /// Ends the transfer from this side. Without a link the peer does not learn of it.
    package mutating func stop(_ reason: TransferReason) {
        switch state {
        case .ended: return
        case .unlinked: break
        default: outgoing.append(.end(reason))
        }
        finish(.ended(reason))
    }

    /// Ends the transfer without a message.
    package mutating func finish(_ error: TransferError?) {
        guard state != .ended else { return }
        state = .ended
        events.append(.ended(error))
    }

    private mutating func heard(at now: Duration) {
        lastHeard = now
        lastActivity = now
    }
}
