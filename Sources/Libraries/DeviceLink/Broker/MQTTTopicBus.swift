internal import BLEAdapter
import CoreBluetooth
import MQTTClient

/// A bus over an MQTT broker (MQTT 3.1.1 or 5.0).
///
/// ```swift
/// let bus = try MQTTTopicBus(MQTTBroker("mqtts://broker.example"), queue: queue)
/// let way = CloudTransport(to: "lamp-1", key: key, over: bus, queue: queue)
/// ```
///
/// The bus connects when it gets its first subscription, and again when a connection ends, after a pause that doubles from 1 s to 30 s and has a
/// random half. Each connection gets all subscriptions. A minute after the last subscription has ended the bus disconnects. Ways and
/// listeners of one program can share a bus.
///
/// Messages have quality of service 0, because the ends of a link repeat what has no answer. At most 256 messages and 1 MiB wait for the
/// network; the bus drops further ones. It ignores retained messages, messages of more than 64 KiB and those that no subscription
/// matches, and stops reading while the queue does not run. A topic or a filter has at most 256 octets and 7 slashes, the limits of AWS IoT Core.
///
/// An address with `mqtts` loads the system's OpenSSL (Debian, Ubuntu: `apt-get install libssl3`).
///
/// `@unchecked Sendable`: all state is used on the queue that it was created with.
public final class MQTTTopicBus: TopicBus, @unchecked Sendable {
    private struct Callbacks {
        let onMessage: @Sendable (String, [UInt8]) -> Void
        let onState: @Sendable (TopicBusState) -> Void
    }

    private let queue: DispatchQueue
    private let clock: QueueClock
    // The state below belongs to the queue.
    private var session = BrokerSession()
    private var connection: (any BrokerConnection)?
    private var callbacks: [Int: Callbacks] = [:]
    private var random = SystemRandomNumberGenerator()
    private var scheduled: Duration?
    private var isWorking = false
    private var isWorkDue = false

    /// Prepares a bus. It connects with the first subscription.
    ///
    /// - Parameters:
    ///   - broker: The broker.
    ///   - queue: The serial queue of all users of the bus.
    ///   - clock: The clock of pauses and time limits.
    /// - Throws: If OpenSSL is missing, which `mqtts` needs, a file does not serve, or the settings contradict each other.
    public convenience init(
        _ broker: MQTTBroker, queue: DispatchQueue = .main, clock: any Clock<Duration> = ContinuousClock()
    ) throws(MQTTBrokerError) {
        do throws(MQTTClientError) {
            try self.init(broker.configuration(), queue: queue, clock: clock)
        } catch {
            throw MQTTBrokerError(description: error.description)
        }
    }

    package convenience init(
        _ configuration: MQTTConfiguration, queue: DispatchQueue, clock: any Clock<Duration> = ContinuousClock()
    ) throws(MQTTClientError) {
        try self.init(queue: queue, clock: clock) { handler throws(MQTTClientError) in
            try MQTTClient(configuration, on: queue, handler: handler)
        }
    }

    /// - Parameter connect: Makes the connection, with the handler of its events, which come on the queue.
    init(
        queue: DispatchQueue, clock: any Clock<Duration>,
        connection: (@escaping @Sendable (MQTTEvent) -> Void) throws(MQTTClientError) -> any BrokerConnection
    ) throws(MQTTClientError) {
        self.queue = queue
        self.clock = QueueClock(clock)
        self.connection = try connection { [weak self] event in self?.handle(event) }
    }

    /// Whether the broker has accepted the connection. Call it on the queue.
    public var isConnected: Bool { session.isConnected }

    /// The messages that were dropped, because there was no connection or no room. Call it on the queue.
    public var droppedCount: Int { session.dropped }

    /// Publishes a message, if the bus is connected.
    public func publish(_ octets: [UInt8], to topic: String) {
        session.publish(octets, to: topic)
        setWorkDue()
    }

    /// Subscribes, and connects if this is the first subscription.
    public func subscribe(
        to filter: String, onMessage: @escaping @Sendable (String, [UInt8]) -> Void,
        onState: @escaping @Sendable (TopicBusState) -> Void
    ) -> Int {
        let number = session.subscribe(to: filter, at: clock.now)
        callbacks[number] = Callbacks(onMessage: onMessage, onState: onState)
        setWorkDue()
        return number
    }

    /// Ends a subscription.
    public func unsubscribe(_ number: Int) {
        callbacks[number] = nil
        session.unsubscribe(number, at: clock.now)
        setWorkDue()
    }

    /// Disconnects for good. Call it on any queue.
    public func close() {
        queue.async { [self] in
            session.close()
            work()
        }
    }

    // MARK: Work

    private func handle(_ event: MQTTEvent) {
        switch event {
        case .connected: session.connected(at: clock.now)
        case .disconnected(let reason): session.disconnected(reason, at: clock.now, using: &random)
        case .received(let message): session.received(message)
        case .published(let number, _), .postponed(let number, _): session.published(number)
        case .subscribed(let filter, let refusal): session.subscribed(filter, refusal: refusal)
        }
        work()
    }

    /// A call gets no callback before it returns.
    private func setWorkDue() {
        guard !isWorkDue, !isWorking else { return }
        isWorkDue = true
        queue.async { [weak self] in
            self?.isWorkDue = false
            self?.work()
        }
    }

    private func work() {
        guard !isWorking else { return }
        isWorking = true
        while true {
            let actions = session.takeActions()
            if actions.isEmpty { break }
            for action in actions { perform(action) }
        }
        isWorking = false
        schedule()
    }

    private func perform(_ action: BrokerSession.Action) {
        switch action {
        case .connect: connection?.connect()
        case .disconnect: connection?.disconnect(nil)
        case .subscribe(let filter): connection?.subscribe(filter)
        case .unsubscribe(let filter): connection?.unsubscribe(filter)
        case .publish(let message, let number): connection?.publish(message, number: number)
        case .message(let number, let topic, let payload): callbacks[number]?.onMessage(topic, payload)
        case .state(let number, let state): callbacks[number]?.onState(state)
        }
    }

    private func schedule() {
        guard let deadline = session.deadline, scheduled.map({ deadline < $0 }) ?? true else { return }
        scheduled = deadline
        clock.schedule(at: deadline, on: queue) { [weak self] in
            guard let self, scheduled == deadline else { return }
            scheduled = nil
            session.handleTimeout(at: clock.now, using: &random)
            work()
        }
    }
}

/// What a bus needs of a client of a broker. A test in virtual time has one of its own.
protocol BrokerConnection: AnyObject, Sendable {
    func connect()
    func disconnect(_ completion: (@Sendable () -> Void)?)
    func subscribe(_ filter: String)
    func unsubscribe(_ filter: String)
    func publish(_ message: MQTTPublication, number: UInt64)
}

extension MQTTClient: BrokerConnection {}
