import BLEWire
import DequeModule

/// One connection to a broker as a value: octets, calls and the time go in; octets, events and a deadline come out.
///
/// The driver calls `opened` when octets can pass, and `closed` when they no longer can. It sends `takeOutput`, and calls `wrote` when the
/// system has taken these octets. After `disconnected` nothing follows.
struct MQTTSession {
    enum Limit {
        /// From the beginning of an attempt to the broker's CONNACK.
        static let acceptance = TimeSpan.seconds(30)
        /// The octets of publications that wait for the broker. Twice this can wait if the system has not taken the octets before either. The
        /// client reads nothing while more wait.
        static let waitingOctets = 4 << 20
        /// The publications that wait for the broker, which take more than their octets.
        static let waitingMessages = 1 << 15
        /// Packet identifiers (MQTT 5.0, 2.2.1).
        static let identifiers = 65_535
    }

    private enum State {
        case opening, awaitsAcceptance, accepted, ended
    }

    /// What the broker has to acknowledge.
    private enum Request {
        case publication(UInt64)
        case subscription(String)
        case end(of: String)
    }

    private let configuration: MQTTConfiguration
    private var state = State.opening
    private let start: Instant
    /// What happened, for the owner.
    private var events: [MQTTEvent] = []
    private var output: [UInt8] = []
    /// The publications with quality of service 0 in `output`, and in the octets that the driver has taken.
    private var numbers: (output: [UInt64], taken: [UInt64]) = ([], [])
    /// The beginning of a packet whose rest has not arrived.
    private var kept: [UInt8] = []
    /// The octets of a dropped message that have not arrived.
    private var skipping = 0
    /// The octets of the first message of this connection that was dropped, because it is longer than the client passes on.
    private(set) var droppedOctets: Int?
    private var requests: [UInt16: Request] = [:]
    private var lastIdentifier: UInt16 = 0
    private var publicationsUnderWay = 0
    /// Publications behind the receive maximum of the broker.
    private var waiting: Deque<(message: MQTTPublication, number: UInt64)> = []
    private var waitingOctets = 0
    /// The announcements of the broker.
    private var properties = MQTTProperties()
    private var keepAlive: TimeSpan
    private var lastReceived: Instant
    private var lastSent: Instant
    /// When the client sent a PINGREQ that has no answer.
    private var pingSent: Instant?

    init(_ configuration: MQTTConfiguration, at now: Instant) {
        self.configuration = configuration
        (start, lastReceived, lastSent) = (now, now, now)
        keepAlive = .seconds(Self.keepAlive(configuration))
    }

    private static func keepAlive(_ configuration: MQTTConfiguration) -> Int {
        min(max(5, configuration.keepAlive), 65_535)
    }

    private var version: MQTTConfiguration.Version { configuration.version }

    // MARK: What the driver takes

    var isEnded: Bool { state == .ended }
    var isAccepted: Bool { state == .accepted }
    var hasEvents: Bool { !events.isEmpty }
    var hasOutput: Bool { !output.isEmpty }
    /// Whether the driver may read.
    var wantsInput: Bool { output.count <= Limit.waitingOctets }
    /// The octets of a packet whose rest has not arrived.
    var keptOctets: Int { kept.count }
    /// The identifier that the broker gave to a client without one (3.2.2.3.7).
    var assignedIdentifier: String? { properties.assignedIdentifier }

    mutating func takeEvents() -> [MQTTEvent] {
        var taken: [MQTTEvent] = []
        swap(&taken, &events)
        return taken
    }

