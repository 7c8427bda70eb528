import BLEAttribute
import BLELink
import BLEWire

/// The enhanced bearers of a link as channels: the central opens them, once the link is encrypted and the peer's server has said
/// that it supports them (Vol 3, Part G, 5.3 and 5.4). A peripheral accepts them.
///
/// Bearers have no order among each other: a PDU can overtake one that left earlier on another bearer. So the use of the bearers is:
/// - Reads and discoveries use any free bearer. They change nothing in the server, and `CompletionOrder` ends them in the order of the calls.
/// - Writes with a response, subscriptions, reliable writes and reads of several values run alone, on the unenhanced bearer: the effect of an operation
///   precedes the operations after it.
/// - Write commands and notifications use the unenhanced bearer alone. Nothing answers them, so their order is that of one bearer, and there they need
///   no credits of the peer. Signed ones are allowed on no other (Vol 3, Part F, 3.4.5.4).
/// - Indications use any free bearer, one of each value at a time.
/// - Each request of the peer is answered on its own bearer. Its prepared writes belong to the client, whatever bearer brought them.
///
/// The channels begin with the largest MTU that this host accepts, so it never reconfigures them. A peer may (Vol 3, Part A, 4.27).
struct EnhancedBearers: Sendable {
    /// The number of the service (Assigned Numbers, 2.10).
    static let spsm: UInt16 = 0x0027
    /// The number of requests of one link that the peer refuses for lack of resources.
    static let attemptLimit = 3
    /// The unit of the delay after a collision, and the number of units.
    static let delayUnit = TimeSpan.milliseconds(10)
    static let delayUnits: UInt64 = 20

    private enum State: Hashable {
        /// The link is not encrypted yet, or this side does not open bearers.
        case idle
        /// The features of the peer are being read.
        case finding
        /// The channels are to be requested at the deadline.
        case due
        /// The peer has not answered for all requested channels. `collides`: it refused one for lack of resources.
        case requested(collides: Bool)
        case done
    }

    /// The limit of bearers of the link; 0 if there are none.
    let count: Int
    /// This side's limits.
    let offer: CreditBasedOffer
    private var state = State.idle
    private var attempts = 0
    /// The requested channels.
    private var pending: [UInt32] = []
    /// The channels that are open, or closing.
    private var channels: [UInt32] = []
    /// Channels to close: their bearers have failed.
    private(set) var failed: [UInt32] = []
    private var random: SeededRandom

    init(count: Int, mtu: UInt16, seed: UInt64) {
        self.count = min(max(count, 0), ATTBearer.enhancedLimit)
        // A PDU fills one K-frame, whose first two octets are its length.
        offer = CreditBasedOffer(.enhanced, mtu: mtu, mps: mtu + 2)
        random = SeededRandom(seed: seed)
    }

    var isOn: Bool { count > 0 }

    /// The service for the peer's requests; nil if this host has no enhanced bearers.
    var listener: CreditBasedListener? {
        guard isOn else { return nil }
        var listener = CreditBasedListener(spsm: Self.spsm, requiresEncryption: true)
        listener.offer = offer
        listener.channelLimit = count
        return listener
    }

    /// Whether an event belongs to a bearer instead of a channel of the program.
    func owns(_ event: CreditBasedEvent) -> Bool {
        switch event {
        case .opened(let number, let information):
            information.isIncoming ? isOn && information.spsm == Self.spsm : pending.contains(number)
        case .refused(let number, _), .closed(let number, _), .writable(let number), .received(let number, _),
            .reconfigured(let number, _), .securityRequired(let number, _):
            channels.contains(number) || pending.contains(number)
        }
    }

    /// Takes note of the encryption of the link. Returns whether the features of the peer are to be read.
    mutating func find() -> Bool {
        guard isOn, state == .idle else { return false }
        state = .finding
        return true
    }

    /// The peer's server supports enhanced bearers.
    mutating func supported() { if state == .finding { state = .due } }

    /// The number of channels to request now; 0 if the peer has opened all.
    mutating func take() -> Int {
        guard state == .due else { return 0 }
        attempts += 1
        return count - channels.count
    }

    mutating func requested(_ numbers: [UInt32]) {
        pending = numbers
        state = numbers.isEmpty ? .done : .requested(collides: false)
    }

    mutating func opened(_ number: UInt32) {
        channels.append(number)
        answered(number, collides: false)
    }

    mutating func refused(_ number: UInt32, _ error: CreditBasedConnectionError) {
        answered(number, collides: error == .result(.noResources))
    }

    private mutating func answered(_ number: UInt32, collides: Bool) {
        guard case .requested(let before) = state, let index = pending.firstIndex(of: number) else { return }
        pending.remove(at: index)
        state = .requested(collides: before || collides)
    }

    /// The delay until the next request, if the peer refused all channels for lack of resources: it may have requested channels at
    /// the same time (Vol 3, Part G, 5.4). The delay is random, so that two sides with equal rules do not collide again.
    mutating func collisionDelay() -> TimeSpan? {
        guard case .requested(let collides) = state, pending.isEmpty else { return nil }
        guard collides, channels.isEmpty, attempts < Self.attemptLimit else {
            state = .done
            return nil
        }
        state = .due
        return Self.delayUnit * Int(1 + random.next() % Self.delayUnits)
    }

    mutating func closed(_ number: UInt32) { channels.removeAll { $0 == number } }

    mutating func fail(_ number: UInt32) {
        if channels.contains(number), !failed.contains(number) { failed.append(number) }
    }

    mutating func takeFailed() -> UInt32? { failed.isEmpty ? nil : failed.removeFirst() }
}
