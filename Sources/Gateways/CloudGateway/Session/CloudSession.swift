import BLEAdapter
import BLETransport
import BLEValues
import BLEWire
import MQTTClient

/// What the cloud gateway does, as a value: events of the adapter, events of the broker and the time go in, actions come out.
///
/// The session routes between its parts: `CloudBrokerConnection` decides about attempts, `PublicationWindow` about what is published again,
/// `PublicationSchedule` about when, `CommandReplies` about repeated commands, `DeviceCommands` about links and their operations, and
/// `AdvertisementLimiter` about advertisements.
package struct CloudSession: Sendable {
    package var actions: [CloudAction] = []
    package internal(set) var counts = CloudCounts()
    package private(set) var adapter = AdapterState.unknown
    /// Messages that wait in the outbox, for the statistics.
    package var queuedCount = 0

    private let configuration: CloudConfiguration
    package let topics: CloudTopics
    let queueName: String
    private var connection: CloudBrokerConnection
    private var publications = PublicationWindow()
    private var schedule = PublicationSchedule()
    var commandReplies = CommandReplies()
    var commands: DeviceCommands
    private var limiter: AdvertisementLimiter

    /// Numbers of the session's publications have this bit, and sequence numbers of the outbox have not.
    package static let numberBit = PublicationWindow.numberBit
    /// The longest message in octets: a reply.
    package static let replySizeLimit = CommandReplies.sizeLimit

    /// - Parameters:
    ///   - queueName: The name of the outbox's store.
    ///   - seed: For the random part of pauses.
    ///   - identify: The identifier of the device with an address.
    package init(
        _ configuration: CloudConfiguration, topics: CloudTopics, queueName: String, seed: UInt64,
        identify: @escaping @Sendable (DeviceAddress) -> PeerIdentifier
    ) {
        (self.configuration, self.topics, self.queueName) = (configuration, topics, queueName)
        connection = CloudBrokerConnection(brokerCount: configuration.brokerCount, seed: seed)
        commands = DeviceCommands(linkLimit: configuration.linkLimit, identify: identify)
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
    package var isHealthy: Bool { connection.isConnected && adapter == .poweredOn }

    package var broker: CloudBrokerConnection.Phase { connection.phase }
    /// The reason why the last connection ended or failed; nil while connected.
    package var brokerFailure: String? { connection.failure }
    package var deviceCount: Int { limiter.devices.count }
    package var linkCount: Int { commands.links.count }

    // MARK: The broker

    package mutating func start(at now: Instant) {
        guard connection.phase == .idle else { return }
        connectBroker(at: now)
    }

    private mutating func connectBroker(at now: Instant) {
        connection.begin(at: now)
        actions.append(.connectBroker)
    }

    package mutating func brokerConnected(at now: Instant) {
        guard connection.accept(at: now) else { return }
        counts.connections += 1
        publications.begin()
        schedule.begin(at: now)
        if configuration.allowsCommands { actions.append(.subscribe(topics.commands)) }
        if let prefix = configuration.homeAssistantPrefix {
            actions.append(.subscribe(HomeAssistantDiscovery.birthTopic(prefix)))
        }
        publishStatus()
        announce()
        for (number, message) in publications.replies { actions.append(.publish(message, number: number)) }
    }

    package mutating func brokerDisconnected(_ reason: String, at now: Instant) {
        switch connection.end(reason, at: now) {
        case .attempt: counts.failedConnections += 1
        case .stop: finish()
        case .connection, .nothing: break
        }
    }

    /// Ends the connection, for example because the broker acknowledges nothing.
    package mutating func abandonBroker(_ reason: String, at now: Instant) {
        actions.append(.disconnectBroker)
        brokerDisconnected(reason, at: now)
    }

    package mutating func brokerPublished(_ number: UInt64) {
        if connection.isStopping(after: number) {
            actions.append(.disconnectBroker)
            return finish()
        }
        publications.remove(number)
    }

    /// The broker does not take a publication now. A reply waits for the next connection, and any other publication is dropped.
    package mutating func brokerPostponed(_ number: UInt64) {
        if !publications.isReply(number) { brokerPublished(number) }
    }

    package mutating func brokerReceived(_ message: MQTTMessage, at now: Instant) {
        guard connection.isConnected else { return }
        if let prefix = configuration.homeAssistantPrefix, message.topic == HomeAssistantDiscovery.birthTopic(prefix) {
            if message.payload.elementsEqual("online".utf8) {
                schedule.requestAnnouncement()
                if schedule.takeAnnouncement(at: now) { announce() }
            }
            return
        }
        // The broker keeps a retained message for the next connection, where the command would be carried out again.
        guard configuration.allowsCommands, !message.isRetained, let client = topics.client(ofCommand: message.topic)
        else { return }
        handleCommand(message.payload, from: client, at: now)
    }

    // MARK: Commands

    private mutating func handleCommand(_ payload: [UInt8], from client: String, at now: Instant) {
        switch commandReplies.take(payload, from: client) {
        case .invalid(let octets):
            counts.invalidCommands += 1
            reply(octets, to: client)
        case .repeated(let octets):
            counts.repeatedCommands += 1
            if let octets { reply(octets, to: client) }
        case .refused(let origin, let failure): fail(origin, failure)
        case .begun(let request, let origin):
            counts.commands += 1
            do throws(CloudCommandError) {
                try commands.begin(
                    request, origin,
                    in: DeviceCommands.Surroundings(adapter: adapter, now: now, devices: limiter.devices))
            } catch {
                fail(origin, error)
            }
            carryOut()
        }
    }

    private mutating func fail(_ origin: ReplyDestination, _ failure: CloudCommandError) {
        reply(commandReplies.fail(origin, failure), to: origin.client)
    }

    /// Routes what the commands brought about.
    private mutating func carryOut() {
        for output in commands.takeOutputs() {
            switch output {
            case .adapter(let command): actions.append(.adapter(command))
            case .succeeded(let origin, let result):
                reply(commandReplies.succeed(origin) { result.add(to: &$0) }, to: origin.client)
            case .failed(let origin, let failure): fail(origin, failure)
            case .link(let address, let state, let reason, let time):
                let payload = JSONBuilder.object { json in
                    json.add("time", time)
                    json.add("state", state)
                    if let reason { json.add("reason", reason) }
                }
                actions.append(.store(topic: topics.link(address), payload: payload))
            case .value(let value, let handle, let uuid, let address, let time):
                counts.values += 1
                let payload = JSONBuilder.object { json in
                    json.add("time", time)
                    json.add("address", DeviceAddress(kind: .public, value: address).description)
                    json.add("handle", handle)
                    if let uuid { json.add("characteristic", uuid.description) }
                    json.add("value", hexadecimal: value)
                    json.add("text", FittingText.text(value, uuid?.shortValue.flatMap(Schemas.schema)))
                }
                actions.append(.store(topic: topics.value(address, handle: handle), payload: payload))
            }
        }
    }

    // MARK: Publications

    private mutating func publish(_ message: MQTTPublication) {
        guard connection.isConnected else { return }
        guard let number = publications.add() else {
            counts.droppedPublications += 1
            return
        }
        actions.append(.publish(message, number: number))
    }

    /// Publishes a reply, and again after the next connection if the broker does not acknowledge it.
    mutating func reply(_ payload: [UInt8], to client: String) {
        let message = MQTTPublication(topic: topics.reply(to: client), payload: payload)
        let (number, dropped) = publications.add(reply: message, isConnected: connection.isConnected)
        counts.droppedReplies += dropped
        if let number, connection.isConnected { actions.append(.publish(message, number: number)) }
    }

    private mutating func publishStatus() {
        let payload = JSONBuilder.object { json in
            json.add("state", "online")
            json.add("adapter", adapter.word)
            json.add("version", configuration.version)
            json.add("queue", queueName)
            json.add("commands", configuration.allowsCommands)
        }
        publish(MQTTPublication(topic: topics.status, payload: payload, isRetained: true))
    }

    private mutating func announce() {
        for message in HomeAssistantDiscovery.messages(configuration, topics) { publish(message) }
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
            json.add("devices", deviceCount)
            json.add("links", linkCount)
        }
        publish(MQTTPublication(topic: topics.statistics, payload: payload, isAcknowledged: false))
    }

    // MARK: The adapter

    package mutating func adapterStateChanged(_ state: AdapterState, time: Int64) {
        guard state != adapter else { return }
        adapter = state
        if state == .poweredOn {
            actions.append(.adapter(.startScan))
        } else if state != .unknown {
            commands.endAllLinks("the adapter is \(state.word)", cancels: false, time: time)
            carryOut()
        }
        publishStatus()
    }

    /// - Parameter time: Milliseconds since 1970.
    package mutating func discovered(_ discovery: Discovery, at now: Instant, time: Int64) {
        guard let address = discovery.address?.asDevice, connection.phase != .stopped else { return }
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

    package mutating func linkConnected(_ peer: PeerIdentifier, at now: Instant, time: Int64) {
        commands.linkConnected(peer, at: now, time: time)
        carryOut()
    }

    /// - Parameter reason: In words.
    package mutating func linkEnded(_ peer: PeerIdentifier, _ reason: String, time: Int64) {
        commands.linkEnded(peer, reason, time: time)
        carryOut()
    }

    /// Takes the result of the oldest operation of a link.
    package mutating func completed(
        _ peer: PeerIdentifier, at now: Instant, _ result: Result<GATTResult, GATTError>
    ) {
        commands.completed(peer, at: now, result)
        carryOut()
    }

    package mutating func received(_ value: [UInt8], handle: UInt16, from peer: PeerIdentifier, time: Int64) {
        commands.received(value, handle: handle, from: peer, time: time)
        carryOut()
    }

    /// Ends a write without response. A Write Command that finds no room in the peer's buffer is not sent.
    package mutating func wroteCommand(_ number: Int, isAccepted: Bool) {
        commands.wroteCommand(number, isAccepted: isAccepted)
        carryOut()
    }

    // MARK: Time and end

    package var deadline: Instant? {
        [connection.deadline, connection.isConnected ? schedule.deadline : nil, commands.links.deadline]
            .compactMap(\.self).min()
    }

    package mutating func handleTimeout(at now: Instant, time: Int64) {
        if connection.isConnected {
            if schedule.takeStatistics(at: now) { publishStatistics() }
            if schedule.takeAnnouncement(at: now) { announce() }
        }
        switch connection.timeout(at: now) {
        case .pause: connectBroker(at: now)
        case .attempt: abandonBroker("The broker did not answer within 30 s.", at: now)
        case .stop:
            actions.append(.disconnectBroker)
            finish()
        case nil: break
        }
        commands.endLateLinks(at: now, time: time)
        carryOut()
    }

    /// Says that the gateway is offline, and finishes after the broker's acknowledgement.
    package mutating func stop(at now: Instant, time: Int64) {
        commands.endAllLinks("the gateway stops", cancels: adapter == .poweredOn, time: time)
        carryOut()
        if adapter == .poweredOn { actions.append(.adapter(.stopScan)) }
        switch connection.phase {
        case .connected:
            let payload = JSONBuilder.object { json in
                json.add("state", "offline")
                json.add("reason", "stopped")
            }
            let number = publications.takeNumber()
            let message = MQTTPublication(topic: topics.status, payload: payload, isRetained: true)
            actions.append(.publish(message, number: number))
            connection.beginStop(after: number, at: now)
        case .stopping, .stopped: break
        case .idle, .waiting, .connecting:
            actions.append(.disconnectBroker)
            finish()
        }
    }

    private mutating func finish() {
        if connection.stop() { actions.append(.finish) }
    }
}