    /// The octets for the broker. Call it again after `wrote`.
    mutating func takeOutput() -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &output)
        numbers.taken += numbers.output
        numbers.output = []
        return taken
    }

    /// The system has taken all octets of `takeOutput`.
    mutating func wrote() {
        guard !isEnded else { return }
        for number in numbers.taken { events.append(.published(number, refusal: nil)) }
        numbers.taken = []
    }

    // MARK: The connection

    /// Octets can pass from now on.
    mutating func opened(at now: Instant) {
        guard state == .opening else { return }
        do throws(MQTTClientError) {
            let keepAlive = UInt16(clamping: Self.keepAlive(configuration))
            output += try MQTTOutgoing.connect(configuration, keepAlive: keepAlive)
            state = .awaitsAcceptance
            (lastReceived, lastSent) = (now, now)
        } catch {
            end(error.description)
        }
    }

    /// Octets can no longer pass.
    mutating func closed(_ reason: String) { if !isEnded { end(reason) } }

    /// Ends the connection without an event.
    mutating func disconnect() {
        guard !isEnded else { return }
        if state != .opening { output += MQTTOutgoing.disconnect() }
        state = .ended
        events = []
    }

    private mutating func end(_ reason: String) {
        state = .ended
        events.append(.disconnected(reason: reason))
    }

    private mutating func end(_ violation: MQTTProtocolError) {
        if version == .v5, state != .opening { output += MQTTOutgoing.disconnect(violation.code) }
        end(violation.reason)
    }

    // MARK: Time

    var deadline: Instant? {
        switch state {
        case .opening, .awaitsAcceptance: start + Limit.acceptance
        case .accepted:
            pingSent.map { max($0, lastReceived) + keepAlive } ?? (min(lastSent, lastReceived) + pingInterval)
        case .ended: nil
        }
    }

    /// Half of the keep alive, which leaves the other half to a slow machine or network.
    private var pingInterval: TimeSpan { TimeSpan(nanoseconds: keepAlive.nanoseconds / 2) }

    mutating func handleTimeout(at now: Instant) {
        guard let deadline, deadline <= now else { return }
        switch state {
        case .opening: end("The broker cannot be reached within \(Self.text(Limit.acceptance)).")
        case .awaitsAcceptance:
            end("The program at this port did not answer as a broker does within \(Self.text(Limit.acceptance)).")
        case .accepted where pingSent != nil: end("The broker sent nothing for \(Self.text(keepAlive)).")
        case .accepted:
            output += MQTTOutgoing.pingreq
            (pingSent, lastSent) = (now, now)
        case .ended: break
        }
    }

    private static func text(_ span: TimeSpan) -> String { "\(span.nanoseconds / 1_000_000_000) s" }

    // MARK: Octets of the broker

    mutating func receive(_ octets: Span<UInt8>, at now: Instant) {
        guard !isEnded, state != .opening else { return }
        lastReceived = now
        // The alert of a TLS server (RFC 8446, 5.1). No packet begins like this.
        if state == .awaitsAcceptance, kept.isEmpty, !octets.isEmpty, octets[0] == 0x15 {
            return end("The broker uses TLS at this port. Use an address with mqtts.")
        }
        do throws(MQTTProtocolError) {
            if kept.isEmpty {
                let count = try process(octets, at: now)
                if count < octets.count { kept.append(octets.extracting(droppingFirst: count)) }
            } else {
                var all: [UInt8] = []
                swap(&all, &kept)
                all.append(octets)
                let count = try process(all.span, at: now)
                if count == all.count { all = [] } else if count > 0 { all.removeFirst(count) }
                swap(&all, &kept)
            }
        } catch {
            kept = []
            end(error)
        }
    }

    /// Returns the number of octets of whole packets.
    private mutating func process(_ octets: Span<UInt8>, at now: Instant) throws(MQTTProtocolError) -> Int {
        var position = 0
        while !isEnded {
            let skipped = min(skipping, octets.count - position)
            skipping -= skipped
            position += skipped
            let rest = octets.extracting(droppingFirst: position)
            guard let header = try MQTTFixedHeader.decode(rest) else { return position }
            let body = rest.extracting(droppingFirst: header.count)
            if header.remaining > MQTTFixedHeader.remainingLimit {
                guard let count = try beginToSkip(header, body) else { return position }
                position += header.count + count
                skipping = header.remaining - count
                droppedOctets = droppedOctets ?? header.remaining
                continue
            }
            guard body.count >= header.remaining else { return position }
            position += header.count + header.remaining
            try handle(.decode(header, body.extracting(first: header.remaining), version), at: now)
        }
        // What follows the end is of no interest.
        return octets.count
    }

    /// Acknowledges a message that is too long, and returns the octets of its topic and its packet identifier; nil if they have not arrived.
    private mutating func beginToSkip(
        _ header: MQTTFixedHeader, _ body: Span<UInt8>
    ) throws(MQTTProtocolError) -> Int? {
        guard header.type == .publish, version == .v311, isAccepted else {
            throw MQTTProtocolError(.packetTooLarge, "\(header.type.name) with \(header.remaining) octets")
        }
        let isAcknowledged = try MQTTIncoming.isAcknowledged(header.flags)
        guard body.count >= 2 else { return nil }
        let topic = 2 + (Int(body[0]) << 8 | Int(body[1]))
        guard isAcknowledged else { return 2 }
        guard body.count >= topic + 2 else { return nil }
        var reader = MQTTReader(body.extracting(topic..<(topic + 2)), of: .publish)
        MQTTOutgoing.puback(try reader.identifier(), to: &output)
        return topic + 2
    }

    private mutating func handle(_ packet: MQTTIncoming, at now: Instant) throws(MQTTProtocolError) {
        if case .connack(let isSessionPresent, let code, let properties) = packet {
            return try accept(isSessionPresent, code, properties)
        }
        guard isAccepted else { throw MQTTProtocolError(.protocolError, "another packet before CONNACK") }
        switch packet {
        case .connack: break
        case .publish(let message, let identifier):
            if let identifier {
                MQTTOutgoing.puback(identifier, to: &output)
                lastSent = now
            }
            guard message.payload.count <= MQTTMessage.payloadLimit else {
                droppedOctets = droppedOctets ?? message.payload.count
                return
            }
            events.append(.received(message))
        case .puback(let identifier, let code, let reason): acknowledge(identifier, code, reason, at: now)
        case .suback(let identifier, let code, let reason):
            guard case .subscription(let filter) = requests[identifier] else { return }
            requests[identifier] = nil
            let refusal = code >= 0x80 ? MQTTReasonText.text(code, reason) : nil
            events.append(.subscribed(filter, refusal: refusal))
        case .unsuback(let identifier):
            if case .end = requests[identifier] { requests[identifier] = nil }
        case .pingresp: pingSent = nil
        case .disconnect(let code, let reason):
            end("The broker ended the connection: \(MQTTReasonText.text(code, reason))")
        }
    }

    private mutating func accept(
        _ isSessionPresent: Bool, _ code: UInt8, _ properties: MQTTProperties
    ) throws(MQTTProtocolError) {
        guard state == .awaitsAcceptance else { throw MQTTProtocolError(.protocolError, "a second CONNACK") }
        guard code == 0 else { return end(MQTTReasonText.connection(code, version, properties.reason)) }
        // 3.2.2.1.1.
        guard !isSessionPresent || configuration.sessionExpiry != nil else {
            throw MQTTProtocolError(.protocolError, "CONNACK with a session that the client did not ask for")
        }
        // 3.2.2.3.7. Another identifier than the client's own would make it take over the session of another client at the next broker.
        guard properties.assignedIdentifier == nil || configuration.clientIdentifier.isEmpty else {
            throw MQTTProtocolError(.protocolError, "CONNACK with an identifier for a client that has one")
        }
        self.properties = properties
        // 3.2.2.3.14. The value 0 frees the client from the duty, but a dead connection has to be noticed, and no later than the owner wants.
        if let seconds = properties.serverKeepAlive, seconds > 0 { keepAlive = min(keepAlive, .seconds(Int(seconds))) }
        state = .accepted
        events.append(.connected)
    }

    private mutating func acknowledge(_ identifier: UInt16, _ code: UInt8, _ reason: String?, at now: Instant) {
        guard case .publication(let number) = requests[identifier] else { return }
        requests[identifier] = nil
        publicationsUnderWay -= 1
        if MQTTReasonText.isTemporary(code) {
            events.append(.postponed(number, reason: MQTTReasonText.text(code, reason)))
        } else {
            // 3.4.2.1.
            events.append(.published(number, refusal: code >= 0x80 ? MQTTReasonText.text(code, reason) : nil))
        }
        while let (message, number) = waiting.first, send(message, number, at: now) {
            waiting.removeFirst()
            waitingOctets -= MQTTOutgoing.publishSize(message, version)
        }
    }
}

