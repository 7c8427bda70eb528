import BLEWire
import Testing

@testable import BLELink

/// One end with everything that it sent and that happened.
struct ChannelEnd {
    var machine: CreditBasedChannels
    var listeners: [CreditBasedListener] = []
    var security = LinkSecurity.none
    private(set) var events: [CreditBasedEvent] = []
    /// The octets of each channel's SDUs.
    private(set) var sdus: [(number: UInt32, octets: [UInt8])] = []
    /// What the last signalling packet was to this end.
    private(set) var outcome: CreditBasedChannels.SignalOutcome?
    /// Consumes what comes at once.
    var isReading = true

    init(_ configuration: CreditBasedConfiguration = CreditBasedConfiguration()) {
        machine = CreditBasedChannels(configuration: configuration)
    }

    /// Takes what happened out of the machine.
    mutating func collect() {
        let fresh = machine.events
        let bytes = machine.bytes
        machine.removeEvents()
        for event in fresh {
            events.append(event)
            guard case .received(let number, let range) = event else { continue }
            sdus.append((number, Array(bytes[range])))
            if isReading { machine.consumed(range.count, on: number) }
        }
    }

    /// The frames to send.
    mutating func frames(at now: Instant = .zero, limit: Int = .max) -> [(channel: UInt16, payload: [UInt8])] {
        var frames: [(UInt16, [UInt8])] = []
        while frames.count < limit,
            machine.takeFrame(at: now, { frames.append(($0.rawValue, [UInt8](copying: $1))) })
        {}
        collect()
        return frames
    }

    mutating func receive(_ payload: [UInt8], on channel: UInt16, at now: Instant = .zero) {
        if channel == 5 {
            outcome = machine.receive(signal: payload.span, listeners: listeners, security: security, at: now)
        } else {
            _ = machine.receive(payload.span, on: .init(rawValue: channel), at: now)
        }
        collect()
    }

    /// Takes a signalling packet and gives the answers to it.
    mutating func answer(_ packet: [UInt8]) -> [[UInt8]] {
        receive(packet, on: 5)
        return frames().filter { $0.channel == 5 }.map(\.payload)
    }

    mutating func send(_ sdu: [UInt8], on number: UInt32) -> CreditBasedChannels.SendResult {
        machine.send(sdu.span, on: number)
    }

    mutating func connect(_ spsm: UInt16) -> UInt32 {
        let number = machine.connect(spsm: spsm, at: .zero)
        collect()
        return number
    }

    mutating func close(_ number: UInt32, at now: Instant = .zero) {
        machine.close(number, at: now)
        collect()
    }

    mutating func linkLost() {
        machine.linkLost()
        collect()
    }

    mutating func handleTimeout(at now: Instant) {
        machine.handleTimeout(at: now)
        collect()
    }

    mutating func consumed(_ count: Int, on number: UInt32) { machine.consumed(count, on: number) }

    mutating func clear() {
        events = []
        sdus = []
    }
}

/// Two ends and what is between them.
struct ChannelPair {
    var client: ChannelEnd
    var server: ChannelEnd

    init(client: CreditBasedConfiguration = .init(), server: CreditBasedConfiguration = .init()) {
        self.client = ChannelEnd(client)
        self.server = ChannelEnd(server)
        self.server.listeners = [CreditBasedListener(spsm: 0x80, requiresEncryption: false)]
    }

    /// Carries frames until none is left; gives how many.
    @discardableResult
    mutating func settle(at now: Instant = .zero) -> Int {
        var count = 0
        while true {
            let out = client.frames(at: now)
            for frame in out { server.receive(frame.payload, on: frame.channel, at: now) }
            let back = server.frames(at: now)
            for frame in back { client.receive(frame.payload, on: frame.channel, at: now) }
            if out.isEmpty, back.isEmpty { return count }
            count += out.count + back.count
            if count > 1_000_000 {
                Issue.record("the ends send frames without end")
                return count
            }
        }
    }

    /// Opens a channel.
    mutating func open() -> (client: UInt32, server: UInt32) {
        let number = client.connect(0x80)
        settle()
        guard case .opened(let incoming, _)? = server.events.last else { return (number, 0) }
        return (number, incoming)
    }
}

extension [UInt8] {
    init(copying span: Span<UInt8>) {
        self = []
        reserveCapacity(span.count)
        for index in span.indices { append(span[index]) }
    }

    /// Octets that differ from each other.
    static func pattern(_ count: Int, seed: Int = 0) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 31 &+ ($0 &+ seed) >> 8) }
    }
}
