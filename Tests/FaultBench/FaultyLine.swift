import BLEWire

/// One direction of the wire between a host and its controller, which does to the packets on it what its rates say.
///
/// A value: the same seed, packets and times bring the same faults. Octets go in packet by packet and come out as a stream,
/// in order, when they are due; what is not faulty comes at once.
package struct FaultyLine {
    /// What can happen to a packet.
    package enum Fault: Int, CaseIterable, Sendable {
        // To packets, which stay packets of H4.
        case packetDropped
        case packetTwice
        case packetLate
        /// Its last octets are missing, and its length says so.
        case parametersTooShort
        /// There are octets more at its end, and its length says so.
        case parametersTooLong
        case handleUnknown
        /// A packet that nobody sent goes before it.
        case packetInvented
        // To octets: the receiver has to find its way back.
        case octetDropped
        case octetTwice
        /// The line is dead from some octet on until the packet's end.
        case tailCut
        case headCut
        /// The packet stops in its middle and goes on later.
        case octetsLate
        case garbageInserted
    }

    package struct Rates: Sendable {
        /// The chance of a fault, in 1,000 packets.
        package var perThousand: Int
        package var faults: [Fault]
        /// The longest delay.
        package var longestDelay: TimeSpan

        package init(
            perThousand: Int, faults: [Fault] = Fault.allCases, longestDelay: TimeSpan = .milliseconds(2_500)
        ) {
            self.perThousand = perThousand
            self.faults = faults
            self.longestDelay = longestDelay
        }

        package static let none = Rates(perThousand: 0, faults: [])
    }

    package enum Direction: Sendable { case toHost, toController }

    package var rates = Rates.none
    /// How often each fault happened, by its raw value.
    package private(set) var counts = [Int](repeating: 0, count: Fault.allCases.count)
    package private(set) var packets = 0
    package private(set) var octetsOfNoise = 0

    private let direction: Direction
    private var random: SeededRandom
    private var forger: Forger
    /// What is on its way, in order; the first `head` are out.
    private var queue: [(due: Instant, octets: [UInt8])] = []
    private var head = 0

    package init(_ direction: Direction, seed: UInt64) {
        self.direction = direction
        random = SeededRandom(seed: seed)
        forger = Forger(direction)
    }

    package var faults: Int { counts.reduce(0, +) }
    /// When octets come out; nil if none are on their way.
    package var nextDelivery: Instant? { head < queue.count ? queue[head].due : nil }
    package var isIdle: Bool { head == queue.count }

    /// Takes one whole packet.
    package mutating func send(_ packet: Span<UInt8>, at now: Instant) {
        packets += 1
        let octets = [UInt8](packet)
        guard rates.perThousand > 0, !rates.faults.isEmpty, chance(rates.perThousand) else {
            return put(octets, at: now)
        }
        let fault = rates.faults[Int(random.next() % UInt64(rates.faults.count))]
        counts[fault.rawValue] += 1
        apply(fault, to: octets, at: now)
    }

    /// Takes a packet that comes late, and what comes after it later still.
    package mutating func send(_ packet: Span<UInt8>, at now: Instant, delayedBy delay: TimeSpan) {
        packets += 1
        put([UInt8](packet), at: now + delay)
    }

    /// Noise on a line on which nobody speaks.
    package mutating func makeNoise(at now: Instant) {
        let noise = garbage()
        counts[Fault.garbageInserted.rawValue] += 1
        put(noise, at: now)
    }

    /// Hands out the octets that are due, in order.
    package mutating func deliver(at now: Instant, _ body: (Span<UInt8>) -> Void) {
        while head < queue.count, queue[head].due <= now {
            let octets = queue[head].octets
            body(octets.span)
            head += 1
        }
        if head == queue.count {
            queue.removeAll(keepingCapacity: true)
            head = 0
        }
    }

    private mutating func chance(_ perThousand: Int) -> Bool { random.next() % 1_000 < UInt64(perThousand) }

    private mutating func below(_ limit: Int) -> Int { limit > 0 ? Int(random.next() % UInt64(limit)) : 0 }

    private mutating func delay() -> TimeSpan {
        // Short ones are likelier.
        let share = random.unit()
        return TimeSpan(nanoseconds: Int64(Double(rates.longestDelay.nanoseconds) * share * share))
    }

    private mutating func put(_ octets: [UInt8], at due: Instant) {
        guard !octets.isEmpty else { return }
        queue.append((max(due, queue.last?.due ?? due), octets))
    }

    private mutating func garbage() -> [UInt8] {
        let count = 1 + below(40)
        octetsOfNoise += count
        // Much of it looks like the start of a packet.
        return (0..<count).map { _ in
            random.next() & 3 == 0
                ? UInt8(truncatingIfNeeded: random.next() % 6) : UInt8(truncatingIfNeeded: random.next())
        }
    }

    private mutating func apply(_ fault: Fault, to packet: [UInt8], at now: Instant) {
        var octets = packet
        let place = below(octets.count)
        switch fault {
        case .packetDropped: return
        case .packetTwice:
            put(octets, at: now)
            // At once, or when it is out of date.
            return put(octets, at: random.next() & 1 == 0 ? now : now + delay())
        case .packetLate: return put(octets, at: now + delay())
        case .parametersTooShort:
            Forger.setLength(of: &octets, to: below(Forger.length(of: octets)))
        case .parametersTooLong:
            Forger.setLength(of: &octets, to: Forger.length(of: octets) + 1 + below(12))
        case .handleUnknown: forger.changeHandle(of: &octets, &random)
        case .packetInvented: put(forger.packet(like: octets, &random), at: now)
        case .octetDropped: octets.remove(at: place)
        case .octetTwice: octets.insert(octets[place], at: place)
        case .tailCut: octets.removeSubrange(place...)
        case .headCut: octets.removeSubrange(...place)
        case .octetsLate:
            put([UInt8](octets[..<place]), at: now)
            return put([UInt8](octets[place...]), at: now + delay())
        case .garbageInserted: put(garbage(), at: now)
        }
        put(octets, at: now)
    }
}
