import BLEAdapter
import BLETransport
import BLEWire
import Dispatch
import DurableQueue
import Foundation
import MQTTClient
import TestDoubles

@testable import CloudGateway

/// A gateway with a broker, an adapter and a clock of the test.
final class GatewayBench: @unchecked Sendable {
    // `@unchecked Sendable`: the gateway, its broker and `events` are used on `queue`, and the clock has a lock.

    let queue: DispatchQueue
    let adapter: FakeAdapter
    let folder: String
    let broker: FakeBroker
    private let clock: ManualClock
    let gateway: CloudGateway
    /// What the gateway told its program, in words.
    private(set) var events: [String] = []
    private(set) var acknowledgements: [TimeSpan] = []
    /// Whether another bench uses the folder later.
    var keepsFolder = false

    /// - Parameters:
    ///   - folder: The folder of a queue that exists; nil for a new one.
    ///   - sharesThreads: Whether the gateway is one of many.
    init(
        folder: String? = nil, limits: DurableQueue.Limits = DurableQueue.Limits(), sharesThreads: Bool = false,
        isRealTime: Bool = false, adapter: FakeAdapter = FakeAdapter(), brokers: [String] = ["broker"],
        _ change: (inout CloudConfiguration) -> Void = { _ in }
    ) throws {
        let queue = DispatchQueue(label: "gateway")
        let broker = FakeBroker(queue)
        let folder = folder ?? FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        let clock = ManualClock()
        (self.queue, self.adapter, self.broker, self.folder, self.clock) = (queue, adapter, broker, folder, clock)
        var configuration = CloudConfiguration(name: "hall", version: "1.0")
        (configuration.allowsCommands, configuration.advertisementRate) = (true, 100_000)
        change(&configuration)
        let machine = MachineClock()
        gateway = try CloudGateway(
            adapter: adapter, configuration: configuration,
            broker: MQTTConfiguration(
                brokers.map { MQTTConfiguration.Address(host: $0, port: 1883) }, clientIdentifier: "hall"),
            folder: folder, limits: limits, queue: queue, sharesThreads: sharesThreads,
            clock: { isRealTime ? machine.now : clock.now }
        ) { configuration, handler in
            (broker.configuration, broker.handler) = (configuration, handler)
            return broker
        }
        gateway.onEvent = { [unowned self] in events.append(Self.text($0)) }
        gateway.onAcknowledgement = { [unowned self] in acknowledgements.append($0) }
    }

    deinit {
        // The objects that the queue still has end there.
        queue.sync {
            (gateway.onEvent, gateway.onAcknowledgement) = (nil, nil)
            gateway.stop()
            broker.handler?(.disconnected(reason: "the end"))
        }
        if !keepsFolder { try? FileManager.default.removeItem(atPath: folder) }
    }

    var now: Instant { clock.now }

    private static func text(_ event: CloudGateway.Event) -> String {
        switch event {
        case .brokerConnected(let address): "connected with \(address.host)"
        case .brokerDisconnected(let reason): "disconnected: \(reason)"
        case .subscriptionRefused(let filter, let reason): "refused \(filter): \(reason)"
        case .publicationRefused(let reason): "refused: \(reason)"
        case .queueFailed(let failure): "queue: \(failure)"
        case .stopped: "stopped"
        }
    }

    /// Calls the gateway on its queue, and then waits for what the call put there.
    @discardableResult func run<Value>(_ body: () throws -> Value) rethrows -> Value {
        defer { for _ in 0..<3 { queue.sync {} } }
        return try queue.sync(execute: body)
    }

    func start() { run { gateway.run() } }

    /// Running, with an adapter that is on and a broker that has accepted the client.
    func becomeReady() {
        start()
        adapter.report { $0.adapterStateChanged(.poweredOn) }
        send(.connected)
        // The first statistics are due at once.
        advance(.zero)
        run { broker.calls = [] }
    }

    /// The broker sends these events at once.
    func send(_ events: MQTTEvent...) { run { for event in events { broker.handler?(event) } } }

    /// The adapter reports something.
    func report(_ body: (any CentralObserver) -> Void) {
        adapter.report(body)
        run {}
    }

    func advertise(_ address: UInt64, count: Int = 1) {
        report { for _ in 0..<count { $0.discovered(CloudBench.advertisement(address)) } }
    }

    /// The gateway takes these advertisements in one step.
    func advertiseAtOnce(_ addresses: Range<UInt64>) {
        run {
            adapter.report { for address in addresses { $0.discovered(CloudBench.advertisement(address)) } }
        }
    }

