import BLEAdapter
import BLETransport
import BLEWire
import MQTTClient

/// What the cloud gateway does, as a value: events of the adapter, events of the broker and the time go in, actions come out.
package struct CloudSession: Sendable {
    package enum BrokerState: Equatable, Sendable {
        case idle
        /// The pause before the next attempt.
        case waiting(until: Instant)
        case connecting(deadline: Instant)
        case connected(since: Instant)
        /// The last message is under way.
        case stopping(number: UInt64, deadline: Instant)
        case stopped
    }

    package var actions: [CloudAction] = []
    package internal(set) var counts = CloudCounts()
    package private(set) var broker = BrokerState.idle
    package private(set) var adapter = AdapterState.unknown
    /// The reason why the last connection ended or failed; nil while connected.
    package private(set) var brokerFailure: String?
    /// Messages that wait in the outbox, for the statistics.
    package var queuedCount = 0

    let configuration: CloudConfiguration
    package let topics: CloudTopics
    let queueName: String
    let identify: @Sendable (DeviceAddress) -> PeerIdentifier
    private var random: SplitMix
    private var backoff: Backoff
    /// The connections and attempts that ended since the last one that lasted.
    private var endedConnections = 0
    private var limiter: AdvertisementLimiter
    private var nextStatistics: Instant?
    private var nextNumber = Self.numberBit
    /// The publications of this connection, other than replies, that the broker has not acknowledged.
    private var unacknowledged: Set<UInt64> = []
    /// The time before which no message of Home Assistant causes an announcement.
    private var nextAnnouncement: Instant?
    private var isAnnouncementDue = false

    var links = CloudLinks()
    var cache = ReplyCache()
    /// The writes without response that the driver has not answered.
    var commandWrites: [Int: ReplyDestination] = [:]
    var nextCommandWrite = 0
    /// Replies that the broker has not acknowledged, in the order of their numbers.
    private var replies: [(number: UInt64, message: MQTTPublication)] = []
    private var replyOctets = 0

    /// Numbers of the session's publications have this bit, and sequence numbers of the outbox have not.
    package static let numberBit: UInt64 = 1 << 63
    /// The time in which the broker must accept a connection.
    package static let connectionTimeout = TimeSpan.seconds(30)
    /// A connection that lasts this long makes the next pause short again.
    package static let stableTime = TimeSpan.seconds(10)
    /// The pause before the next broker of a cluster, while not all of them have failed in turn.
    package static let nextBrokerPause = TimeSpan.milliseconds(250) ... .milliseconds(500)
    /// The time for the last message.
    package static let stopTimeout = TimeSpan.seconds(2)
    package static let statisticsInterval = TimeSpan.seconds(60)
    /// The replies that wait for the broker, and their octets.
    package static let replyLimit = 256
    package static let replyOctetLimit = 4 << 20
    /// The other publications that wait for the broker.
    package static let publicationLimit = 256
    /// The shortest time between two announcements that Home Assistant causes.
    package static let announcementInterval = TimeSpan.seconds(60)

    /// - Parameters:
    ///   - queueName: The name of the outbox's store.
    ///   - seed: For the random part of pauses.
    ///   - identify: The identifier of the device with an address.
    package init(
        _ configuration: CloudConfiguration, topics: CloudTopics, queueName: String, seed: UInt64,
        identify: @escaping @Sendable (DeviceAddress) -> PeerIdentifier
    ) {
        (self.configuration, self.topics, self.queueName) = (configuration, topics, queueName)
        self.identify = identify
        random = SplitMix(state: seed)
        backoff = Backoff()
        limiter = AdvertisementLimiter(
            interval: configuration.advertisementInterval, rate: configuration.advertisementRate)
    }

    /// The message that the broker publishes when the gateway vanishes.
    package static func will(_ topics: CloudTopics) -> MQTTPublication {
        MQTTPublication(
            topic: topics.status,
            payload: JSONBuilder.object {
                $0.add("state", "offline")
                $0.add("reason", "vanished")
            }, isRetained: true)
    }

    /// Whether the broker and the adapter both work.
    package var isHealthy: Bool {
        if case .connected = broker { return adapter == .poweredOn }
        return false
    }

    package var deviceCount: Int { limiter.devices.count }
    package var linkCount: Int { links.count }

    // MARK: The broker

    package mutating func start(at now: Instant) {
        guard broker == .idle else { return }
        connectBroker(at: now)
    }

    private mutating func connectBroker(at now: Instant) {
        broker = .connecting(deadline: now + Self.connectionTimeout)
        actions.append(.connectBroker)
    }

    package mutating func brokerConnected(at now: Instant) {
        guard case .connecting = broker else { return }
        broker = .connected(since: now)
        brokerFailure = nil
        counts.connections += 1
        nextStatistics = now
        unacknowledged = []
        isAnnouncementDue = false
        if configuration.allowsCommands { actions.append(.subscribe(topics.commands)) }
        if let prefix = configuration.homeAssistantPrefix {
            actions.append(.subscribe(HomeAssistantDiscovery.birthTopic(prefix)))
        }
        publishStatus()
        announce()
        for (number, message) in replies { actions.append(.publish(message, number: number)) }
    }

    package mutating func brokerDisconnected(_ reason: String, at now: Instant) {
        switch broker {
        case .connected(let since):
            if now - since >= Self.stableTime {
                backoff.reset()
                endedConnections = 0
            }
        case .connecting: counts.failedConnections += 1
        case .stopping: return finish()
        case .idle, .waiting, .stopped: return
        }
        brokerFailure = reason
        endedConnections += 1
        broker = .waiting(until: now + nextPause())
    }

    private mutating func nextPause() -> TimeSpan {
        guard !endedConnections.isMultiple(of: max(1, configuration.brokerCount)) else {
            return backoff.next(using: &random)
        }
        let range = Self.nextBrokerPause.lowerBound.nanoseconds...Self.nextBrokerPause.upperBound.nanoseconds
        return TimeSpan(nanoseconds: .random(in: range, using: &random))
    }

    /// Ends the connection, for example because the broker acknowledges nothing.
    package mutating func abandonBroker(_ reason: String, at now: Instant) {
        actions.append(.disconnectBroker)
        brokerDisconnected(reason, at: now)
    }

    package mutating func brokerPublished(_ number: UInt64) {
        if case .stopping(number, _) = broker {
            actions.append(.disconnectBroker)
            return finish()
        }
        unacknowledged.remove(number)
        guard let index = replies.firstIndex(where: { $0.number == number }) else { return }
        replyOctets -= replies.remove(at: index).message.payload.count
    }

    /// The broker does not take a publication now. A reply waits for the next connection, and any other publication is dropped.
    package mutating func brokerPostponed(_ number: UInt64) {
        if !replies.contains(where: { $0.number == number }) { brokerPublished(number) }
    }

    package mutating func brokerReceived(_ message: MQTTMessage, at now: Instant) {
        guard case .connected = broker else { return }
        if let prefix = configuration.homeAssistantPrefix, message.topic == HomeAssistantDiscovery.birthTopic(prefix) {
            if message.payload.elementsEqual("online".utf8) {
                isAnnouncementDue = true
                announceIfDue(at: now)
            }
            return
        }
        // The broker keeps a retained message for the next connection, where the command would be carried out again.
        guard configuration.allowsCommands, !message.isRetained, let client = topics.client(ofCommand: message.topic)
        else { return }
        handleCommand(message.payload, from: client, at: now)
    }

    // MARK: Publications

    mutating func publish(_ message: MQTTPublication) {
        guard case .connected = broker else { return }
        guard unacknowledged.count < Self.publicationLimit else {
            counts.droppedPublications += 1
            return
        }
        let number = takeNumber()
        unacknowledged.insert(number)
        actions.append(.publish(message, number: number))
    }

    private mutating func takeNumber() -> UInt64 {
        defer { nextNumber = nextNumber &+ 1 | Self.numberBit }
        return nextNumber
    }

    /// Publishes a reply, and again after the next connection if the broker does not acknowledge it. A connection carries a bounded number of
    /// replies without an acknowledgement: further ones are dropped, and the client can send its command again.
    mutating func reply(_ payload: [UInt8], to client: String) {
        let message = MQTTPublication(topic: topics.reply(to: client), payload: payload)
        while replies.count >= Self.replyLimit || replyOctets + payload.count > Self.replyOctetLimit {
            counts.droppedReplies += 1
            if case .connected = broker { return }
            guard !replies.isEmpty else { return }
            replyOctets -= replies.removeFirst().message.payload.count
        }
        let number = takeNumber()
        replies.append((number, message))
        replyOctets += payload.count
        if case .connected = broker { actions.append(.publish(message, number: number)) }
    }

    private mutating func publishStatus() {
        let payload = JSONBuilder.object { json in
            json.add("state", "online")
            json.add("adapter", Self.text(adapter))
            json.add("version", configuration.version)
            json.add("queue", queueName)
            json.add("commands", configuration.allowsCommands)
        }
        publish(MQTTPublication(topic: topics.status, payload: payload, isRetained: true))
    }

    private mutating func announce() {
        for message in HomeAssistantDiscovery.messages(configuration, topics) { publish(message) }
    }

    private mutating func announceIfDue(at now: Instant) {
        guard isAnnouncementDue, nextAnnouncement.map({ $0 <= now }) ?? true else { return }
        isAnnouncementDue = false
        nextAnnouncement = now + Self.announcementInterval
        announce()
    }

    private mutating func publishStatistics() {
        let counts = self.counts
        let payload = JSONBuilder.object { json in
            json.add("advertisements", counts.advertisements)
            json.add("limited", counts.limitedAdvertisements)
            json.add("values", counts.values)
            json.add("commands", counts.commands)
            json.add("connections", counts.connections)
            json.add("queued", queuedCount)
            json.add("devices", limiter.devices.count)
            json.add("links", links.count)
        }
        publish(MQTTPublication(topic: topics.statistics, payload: payload, isAcknowledged: false))
    }

    static func text(_ state: AdapterState) -> String {
        switch state {
        case .unknown: "unknown"
        case .resetting: "resetting"
        case .unsupported: "unsupported"
        case .unauthorized: "unauthorized"
        case .poweredOff: "off"
        case .poweredOn: "on"
        }
    }

    // MARK: The adapter

    package mutating func adapterStateChanged(_ state: AdapterState, time: Int64) {
        guard state != adapter else { return }
        adapter = state
        if state == .poweredOn {
            actions.append(.adapter(.startScan))
        } else if state != .unknown {
            endAllLinks("the adapter is \(Self.text(state))", time: time)
        }
        publishStatus()
    }

    /// - Parameter time: Milliseconds since 1970.
    package mutating func discovered(_ discovery: Discovery, at now: Instant, time: Int64) {
        guard let address = discovery.address?.asDevice, broker != .stopped else { return }
        guard limiter.accepts(address, at: now) else {
            counts.limitedAdvertisements += 1
            return
        }
        counts.advertisements += 1
        let decoded =
            configuration.isDecoded
            ? limiter.decoded(discovery.content, address) : []
        let payload = AdvertisementMessage.payload(
            discovery, address, time: time, isRaw: configuration.isRaw, decoded: decoded)
        actions.append(.store(topic: topics.advertisement(address.value), payload: payload))
    }

    /// The type of a device's address: as it advertised, otherwise public.
    func kind(of address: UInt64) -> DeviceAddress.Kind { limiter.devices[address]?.kind ?? .public }

    // MARK: Time and end

    package var deadline: Instant? {
        let brokerDeadline: Instant? =
            switch broker {
            case .waiting(let until): until
            case .connecting(let deadline), .stopping(_, let deadline): deadline
            case .connected: [nextStatistics, isAnnouncementDue ? nextAnnouncement : nil].compactMap(\.self).min()
            case .idle, .stopped: nil
            }
        return [brokerDeadline, links.deadline].compactMap(\.self).min()
    }

    package mutating func handleTimeout(at now: Instant, time: Int64) {
        switch broker {
        case .waiting(let until) where until <= now: connectBroker(at: now)
        case .connecting(let deadline) where deadline <= now:
            abandonBroker("The broker did not answer within 30 s.", at: now)
        case .stopping(_, let deadline) where deadline <= now:
            actions.append(.disconnectBroker)
            finish()
        case .connected:
            if let next = nextStatistics, next <= now {
                nextStatistics = now + Self.statisticsInterval
                publishStatistics()
            }
            announceIfDue(at: now)
        default: break
        }
        endLateLinks(at: now, time: time)
    }

    /// Says that the gateway is offline, and finishes after the broker's acknowledgement.
    package mutating func stop(at now: Instant, time: Int64) {
        endAllLinks("the gateway stops", time: time)
        if adapter == .poweredOn { actions.append(.adapter(.stopScan)) }
        switch broker {
        case .connected:
            let payload = JSONBuilder.object { json in
                json.add("state", "offline")
                json.add("reason", "stopped")
            }
            let number = takeNumber()
            let message = MQTTPublication(topic: topics.status, payload: payload, isRetained: true)
            actions.append(.publish(message, number: number))
            broker = .stopping(number: number, deadline: now + Self.stopTimeout)
        case .stopping, .stopped: break
        case .idle, .waiting, .connecting:
            actions.append(.disconnectBroker)
            finish()
        }
    }

    private mutating func finish() {
        guard broker != .stopped else { return }
        broker = .stopped
        actions.append(.finish)
    }
}

/// A generator of pseudorandom numbers whose sequence depends on the seed alone.
struct SplitMix: RandomNumberGenerator, Sendable {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
