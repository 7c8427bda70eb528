import BLEAdapter
import BLESimulator
import CoreBluetooth
import DeviceLink
import ImprovWiFi
import LampPrograms

/// The lamp and the phone in one process, in the time of a world.
struct LampSimulation {
    /// What the lamp has to join.
    static let credentials = try! WiFiCredentials(network: "home", password: "correct horse")
    static let identifier = "lamp-1"
    static let wifi = SimulatedWiFi.Network(name: credentials.network, password: credentials.password)

    private let world: World
    private let queue = DispatchQueue(label: "bluelab.lamp")
    private let network: SimulatedPath
    private let direct: SimulatedPath
    private let mobile: InterruptibleBus
    private let lamp: LampDevice
    private let phone: LampPhone
    /// What the programs have reported and the story has not seen.
    private let reports = Reports()

    /// - Parameters:
    ///   - seed: Determines the random draws of the radio.
    ///   - pace: The speed of the world.
    init(seed: UInt64, pace: Pace) {
        let world = World(seed: seed, pace: pace)
        let (clock, queue, reports) = (world.clock, queue, reports)
        // The bus, and so both programs, have one queue.
        let bus = MemoryTopicBus(queue: queue)
        let network = SimulatedPath(LampTransport.network.rawValue, queue: queue, clock: clock)
        let direct = SimulatedPath(LampTransport.direct.rawValue, queue: queue, clock: clock)
        let mobile = InterruptibleBus(bus, queue: queue, clock: clock)
        let (identifier, key) = (Self.identifier, LinkKey.random())
        lamp = world.addDevice("Lamp", at: Position(x: 2)).run {
            let lamp = try! LampDevice(
                identifier, wifi: SimulatedWiFi([Self.wifi], delay: .seconds(1), queue: queue, clock: clock),
                listeners: [
                    network.listener, direct.listener, CloudListener(identifier, key: key, over: bus, clock: clock),
                    BluetoothListener(identifier, key: key, queue: queue),
                ], queue: queue, clock: clock
            ) { reports.add(.lamp($0)) }
            lamp.start()
            return lamp
        }
        phone = world.addDevice("Phone").run {
            let phone = LampPhone(
                lamp: identifier, credentials: Self.credentials,
                ways: [
                    network.way, direct.way,
                    CloudTransport(to: identifier, key: key, over: mobile, queue: queue, clock: clock),
                    BluetoothTransport(to: identifier, key: key, queue: queue),
                ], queue: queue, clock: clock
            ) { reports.add(.phone($0)) }
            phone.start()
            return phone
        }
        (self.world, self.network, self.direct, self.mobile) = (world, network, direct, mobile)
    }

    /// The virtual time since the beginning.
    var now: Duration { world.now }

    /// Runs the story to its end, or until `isInterrupted` returns true.
    func run(
        _ story: inout LampScenario, isInterrupted: @escaping @Sendable () -> Bool,
        show: (LampDisplayItem, Duration) -> Void
    ) {
        let callbacks = Lock(0)
        while !story.isOver, !isInterrupted() {
            // Time stops after each callback, so what the programs do on their queue takes none.
            world.runBlocking(until: story.deadline) { count in
                isInterrupted()
                    || callbacks.withLock { last in
                        defer { last = count }
                        return last != count
                    }
            }
            story.handleTimeout(at: world.now)
            while step(&story, show) {}
        }
        lamp.stop()
        phone.stop()
        queue.sync {}
    }

    /// Tells the story what the programs have reported, and does what it wants, at the present time. Returns whether something happened.
    private func step(_ story: inout LampScenario, _ show: (LampDisplayItem, Duration) -> Void) -> Bool {
        drain()
        let reports = reports.take()
        for report in reports {
            show(.report(report), world.now)
            story.handle(report, at: world.now)
        }
        let actions = story.takeActions()
        for action in actions {
            show(.action(action), world.now)
            perform(action)
            // The next action comes after all that this one causes at the present time.
            drain()
        }
        return !reports.isEmpty || !actions.isEmpty
    }

    /// Waits for the work that the programs have put on their queue, and for what that work puts there.
    private func drain() { for _ in 0..<16 { queue.sync {} } }

    private func perform(_ action: LampAction) {
        switch action {
        case .press: lamp.press()
        case .toggle: phone.toggle()
        case .cut(let way): set(way, isUp: false)
        case .mend(let ways): for way in ways { set(way, isUp: true) }
        }
    }

    private func set(_ way: LampTransport, isUp: Bool) {
        queue.sync {
            switch way {
            case .network: network.isUp = isUp
            case .direct: direct.isUp = isUp
            case .cloud: mobile.isUp = isUp
            case .bluetooth: world.setEnvironment(RadioEnvironment(packetLoss: isUp ? 0 : 1))
            }
        }
    }
}

/// What the demo shows.
enum LampDisplayItem {
    case report(LampReport)
    case action(LampAction)
}

/// Reports in their order, from any queue.
final class Reports: Sendable {
    private let waiting = Lock<[LampReport]>([])

    func add(_ report: LampReport) { waiting.withLock { $0.append(report) } }

    func take() -> [LampReport] {
        waiting.withLock { waiting in
            defer { waiting = [] }
            return waiting
        }
    }
}