    func command(_ id: String, _ op: String, _ arguments: String = "{}") {
        let text = #"{"id":"\#(id)","op":"\#(op)","target":"\#(CloudBench.target)","args":\#(arguments)}"#
        send(.received(MQTTMessage(topic: "bluetooth/hall/command/me", payload: Array(text.utf8))))
    }

    /// A link with one characteristic, whose value has the handle 3.
    func connect() {
        command("c", "connect")
        report { $0.connected(PeerRecord(identifier: CloudBench.peer, name: nil)) }
        let service = DiscoveredService(
            uuid: BluetoothUUID(0x180F as UInt16), range: HandleRange(start: 1, end: 9), isPrimary: true)
        report { $0.completed(.discoverServices(nil), of: CloudBench.peer, .success(.services([service]))) }
        let characteristic = DiscoveredCharacteristic(
            uuid: BluetoothUUID(0x2A19 as UInt16), properties: 0x12, declarationHandle: 2, valueHandle: 3, end: 9)
        report {
            $0.completed(
                .discoverCharacteristics(service: service.range, nil), of: CloudBench.peer,
                .success(.characteristics([characteristic])))
        }
    }

    func subscribe() {
        command("s", "subscribe", #"{"handle":3}"#)
        report {
            $0.completed(
                .setNotify(valueHandle: 3, end: 9, mode: .notification), of: CloudBench.peer, .success(.done))
        }
    }

    /// Lets the time go on, and the timer run.
    func advance(_ span: TimeSpan) {
        clock.advance(span)
        run { gateway.handleTimeout() }
    }

    /// Lets the time go on to the next deadline of the session, and the timer run.
    func advanceToDeadline() {
        if let deadline = run({ gateway.session.deadline }) {
            clock.advance(max(.zero, deadline - clock.now))
            run { gateway.handleTimeout() }
        }
    }

    /// What the gateway asked of the broker since the last use, without the statistics, which the timer publishes.
    var calls: [FakeBroker.Call] {
        run {
            defer { broker.calls = [] }
            return broker.calls.filter { $0 != .session("bluetooth/hall/statistics") }
        }
    }

    var statistics: Int {
        run { broker.publications.count { $0.message.topic == "bluetooth/hall/statistics" } }
    }

    /// The value of a line of the metrics.
    func figure(_ name: String) -> Int? {
        run { gateway.metrics }.split(separator: "\n").first { $0.hasPrefix("bluetooth_cloud_\(name) ") }
            .flatMap { $0.split(separator: " ").last }.flatMap { Int($0) }
    }
}

/// The time of a test.
private final class ManualClock: Sendable {
    private let time = Lock(Instant.zero)

    var now: Instant { time.withLock { $0 } }
    func advance(_ span: TimeSpan) { time.withLock { $0 += span } }
}

/// A broker that records what the gateway does. Used on the queue of the gateway.
final class FakeBroker: CloudBroker, @unchecked Sendable {
    enum Call: Equatable {
        case connect
        case subscribe(String)
        /// The numbers of the outbox, or the topics of the session's publications.
        case stored([UInt64])
        case session(String)
        case disconnect
    }

    var calls: [Call] = []
    var publications: [(message: MQTTPublication, number: UInt64)] = []
    var configuration: MQTTConfiguration?
    var handler: (@Sendable (MQTTEvent) -> Void)?
    var pollingGroup: PollingGroup?
    /// Whether the client is told when the broker has heard of the end.
    var completesDisconnect = true
    private let queue: DispatchQueue
    private var attempts = 0

    init(_ queue: DispatchQueue) { self.queue = queue }

    var address: MQTTConfiguration.Address {
        let addresses = configuration?.addresses ?? []
        return addresses[max(0, attempts - 1) % addresses.count]
    }

    func connect() {
        attempts += 1
        calls.append(.connect)
    }

    func publish(_ messages: [(message: MQTTPublication, number: UInt64)]) {
        publications += messages
        if let first = messages.first, first.number & CloudSession.numberBit != 0 {
            calls += messages.map { .session($0.message.topic) }
        } else {
            calls.append(.stored(messages.map(\.number)))
        }
    }

    func subscribe(_ filter: String) { calls.append(.subscribe(filter)) }

    func disconnect(_ completion: (@Sendable () -> Void)?) {
        calls.append(.disconnect)
        if let completion, completesDisconnect { queue.async(execute: completion) }
    }

    /// The payload of the last publication to a topic.
    func payload(_ topic: String) -> String? {
        publications.last { $0.message.topic == topic }.map { String(decoding: $0.message.payload, as: UTF8.self) }
    }

    var numbersOfSession: [UInt64] { publications.map(\.number).filter { $0 & CloudSession.numberBit != 0 } }
}
