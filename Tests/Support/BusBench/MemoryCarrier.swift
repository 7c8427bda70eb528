import BLETransport
import BLEWire
import SystemBus

/// A connection, as the broker sees it.
///
/// `@unchecked Sendable`: it is used on the queue of the scheduler.
final class MemoryPeer: @unchecked Sendable {
    weak var carrier: MemoryCarrier?
    var name: String?
    var hasEnded = false
    var input = MemoryInput()
    /// The rules, by their texts, with the number of times they were added.
    var rules: [String: (match: BusMatch, uses: Int)] = [:]
    /// The receivers of its calls that wait for replies.
    var waiting: [UInt32: MemoryPeer] = [:]

    init(_ carrier: MemoryCarrier) { self.carrier = carrier }
}

/// The octets of a connection: lines first, then messages.
struct MemoryInput {
    private var framing = BusFraming()
    private var hasBegun = false
    private var isAuthenticated = false

    /// Takes octets, answers lines, and returns messages.
    mutating func receive(
        _ octets: [UInt8], _ descriptors: [Descriptor], answer: (String) -> Void, agrees: () -> Bool
    ) throws(BusCallError) -> [BusMessage] {
        // NUL comes before everything.
        let rest = hasBegun ? octets : Array(octets.dropFirst())
        hasBegun = true
        try framing.append(rest.span, descriptors)
        while !isAuthenticated, let line = try framing.line() {
            switch line.split(separator: " ").first {
            case "AUTH": answer("OK 0123456789abcdef0123456789abcdef\r\n")
            case "NEGOTIATE_UNIX_FD": answer(agrees() ? "AGREE_UNIX_FD\r\n" : "ERROR\r\n")
            case "BEGIN": isAuthenticated = true
            default: throw .violation("an unknown line")
            }
        }
        var messages: [BusMessage] = []
        while isAuthenticated, let frame = try framing.next() {
            guard case .message(let message) = frame else { throw .violation("an invalid message") }
            messages.append(message)
        }
        try framing.compact()
        return messages
    }
}

/// Carries the octets of a connection to a broker and back, in the order of the scheduler.
///
/// `@unchecked Sendable`: it is used on the queue of the scheduler.
final class MemoryCarrier: BusCarrier, @unchecked Sendable {
    private let broker: MemoryBroker
    private(set) weak var connection: BusConnection?
    private var peer: MemoryPeer?
    private var deadline: Instant?
    private var isOpen = false
    private var wantsInput = true
    /// What waits until the connection reads.
    private var inbox: [([UInt8], [Descriptor])] = []
    /// Whether the broker takes the output.
    var isTaking = true {
        didSet { if isTaking, !oldValue { submit { [weak self] in self?.connection?.carrierTakesOutput() } } }
    }

    init(_ broker: MemoryBroker) { self.broker = broker }

    deinit { leave() }

    var now: Instant { broker.scheduler.now }

    func submit(_ body: @escaping @Sendable () -> Void) { broker.scheduler.submit(body) }

    func start(_ connection: BusConnection) {
        self.connection = connection
        submit { [weak self] in
            guard let self, self.connection?.end == nil else { return }
            peer = broker.add(self)
            isOpen = true
            self.connection?.carrierConnected()
        }
    }

    func follow(_ session: inout BusSession) {
        while isOpen, isTaking, let output = session.takeOutput(), let peer {
            session.wrote(output.octets.count)
            // The sender may close its descriptors at once.
            let (octets, descriptors) = (output.octets, output.descriptors)
            broker.scheduler.submit(after: broker.latency) { [broker] in
                broker.receive(octets, descriptors, from: peer)
            }
        }
        if session.wantsInput, !wantsInput { submit { [weak self] in self?.read() } }
        wantsInput = session.wantsInput
        plan(session.deadline)
    }

    func close() {
        leave()
        (isOpen, inbox) = (false, [])
    }

    private func leave() {
        guard let peer else { return }
        self.peer = nil
        // After what was sent before.
        broker.scheduler.submit(after: broker.latency) { [broker] in broker.remove(peer) }
    }

    /// Plans the deadline, unless an earlier one is planned.
    private func plan(_ next: Instant?) {
        guard let next, deadline.map({ next < $0 }) ?? true else { return }
        deadline = next
        broker.scheduler.submit(after: next - now) { [weak self] in
            guard let self, deadline == next else { return }
            deadline = nil
            connection?.handleTimeout()
        }
    }

    // MARK: From the broker

    func deliver(_ octets: [UInt8], _ descriptors: [Descriptor], after latency: TimeSpan) {
        broker.scheduler.submit(after: latency) { [weak self] in
            guard let self, isOpen else { return }
            inbox.append((octets, descriptors))
            read()
        }
    }

    private func read() {
        while isOpen, wantsInput, !inbox.isEmpty {
            let (octets, descriptors) = inbox.removeFirst()
            connection?.receive(octets.span, descriptors: descriptors)
        }
    }

    /// The bus ended the connection.
    func broke() {
        submit { [weak self] in
            guard let self, isOpen else { return }
            connection?.carrierEnded(.broken("the bus closed it"))
        }
    }
}