// MARK: Calls

extension MQTTSession {
    /// Publishes a message. Without a connection there is no effect.
    mutating func publish(_ message: MQTTPublication, number: UInt64, at now: Instant) {
        guard isAccepted else { return }
        if let refusal = refusal(of: message) { return events.append(.published(number, refusal: refusal)) }
        let size = MQTTOutgoing.publishSize(message, version)
        // A message that is larger than the limit goes alone.
        let octets = output.count + waitingOctets
        guard octets == 0 || octets + size <= Limit.waitingOctets, waiting.count < Limit.waitingMessages else {
            return events.append(.postponed(number, reason: "Too many messages wait for the broker."))
        }
        if waiting.isEmpty, send(message, number, at: now) { return }
        waiting.append((message, number))
        waitingOctets += size
    }

    /// The reason why the broker would not take a message.
    private func refusal(of message: MQTTPublication) -> String? {
        guard MQTTTopic.isName(message.topic) else { return "The topic is empty, too long, or contains a wildcard." }
        guard !message.isAcknowledged || properties.takesAcknowledged else {
            return "The broker does not take messages with quality of service 1."
        }
        guard !message.isRetained || properties.takesRetained else { return "The broker does not retain messages." }
        let limit = min(
            properties.maximumPacketSize.map { Int($0) } ?? .max, MQTTFixedHeader.maximumLength)
        guard MQTTOutgoing.publishSize(message, version) <= limit else {
            return "The message is larger than the broker takes (\(limit) octets)."
        }
        return nil
    }

