import BLEWire

/// One direction of the line between a host and its controller. It applies faults to packets at given rates.
///
/// A value: equal seeds, packets and times give equal faults. Whole packets go in. A stream of octets comes out, in
/// order, when they are due; packets without a fault are due at once.
package struct FaultyLine {
    /// The faults of a packet.
    package enum Fault: Int, CaseIterable, Sendable {
        // Faults of packets, which stay valid H4.
        case packetDropped
        case packetTwice
        case packetLate
        /// Its last octets are missing, and its length field is adapted.
        case parametersTooShort
        /// It has additional octets at its end, and its length field is adapted.
        case parametersTooLong
        case handleUnknown
        /// A packet that no side sent precedes it.
        case packetInvented
        // Faults of octets: the receiver has to resynchronise.
        case octetDropped
        case octetTwice
        /// The line is interrupted from some octet on until the packet's end.
        case tailCut
        case headCut
        /// The packet stops in its middle and continues later.
        case octetsLate
        case garbageInserted
    }

    package struct Rates: Sendable {
        /// The number of faults in 1,000 packets.
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
    /// The number of faults of each kind, by raw value.
    package private(set) var counts = [Int](repeating: 0, count: Fault.allCases.count)
    package private(set) var packets = 0
    package private(set) var octetsOfNoise = 0

    private let direction: Direction
    private var random: SeededRandom
    private var forger: Forger
    /// The packets in transit, in order. The first `head` of them have arrived.
    private var queue: [(due: Instant, octets: [UInt8])] = []
    private var head = 0

    package init(_ direction: Direction, seed: UInt64) {
        self.direction = direction
        random = SeededRandom(seed: seed)
        forger = Forger(direction)
    }

    package var faults: Int { counts.reduce(0, +) }
    /// The time at which the next octets arrive; nil if none are in transit.
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

    /// Takes a delayed packet. Later packets arrive after it.
    package mutating func send(_ packet: Span<UInt8>, at now: Instant, delayedBy delay: TimeSpan) {
        packets += 1
        put([UInt8](packet), at: now + delay)
    }

    /// Adds noise to an idle line.
    package mutating func makeNoise(at now: Instant) {
        let noise = garbage()
        counts[Fault.garbageInserted.rawValue] += 1
        put(noise, at: now)
    }

    /// Passes on the octets that are due, in order.
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
        // Short ones are more frequent.
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
        // Most of it resembles the start of a packet.
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
            // Immediately, or when it is obsolete.
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
