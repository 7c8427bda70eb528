import BLEAdapter
import CoreBluetooth
import DeviceLink

/// A way and its listener inside of one process, which stand for sockets: envelopes arrive after a delay, and not at all while the path is cut.
///
/// The phone learns of a cut as it does from a router that is out of range: no answer comes. The path carries plain envelopes, because they do
/// not leave the process; the ways over sockets have the secure channel.
///
/// `@unchecked Sendable`: used on one queue only.
final class SimulatedPath: @unchecked Sendable {
    private static let delay = Duration.milliseconds(5)
    private static let retry = Duration.milliseconds(500)

    let name: String
    private let queue: DispatchQueue
    private let clock: QueueClock
    var isUp = true
    fileprivate var toPhone: (@Sendable (DeviceTransportEvent) -> Void)?
    fileprivate var toLamp: (@Sendable (DeviceListenerEvent) -> Void)?
    /// The number of the present opening of the way, which is that of the client.
    fileprivate var client: UInt64 = 0

    init(_ name: String, queue: DispatchQueue, clock: any Clock<Duration>) {
        self.name = name
        self.queue = queue
        self.clock = QueueClock(clock)
    }

    var way: any DeviceTransport { SimulatedTransport(self) }
    var listener: any DeviceListener { SimulatedListener(self) }

    /// Looks for the listener until it answers or the way is closed.
    fileprivate func look(_ opening: UInt64) {
        guard client == opening, toPhone != nil else { return }
        if isUp, toLamp != nil { return carry { [self] in if client == opening { toPhone?(.opened) } } }
        clock.schedule(at: clock.now + Self.retry, on: queue) { [weak self] in self?.look(opening) }
    }

    fileprivate func carry(_ body: @escaping @Sendable () -> Void) {
        guard isUp else { return }
        clock.schedule(at: clock.now + Self.delay, on: queue) { [weak self] in if self?.isUp == true { body() } }
    }
}

private final class SimulatedTransport: DeviceTransport {
    private let path: SimulatedPath
    var name: String { path.name }

    init(_ path: SimulatedPath) { self.path = path }

    func open(_ report: @escaping @Sendable (DeviceTransportEvent) -> Void) {
        path.client += 1
        path.toPhone = report
        path.look(path.client)
    }

    func send(_ envelope: [UInt8]) {
        let client = path.client
        path.carry { [path] in path.toLamp?(.received(envelope, client: client)) }
    }

    func close() {
        path.toPhone = nil
        let client = path.client
        path.carry { [path] in path.toLamp?(.left(client)) }
    }
}

private final class SimulatedListener: DeviceListener {
    private let path: SimulatedPath
    var name: String { path.name }

    init(_ path: SimulatedPath) { self.path = path }

    func open(_ report: @escaping @Sendable (DeviceListenerEvent) -> Void) {
        path.toLamp = report
        report(.opened("inside of this process"))
    }

    func send(_ envelope: [UInt8], to client: UInt64) {
        path.carry { [path] in if path.client == client { path.toPhone?(.received(envelope)) } }
    }

    func close() { path.toLamp = nil }
}

/// The phone's connection to a bus over its mobile network: messages take a while, and the phone alone can lose it.
final class InterruptibleBus: TopicBus {
    private static let delay = Duration.milliseconds(40)

    private let bus: any TopicBus
    private let queue: DispatchQueue
    private let clock: QueueClock
    private let state = Lock(true)

    init(_ bus: any TopicBus, queue: DispatchQueue, clock: any Clock<Duration>) {
        (self.bus, self.queue, self.clock) = (bus, queue, QueueClock(clock))
    }

    var isUp: Bool {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    var isConnected: Bool { bus.isConnected }

    func publish(_ octets: [UInt8], to topic: String) { carry { [bus] in bus.publish(octets, to: topic) } }

    func subscribe(
        to filter: String, onMessage: @escaping @Sendable (String, [UInt8]) -> Void,
        onState: @escaping @Sendable (TopicBusState) -> Void
    ) -> Int {
        bus.subscribe(
            to: filter, onMessage: { [weak self] topic, octets in self?.carry { onMessage(topic, octets) } },
            onState: onState)
    }

    func unsubscribe(_ number: Int) { bus.unsubscribe(number) }

    private func carry(_ body: @escaping @Sendable () -> Void) {
        guard isUp else { return }
        clock.schedule(at: clock.now + Self.delay, on: queue) { [weak self] in if self?.isUp == true { body() } }
    }
}