    /// Returns false if the broker has to acknowledge others first.
    private mutating func send(_ message: MQTTPublication, _ number: UInt64, at now: Instant) -> Bool {
        var identifier: UInt16?
        if message.isAcknowledged {
            guard publicationsUnderWay < Int(properties.receiveMaximum ?? .max), let free = takeIdentifier() else {
                return false
            }
            identifier = free
            requests[free] = .publication(number)
            publicationsUnderWay += 1
        } else {
            numbers.output.append(number)
        }
        MQTTOutgoing.publish(message, identifier: identifier, version, to: &output)
        lastSent = now
        return true
    }

    /// The next identifier that no request has; nil if all have one.
    private mutating func takeIdentifier() -> UInt16? {
        guard requests.count < Limit.identifiers else { return nil }
        repeat {
            lastIdentifier = lastIdentifier == .max ? 1 : lastIdentifier + 1
        } while requests[lastIdentifier] != nil
        return lastIdentifier
    }

    mutating func subscribe(_ filter: String, at now: Instant) {
        guard isAccepted else { return }
        guard isSendable(filter) else {
            return events.append(.subscribed(filter, refusal: "The filter is none, or too long for the broker."))
        }
        guard let identifier = takeIdentifier() else {
            return events.append(.subscribed(filter, refusal: "Too many requests wait for the broker."))
        }
        requests[identifier] = .subscription(filter)
        MQTTOutgoing.subscribe(filter, identifier: identifier, version, to: &output)
        lastSent = now
    }

    mutating func unsubscribe(_ filter: String, at now: Instant) {
        guard isAccepted, isSendable(filter), let identifier = takeIdentifier() else { return }
        requests[identifier] = .end(of: filter)
        MQTTOutgoing.unsubscribe(filter, identifier: identifier, version, to: &output)
        lastSent = now
    }

    private func isSendable(_ filter: String) -> Bool {
        // A packet has at most 16 octets beside the filter.
        MQTTTopic.isFilter(filter) && filter.utf8.count + 16 <= properties.maximumPacketSize ?? .max
    }
}
