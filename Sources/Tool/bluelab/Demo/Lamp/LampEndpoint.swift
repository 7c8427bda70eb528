import CoreBluetooth
import DeviceLink
import Foundation
import ImprovWiFi
import LampPrograms

/// An order of the demo to one of its two processes, as a line of JSON.
enum LampProcessCommand: Codable, Sendable {
    case press, toggle
    /// A message of the bus inside of the demo.
    case message(topic: String, octets: [UInt8])
}

/// What one of the two processes tells the demo, as a line of JSON.
enum LampProcessMessage: Codable, Sendable {
    case report(LampReport)
    case publish(topic: String, octets: [UInt8])
}

/// One of the two processes of `bluelab demo lamp`, in its namespace. It reads orders, and ends with its standard input.
struct LampEndpointRun {
    /// The variable that makes a process one of the two.
    static let variable = "BLUELAB_LAMP_PLACE"
    /// The variable with the address of the broker.
    static let brokerVariable = "BLUELAB_LAMP_BROKER"

    enum Place: String { case lamp, phone }

    private let place: Place
    private let key: LinkKey
    private let password: String
    /// The address of the broker; nil for the bus inside of the demo.
    private let broker: MQTTBroker?

    /// Returns nil in a process that the user has started.
    init?(_ environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let place = environment[Self.variable].flatMap(Place.init(rawValue:)),
            let key = environment["BLUETOOTH_LINK_KEY"].flatMap({ try? LinkKey(base64: $0) }),
            let password = environment["BLUETOOTH_WIFI_PASSWORD"]
        else { return nil }
        (self.place, self.key, self.password) = (place, key, password)
        broker = environment[Self.brokerVariable].flatMap { try? MQTTBroker($0) }
    }

    func run(timing: LinkTiming) async throws {
        signal(SIGPIPE, SIG_IGN)
        let queue = DispatchQueue(label: "bluelab.lamp")
        let relay = ProxyBus(queue: queue)
        let bus: any TopicBus = if let broker { try MQTTTopicBus(broker, queue: queue) } else { relay }
        let end = try LampEndpoint(place, key: key, password: password, bus: bus, timing: timing, queue: queue)
        end.start()
        let lines = AsyncStream<String> { continuation in
            LampChild.readLines(of: .standardInput, onLine: { continuation.yield($0) }) { continuation.finish() }
        }
        for await line in lines {
            guard let order = try? JSONDecoder().decode(LampProcessCommand.self, from: Data(line.utf8)) else {
                continue
            }
            switch order {
            case .press: end.press()
            case .toggle: end.toggle()
            case .message(let topic, let octets): queue.async { relay.receive(octets, topic) }
            }
        }
        end.stop()
        queue.sync {}
    }

    fileprivate static func tell(_ told: LampProcessMessage) {
        guard let data = try? JSONEncoder().encode(told) else { return }
        // The demo has ended if the pipe is closed; the end of the input follows.
        try? emit(String(decoding: data, as: UTF8.self))
    }
}

extension LinkTiming {
    /// A third to a twentieth of the usual times, for a demo that is quick.
    static var short: LinkTiming {
        var timing = LinkTiming()
        timing.opening = .seconds(3)
        timing.stagger = .milliseconds(300)
        timing.silence = .milliseconds(1200)
        timing.ping = .seconds(2)
        timing.firstRepeat = .milliseconds(300)
        timing.firstRetry = .milliseconds(500)
        timing.longestRetry = .seconds(3)
        return timing
    }
}

/// The program of a process.
private struct LampEndpoint {
    private let lamp: LampDevice?
    private let phone: LampPhone?

    init(
        _ place: LampEndpointRun.Place, key: LinkKey, password: String, bus: any TopicBus, timing: LinkTiming,
        queue: DispatchQueue
    ) throws {
        let identifier = LampSimulation.identifier
        let interfaces = [LampNamespaces.network]
        switch place {
        case .lamp:
            phone = nil
            lamp = try LampDevice(
                identifier,
                wifi: SimulatedWiFi(
                    [.init(name: LampSimulation.credentials.network, password: password)], delay: .milliseconds(300),
                    queue: queue),
                listeners: [
                    NetworkListener(identifier, key: key, announcedOn: interfaces, queue: queue),
                    DirectListener(key: key, queue: queue), CloudListener(identifier, key: key, over: bus),
                    BluetoothListener(identifier, key: key, queue: queue),
                ], queue: queue
            ) { LampEndpointRun.tell(.report(.lamp($0))) }
        case .phone:
            lamp = nil
            guard
                let credentials = try? WiFiCredentials(network: LampSimulation.credentials.network, password: password)
            else { throw ToolError(.usage, "the password is too long.") }
            phone = LampPhone(
                lamp: identifier, credentials: credentials,
                ways: [
                    NetworkTransport(to: identifier, key: key, interfaces: interfaces, queue: queue),
                    DirectTransport(key: key, queue: queue),
                    CloudTransport(to: identifier, key: key, over: bus, queue: queue),
                    BluetoothTransport(to: identifier, key: key, queue: queue),
                ], timing: timing, queue: queue
            ) { LampEndpointRun.tell(.report(.phone($0))) }
        }
    }

    func start() {
        lamp?.start()
        phone?.start()
    }

    func stop() {
        lamp?.stop()
        phone?.stop()
    }

    func press() { lamp?.press() }
    func toggle() { phone?.toggle() }
}

/// The bus inside of the demo, seen from one of its processes: messages go through the pipes to the demo and back.
private final class ProxyBus: TopicBus {
    private let local: MemoryTopicBus

    init(queue: DispatchQueue) { local = MemoryTopicBus(queue: queue) }

    var isConnected: Bool { true }

    func publish(_ octets: [UInt8], to topic: String) { LampEndpointRun.tell(.publish(topic: topic, octets: octets)) }

    func subscribe(
        to filter: String, onMessage: @escaping @Sendable (String, [UInt8]) -> Void,
        onState: @escaping @Sendable (TopicBusState) -> Void
    ) -> Int { local.subscribe(to: filter, onMessage: onMessage, onState: onState) }

    func unsubscribe(_ number: Int) { local.unsubscribe(number) }

    /// A message of the other process.
    func receive(_ octets: [UInt8], _ topic: String) { local.publish(octets, to: topic) }
}
