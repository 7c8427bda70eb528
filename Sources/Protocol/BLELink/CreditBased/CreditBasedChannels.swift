import BLEWire

/// The credit-based channels of one link in both modes (Vol 3, Part A, 3.4, 4.6, 4.7, 4.22 to 4.28, 10.1 and 10.2), client and
/// server.
///
/// Signalling packets and K-frames leave by `takeFrame`. Their order must be kept. The owner takes events and their
/// octets, then calls `removeEvents`. A peer gets credits for the room in the window, less the octets that the reader
/// has not consumed. A reader that stops thus stops the peer, and nothing is dropped. Warm channels allocate nothing.
package struct CreditBasedChannels {
    package let configuration: CreditBasedConfiguration
    package internal(set) var events: [CreditBasedEvent] = []
    /// The octets to which events refer.
    package internal(set) var bytes: [UInt8] = []

    var channels: [CreditBasedChannel] = []
    private var nextNumber: UInt32 = 1
    private var lastIdentifier: UInt8 = 0xFF
    private var lastLocal = L2CAP.ChannelIdentifier.dynamic.upperBound
    private var turn = 0
    /// Signalling packets to send, one after another, and the end of each.
    private var signals: [UInt8] = []
    private var signalEnds: [Int] = []
    private var signalsTaken = 0
    /// The octets of waiting signalling packets from which on requests of the peer are not answered.
    static let waitingSignalLimit = 4_096
    var waitingSignalOctets: Int { signals.count }

    package init(configuration: CreditBasedConfiguration = CreditBasedConfiguration()) {
        self.configuration = configuration
    }

    /// The number of channels, including those that are opening or closing.
    package var count: Int { channels.count }

    /// Whether `takeFrame` has a frame.
    package var hasFrames: Bool { signalsTaken < signalEnds.count || channels.contains(where: \.canSend) }

    package var deadline: Instant? {
        var first: Instant?
        for channel in channels {
            guard let deadline = channel.deadline else { continue }
            if first.map({ deadline < $0 }) ?? true { first = deadline }
        }
        return first
    }

    /// Removes events and their octets. Keeps the capacity.
    package mutating func removeEvents() {
        events.removeAll(keepingCapacity: true)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Removes the events that satisfy a condition. The octets go with the last event.
    package mutating func removeEvents(where isTaken: (CreditBasedEvent) -> Bool) {
        events.removeAll(where: isTaken)
        if events.isEmpty { bytes.removeAll(keepingCapacity: true) }
    }

    /// Requests a channel to a service of the peer. `opened` or `refused` follows with the returned number.
    package mutating func connect(spsm: UInt16, at now: Instant) -> UInt32 {
        let number = takeNumber()
        guard (0x0001...0x00FF).contains(spsm) else {
            events.append(.refused(number, .invalidSPSM))
            return number
        }
        guard let local = freeIdentifier() else {
            events.append(.refused(number, .noChannelLeft))
            return number
        }
        let offer = configuration.offer(.basic)
        var channel = CreditBasedChannel(
            number: number, spsm: spsm, local: local, isIncoming: false, own: offer, state: .connecting(identifier: 0))
        channel.receiveCredits = configuration.windowFrames(offer, channels: channels.count + 1)
        channel.canSuspend = configuration.suspendsForSecurity
        channels.append(channel)
        request(channels.count - 1, at: now)
        return number
    }

    /// The result of sending an SDU.
    package enum SendResult: Hashable, Sendable {
        case queued
        /// Nothing was queued. `writable` follows.
        case full
        /// Nothing was queued: the SDU is empty, or longer than the peer accepts.
        case invalidLength
        case notOpen
    }

    /// Queues one SDU, from 1 octet to the peer's MTU.
    package mutating func send(_ sdu: Span<UInt8>, on number: UInt32) -> SendResult {
        guard let index = index(number: number), channels[index].state == .open else { return .notOpen }
        guard !sdu.isEmpty, sdu.count <= channels[index].peer.mtu else { return .invalidLength }
        guard channels[index].queued < configuration.sendQueueOctets else {
            channels[index].wasFull = true
            return .full
        }
        channels[index].append(sdu)
        return .queued
    }

    /// The octets of a channel that wait to be sent.
    package func queuedOctets(on number: UInt32) -> Int { index(number: number).map { channels[$0].queued } ?? 0 }

    /// Records that the reader consumed `count` octets of `received` SDUs. The peer gets credits for them.
    package mutating func consumed(_ count: Int, on number: UInt32) {
        guard let index = index(number: number) else { return }
        channels[index].unread = max(0, channels[index].unread - max(0, count))
        giveCredits(index)
    }

    /// Ends a channel after its queue has been sent. `closed` follows. Octets that arrive meanwhile are dropped.
    package mutating func close(_ number: UInt32, at now: Instant) {
        guard let index = index(number: number) else { return }
        switch channels[index].state {
        case .connecting:
            guard !channels[index].isAbandoned else { return }
            channels[index].isAbandoned = true
            events.append(.refused(number, .cancelled))
        case .suspended:
            events.append(.refused(number, .cancelled))
            remove(index)
        case .open:
            if channels[index].queued == 0 { return disconnect(index, .local, at: now) }
            channels[index].state = .draining
            channels[index].deadline = now + configuration.lingerTimeout
        case .draining, .disconnecting: break
        }
    }

    /// Takes the end of the link.
    package mutating func linkLost() {
        for channel in channels {
            switch channel.state {
            case .connecting where !channel.isAbandoned: events.append(.refused(channel.number, .linkLost))
            case .suspended: events.append(.refused(channel.number, .linkLost))
            case .open, .draining: events.append(.closed(channel.number, .linkLost))
            case .connecting, .disconnecting: break
            }
        }
        channels.removeAll()
        signals.removeAll()
        signalEnds.removeAll()
        signalsTaken = 0
    }

    package mutating func handleTimeout(at now: Instant) {
        for index in channels.indices.reversed() {
            guard let deadline = channels[index].deadline, deadline <= now else { continue }
            switch channels[index].state {
            case .connecting:
                if !channels[index].isAbandoned { events.append(.refused(channels[index].number, .noAnswer)) }
                remove(index)
            case .draining: disconnect(index, .local, at: now)
            case .disconnecting: remove(index)
            case .open, .suspended: channels[index].deadline = nil
            }
        }
    }

    /// Calls `body` with the next frame to send: signalling first, then a K-frame of each channel in turn. Returns
    /// false if there is none.
    package mutating func takeFrame(
        at now: Instant, _ body: (L2CAP.ChannelIdentifier, Span<UInt8>) -> Void
    ) -> Bool {
        if signalsTaken < signalEnds.count {
            let start = signalsTaken == 0 ? 0 : signalEnds[signalsTaken - 1]
            body(.signalling, signals.span.extracting(start..<signalEnds[signalsTaken]))
            signalsTaken += 1
            if signalsTaken == signalEnds.count {
                signals.removeAll(keepingCapacity: true)
                signalEnds.removeAll(keepingCapacity: true)
                signalsTaken = 0
            }
            return true
        }
        let count = channels.count
        for step in 0..<count {
            let index = (turn + step) % count
            guard channels[index].canSend else { continue }
            let remote = channels[index].remote
            channels[index].takeFrame { body(remote, $0) }
            turn = index + 1
            sent(index, at: now)
            return true
        }
        return false
    }

    private mutating func sent(_ index: Int, at now: Instant) {
        if channels[index].wasFull, channels[index].queued <= configuration.sendQueueOctets / 2 {
            channels[index].wasFull = false
            if channels[index].state == .open { events.append(.writable(channels[index].number)) }
        }
        if channels[index].state == .draining, channels[index].queued == 0 { disconnect(index, .local, at: now) }
    }
}

extension CreditBasedChannels {
    func index(number: UInt32) -> Int? { channels.firstIndex { $0.number == number } }
    func index(local: L2CAP.ChannelIdentifier) -> Int? { channels.firstIndex { $0.local == local } }

    mutating func takeNumber() -> UInt32 {
        defer { nextNumber &+= 1 }
        return nextNumber
    }

    /// Returns an identifier of the upper half. `SignallingChannel` uses the lower half.
    mutating func nextIdentifier() -> UInt8 {
        lastIdentifier = lastIdentifier == 0xFF ? 0x80 : lastIdentifier + 1
        return lastIdentifier
    }

    /// Returns a channel identifier for this side's end of a new channel: the free identifier with the longest time
    /// since its last use. Some peers (Bumble 0.0.236) never regard an identifier as free again.
    mutating func freeIdentifier() -> L2CAP.ChannelIdentifier? {
        guard channels.count < configuration.maximumChannels else { return nil }
        let range = L2CAP.ChannelIdentifier.dynamic
        for _ in range {
            lastLocal = lastLocal == range.upperBound ? range.lowerBound : lastLocal + 1
            let identifier = L2CAP.ChannelIdentifier(rawValue: lastLocal)
            if index(local: identifier) == nil { return identifier }
        }
        return nil
    }

    mutating func send<S: L2CAP.Signal & ~Escapable>(_ signal: S, identifier: UInt8) {
        guard (try? signals.append(signal: signal, identifier: identifier)) != nil else { return }
        signalEnds.append(signals.count)
    }

    mutating func remove(_ index: Int) {
        channels.remove(at: index)
        turn = 0
    }

    /// Sends the connection request of a channel.
    mutating func request(_ index: Int, at now: Instant) {
        let identifier = nextIdentifier()
        channels[index].state = .connecting(identifier: identifier)
        channels[index].deadline = now + configuration.responseTimeout
        send(
            L2CAP.CreditBasedConnectionRequest(
                spsm: channels[index].spsm, sourceChannel: channels[index].local, mtu: configuration.mtu,
                mps: configuration.mps, initialCredits: UInt16(truncatingIfNeeded: channels[index].receiveCredits)),
            identifier: identifier)
    }

    /// Ends an open channel from this side and emits `closed`.
    mutating func disconnect(_ index: Int, _ reason: CreditBasedEnd, at now: Instant) {
        let identifier = nextIdentifier()
        events.append(.closed(channels[index].number, reason))
        send(
            L2CAP.DisconnectionRequest(
                destinationChannel: channels[index].remote, sourceChannel: channels[index].local),
            identifier: identifier)
        channels[index].state = .disconnecting(identifier: identifier)
        channels[index].deadline = now + configuration.responseTimeout
        channels[index].dropQueue()
    }

    /// Ends a channel whose end the owner does not need to know.
    mutating func disconnectSilently(_ index: Int, at now: Instant) {
        let before = events.count
        disconnect(index, .local, at: now)
        events.removeSubrange(before...)
    }

    /// Gives the peer credits for the available room: half of the window at a time, or all available room if the peer
    /// has no credits.
    mutating func giveCredits(_ index: Int) {
        guard channels[index].state == .open else { return }
        let mps = max(1, Int(channels[index].own.mps))
        let waiting = (channels[index].unread + channels[index].partial.count + mps - 1) / mps
        let window = configuration.windowFrames(channels[index].own, channels: channels.count)
        let room = window - waiting - channels[index].receiveCredits
        guard room > 0, room >= window / 2 || channels[index].receiveCredits == 0 else { return }
        channels[index].receiveCredits += room
        // "The channel" refers to the sender's own end (Vol 3, Part A, 4.24).
        send(
            L2CAP.FlowControlCredit(
                channel: channels[index].local, credits: UInt16(truncatingIfNeeded: room)),
            identifier: nextIdentifier())
    }
}
