internal import BLEAdapter
import CoreBluetooth

/// The way through a bus with topics, wherever the client and the device are.
///
/// The messages are the datagrams of the secure channel: the bus sees the identifier of the device and the lengths, and reads nothing.
///
/// `@unchecked Sendable`: all state is used on the queue that it was created with.
public final class CloudTransport: DeviceTransport, @unchecked Sendable {
    /// `cloud`.
    public let name = "cloud"
    private static let greetingPause = Duration.seconds(1)

    private let bus: any TopicBus
    private let prefix: String
    private let device: String
    private let key: LinkKey
    private let queue: DispatchQueue
    private let clock: QueueClock
    /// A name of this client for its topics: no secret, and another one in each run.
    private let client = String(UInt64.random(in: .min ... .max), radix: 16)
    private var report: (@Sendable (DeviceTransportEvent) -> Void)?
    private var subscription: Int?
    private var channel: DatagramClient?
    private var opening = 0

    /// Prepares the way.
    ///
    /// - Parameters:
    ///   - device: The identifier of the device.
    ///   - key: The key of the device.
    ///   - bus: The bus.
    ///   - prefix: The first levels of all topics, at most four.
    ///   - queue: The serial queue of the link and of the bus.
    ///   - clock: The clock of the repetitions.
    public init(
        to device: String, key: LinkKey, over bus: any TopicBus, prefix: String = "bluetooth",
        queue: DispatchQueue = .main, clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.device = device
        self.key = key
        self.bus = bus
        self.prefix = prefix
        self.queue = queue
        self.clock = QueueClock(clock)
    }

    /// Subscribes, and begins the secure channel.
    public func open(_ report: @escaping @Sendable (DeviceTransportEvent) -> Void) {
        self.report = report
        opening += 1
        let opening = opening
        if let problem = LinkTopics.problem(prefix: prefix, device: device) { return end(problem) }
        channel = DatagramClient(key: key)
        subscription = bus.subscribe(to: topic("down")) { [weak self] _, octets in
            self?.receive(octets)
        } onState: { [weak self] state in
            guard let self, self.opening == opening, self.report != nil else { return }
            switch state {
            case .connected: greet(opening)
            case .disconnected(let reason): end(reason)
            }
        }
    }

    /// Sends an envelope.
    public func send(_ envelope: [UInt8]) {
        guard let datagram = channel?.seal(envelope) else { return }
        bus.publish(datagram, to: topic("up"))
    }

    /// Ends the subscription.
    public func close() {
        report = nil
        channel = nil
        opening += 1
        if let subscription { bus.unsubscribe(subscription) }
        subscription = nil
    }

    private func topic(_ direction: String) -> String { LinkTopics.topic(prefix, device, direction, client) }

    private func end(_ reason: String) {
        let report = self.report
        close()
        report?(.closed(reason))
    }

    private func greet(_ opening: Int) {
        guard self.opening == opening, let greeting = channel?.greeting else { return }
        bus.publish(greeting, to: topic("up"))
        clock.schedule(at: clock.now + Self.greetingPause, on: queue) { [weak self] in self?.greet(opening) }
    }

    private func receive(_ octets: [UInt8]) {
        guard let wasReady = channel?.isReady else { return }
        let envelope = channel?.receive(octets)
        if !wasReady, channel?.isReady == true { report?(.opened) }
        if let envelope { report?(.received(envelope)) }
    }
}

/// The listener through a bus with topics.
///
/// `@unchecked Sendable`: all state is used on the queue of the bus.
public final class CloudListener: DeviceListener, @unchecked Sendable {
    /// `cloud`.
    public let name = "cloud"
    private let bus: any TopicBus
    private let prefix: String
    private let device: String
    private let clock: QueueClock
    private var server: DatagramServer<String>
    private var report: (@Sendable (DeviceListenerEvent) -> Void)?
    private var subscription: Int?

    /// Prepares the listener.
    ///
    /// - Parameters:
    ///   - device: The identifier of the device.
    ///   - key: The key of the device.
    ///   - bus: The bus, on the queue of the device.
    ///   - prefix: The first levels of all topics, at most four.
    ///   - clock: The clock of the limits.
    public init(
        _ device: String, key: LinkKey, over bus: any TopicBus, prefix: String = "bluetooth",
        clock: any Clock<Duration> = ContinuousClock()
    ) {
        self.device = device
        self.bus = bus
        self.prefix = prefix
        self.clock = QueueClock(clock)
        server = DatagramServer(key: key)
    }

    /// Subscribes to the topics of all clients.
    public func open(_ report: @escaping @Sendable (DeviceListenerEvent) -> Void) {
        self.report = report
        if let problem = LinkTopics.problem(prefix: prefix, device: device) { return report(.failed(problem)) }
        let filter = LinkTopics.topic(prefix, device, "up", "+")
        subscription = bus.subscribe(to: filter) { [weak self] topic, octets in
            self?.receive(octets, topic)
        } onState: { [weak self] state in
            switch state {
            case .connected: self?.report?(.opened(filter))
            case .disconnected(let reason): self?.report?(.failed(reason))
            }
        }
    }

    /// Sends an envelope to a client.
    public func send(_ envelope: [UInt8], to client: UInt64) {
        guard let (name, datagram) = server.seal(envelope, to: client) else { return }
        bus.publish(datagram, to: LinkTopics.topic(prefix, device, "down", name))
    }

    /// Ends the subscription.
    public func close() {
        report = nil
        if let subscription { bus.unsubscribe(subscription) }
        subscription = nil
    }

    private func receive(_ octets: [UInt8], _ topic: String) {
        // The filter bounds the level: it has no slash. A client names itself with 1 to 16 digits.
        guard let name = topic.split(separator: "/").last.map(String.init), (1...16).contains(name.utf8.count),
            name.utf8.allSatisfy({ (0x30...0x39).contains($0) || (0x61...0x66).contains($0) })
        else { return }
        let (received, answer) = server.receive(octets, from: name, at: clock.now)
        if let answer { bus.publish(answer, to: LinkTopics.topic(prefix, device, "down", name)) }
        if let received { report?(.received(received.envelope, client: received.client)) }
    }
}
