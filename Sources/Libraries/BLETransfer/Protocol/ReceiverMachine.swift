import Crypto
import Foundation

/// The receiving end of transfers as a value: messages, octets and the time go in, messages, events and a deadline come out.
///
/// The machine stores nothing. For each value of a peer it returns the octets that the caller appends to its file, and it counts
/// them when the caller reports them as stored. It keeps a running digest, so its memory does not depend on the size of the file.
package struct ReceiverMachine {
    package enum Event: Hashable, Sendable {
        /// A sender offers a file. Answer with `accept` or `refuse`.
        case offered(TransferOffer)
        /// The stored octets are not the beginning of the file: discard them and call `restarted`.
        case discard
        /// The receiver has stored this number of octets.
        case progress(Int)
        /// All octets are stored, and the digest matches. Give the file its name and call `committed`, or `refuse`.
        case commit
        /// The transfer ended: nil is success.
        case ended(TransferError?)
        /// The link ended. Keep the octets; another offer continues.
        case suspended
    }

    enum State: Hashable, Sendable {
        case idle
        /// The caller looks for a place for the file.
        case deciding
        case discarding
        case receiving
        case committing
    }

    private let timing: TransferTiming
    /// The number of octets beyond an acknowledged offset that the sender may send.
    package let window: Int
    private(set) var state = State.idle
    /// The messages to send, in order. The caller empties the list after each call.
    package var outgoing: [TransferMessage] = []
    /// What happened. The caller empties the list after each call.
    package var events: [Event] = []

    package private(set) var offer: TransferOffer?
    /// The number of stored octets.
    package private(set) var received = 0
    private var hash = SHA256()
    private var lastAcknowledged = 0
    /// The offset of the last value that did not follow the stored octets; nil if none is missing.
    private var gap: Int?
    private var lastHeard = Duration.zero
    /// The offers since the last complete file of the link. Each of them can make the store read a whole file.
    private var offers = 0

    /// The number of offers for one file on one link.
    static let offerLimit = 8

    package init(window: Int = 131_072, timing: TransferTiming = TransferTiming()) {
        // The type of the message bounds the window.
        self.window = min(max(window, 1), TransferOffer.largestSize)
        self.timing = timing
    }

    package var isIdle: Bool { state == .idle }

    // MARK: Messages

    package mutating func receive(_ message: TransferMessage, at now: Duration) {
        lastHeard = now
        switch (state, message) {
        case (_, .offer(let version, let offer)):
            // A sender that starts again ends what it sent before.
            if state != .idle { suspend() }
            guard version == TransferMessage.version else {
                outgoing.append(.end(.unsupportedVersion))
                return events.append(.ended(.ended(.unsupportedVersion)))
            }
            offers += 1
            guard offers <= Self.offerLimit else {
                outgoing.append(.end(.protocolError))
                return events.append(.ended(.ended(.protocolError)))
            }
            self.offer = offer
            state = .deciding
            events.append(.offered(offer))
        case (.idle, _):
            // The sender's last messages may cross this end's END.
            return
        case (_, .end(let reason)): finish(.endedByPeer(reason == .complete ? .protocolError : reason))
        case (.receiving, .restart):
            state = .discarding
            events.append(.discard)
        case (.receiving, .check(let offset)):
            if offset > received {
                gap = gap ?? offset
                outgoing.append(.resend(offset: received))
            } else {
                acknowledge()
            }
        default: refuse(.protocolError)
        }
    }

    /// The peer sent octets that are not a message.
    package mutating func receivedInvalidOctets() {
        guard state != .idle else { return }
        refuse(.protocolError)
    }

    /// Answers `offered`: `received` octets are stored, and `hash` has read them.
    package mutating func accept(received: Int, hash: SHA256) {
        guard state == .deciding, let offer, (0...offer.size).contains(received) else { return }
        self.received = received
        self.hash = hash
        lastAcknowledged = received
        gap = nil
        state = .receiving
        outgoing.append(.accept(offset: received, window: window, digest: Array(hash.finalize())))
        // A digest mismatch of a complete file is for the sender to see: it asks for a restart.
        if received == offer.size, isDigestRight { complete() }
    }

    /// Answers `discard`.
    package mutating func restarted() {
        guard state == .discarding else { return }
        state = .deciding
        accept(received: 0, hash: SHA256())
    }

    /// Ends the transfer from this side.
    package mutating func refuse(_ reason: TransferReason) {
        guard state != .idle else { return }
        outgoing.append(.end(reason))
        finish(.ended(reason))
    }

    /// Answers `commit`.
    package mutating func committed() {
        guard state == .committing else { return }
        offers = 0
        outgoing.append(.end(.complete))
        finish(nil)
    }

    // MARK: Data

    /// Takes octets of the file that begin at `offset`. Returns which of them the caller has to store; nil if none.
    package mutating func receiveData(at offset: Int, count: Int, at now: Duration) -> Range<Int>? {
        guard state == .receiving, let offer, count > 0 else { return nil }
        lastHeard = now
        guard offset >= 0, count <= offer.size, offset <= offer.size - count else {
            refuse(.protocolError)
            return nil
        }
        guard offset <= received else {
            // A value whose offset does not rise is the beginning of a repetition that lost a value again.
            if gap == nil || offset <= gap! { outgoing.append(.resend(offset: received)) }
            gap = offset
            return nil
        }
        guard offset + count > received else { return nil }
        gap = nil
        return received - offset..<count
    }

    /// The caller has stored the octets that `receiveData` named.
    package mutating func stored(_ octets: some DataProtocol) {
        guard state == .receiving, let offer else { return }
        hash.update(data: octets)
        received += octets.count
        if received == offer.size {
            events.append(.progress(received))
            return complete()
        }
        if received - lastAcknowledged >= max(1, window / 8) { acknowledge() }
    }

    private mutating func acknowledge() {
        lastAcknowledged = received
        outgoing.append(.acknowledge(offset: received))
        events.append(.progress(received))
    }

    private var isDigestRight: Bool { offer?.digest == Array(hash.finalize()) }

    private mutating func complete() {
        guard isDigestRight else { return refuse(.digestMismatch) }
        state = .committing
        events.append(.commit)
    }

    // MARK: Link, time and end

    package mutating func linkClosed() {
        outgoing = []
        offers = 0
        if state != .idle { suspend() }
    }

    private mutating func suspend() {
        state = .idle
        events.append(.suspended)
    }

    /// The time at which `handleTimeout` must be called.
    package var deadline: Duration? { state == .idle ? nil : lastHeard + timing.answerLimit }

    package mutating func handleTimeout(at now: Duration) {
        guard let deadline, deadline <= now else { return }
        refuse(.timeout)
    }

    private mutating func finish(_ error: TransferError?) {
        state = .idle
        events.append(.ended(error))
    }
}
