import BLEAdapter
import BLEStore
import BLETransport
import BLEWire
import BlueZBench
import SystemBus
import TestDoubles

@testable import BLEBlueZAdapter
@testable import BusBench

/// What goes wrong at a message.
enum Fault: Hashable, CaseIterable, Sendable {
    /// bluetoothd ends, and comes back after 3 s.
    case end
    /// bluetoothd answers nothing any more, until it is started again after a minute.
    case hang
    /// The program's connection to the bus ends.
    case bus
    /// The adapter's objects vanish, and come back after 3 s.
    case objects
}

/// What comes in place of the answer to a call.
enum WrongAnswer: Hashable, CaseIterable, Sendable {
    case nothing, integer, texts
    case error
    /// An error whose name is empty: no message of D-Bus.
    case nameless
}

/// A disturbance of a session.
enum Disturbance: Hashable, Sendable {
    case none
    case fault(Fault, Int)
    /// A fault, and once more so many messages later.
    case twice(Fault, Int, gap: Int)
    case answer(WrongAnswer, Int)
}

/// An adapter over a double of bluetoothd that is disturbed at a chosen message or call.
final class EndingBench: @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    static let hci0 = "/org/bluez/hci0"

    let scheduler = ManualScheduler()
    let broker: MemoryBroker
    let bluez: ScriptedBlueZ
    let store = DeviceStore(key: StoreKey(high: 0, low: 1))
    let channels = FakeChannels()
    private(set) var adapter: BlueZAdapter?
    private(set) weak var weakAdapter: BlueZAdapter?
    private(set) weak var connection: BusConnection?
    private let disturbance: Disturbance
    /// The messages of bluetoothd, sent or received.
    private(set) var messages = 0
    private(set) var calls = 0
    private(set) var isHung = false
    /// Whether nothing is expected any more, so that sockets are looked at seldom.
    var hasEnded = false
    private var dead: Set<String> = []
    private let isRecent: Bool
    /// The sockets that are open.
    private let sockets = OpenSockets()
    var openSockets: Int { sockets.count }

    init(_ disturbance: Disturbance, version: Int = 87, isRecent: Bool = true) {
        self.disturbance = disturbance
        self.isRecent = isRecent
        broker = MemoryBroker(scheduler)
        bluez = ScriptedBlueZ(broker, version: version)
        addAdapter()
        bluez.start()
        scheduler.run()
        broker.passes = { [unowned self] in passes($0) }
        broker.onPass = { [unowned self] in passed($0) }
        bluez.onCall = { [unowned self] _, _ in
            defer { calls += 1 }
            guard case .answer(let answer, calls) = disturbance else { return nil }
            return substitute(answer)
        }
        let adapter = BlueZAdapter(
            adapter: nil, identification: store, scheduler: scheduler,
            surroundings: BlueZAdapter.Surroundings(
                makeBus: { [unowned self] in
                    let bus = broker.connect()
                    connection = bus
                    return bus
                },
                makeSocket: { [scheduler, sockets] in
                    PolledSocket($0, scheduler, each: .milliseconds(5), burst: 4, counted: sockets)
                }, channels: channels,
                blocks: { _ in nil })
        ) { _ in }
        (self.adapter, weakAdapter) = (adapter, adapter)
        switch disturbance {
        case .fault(let fault, 0), .twice(let fault, 0, _): scheduler.submit { [unowned self] in fire(fault) }
        default: break
        }
        readSockets()
    }

    private func addAdapter() {
        bluez.addAdapter(properties: isRecent ? ["Manufacturer": .uint16(2)] : [:])
    }

    private func readSockets() {
        if !isHung { bluez.readSockets() }
        scheduler.submit(after: .milliseconds(openSockets > 0 || !hasEnded ? 10 : 1000)) { [weak self] in
            self?.readSockets()
        }
    }

    // MARK: Messages

    /// The unique name of bluetoothd.
    private var name: String? { bluez.bus?.uniqueName }

    private func isOfService(_ message: BusMessage) -> Bool {
        guard let name else { return false }
        return message.sender == name || message.destination == name || message.destination == "org.bluez"
    }

    private func passes(_ message: BusMessage) -> Bool {
        if isHung, message.sender == name { return false }
        return !dead.contains(message.sender ?? "")
    }

    private func passed(_ message: BusMessage) {
        guard isOfService(message) else { return }
        messages += 1
        switch disturbance {
        case .fault(let fault, messages), .twice(let fault, messages, _): fire(fault)
        case .twice(let fault, let number, let gap) where messages == number + gap: fire(fault)
        default: break
        }
    }

    private func fire(_ fault: Fault) {
        switch fault {
        case .end:
            guard bluez.bus != nil else { return }
            name.map { _ = dead.insert($0) }
            bluez.end()
            later(3) { $0.bluez.start() }
        case .hang:
            guard !isHung else { return }
            isHung = true
            later(60) {
                if let name = $0.name { $0.dead.insert(name) }
                $0.isHung = false
                $0.bluez.end()
            }
            later(62) { $0.bluez.start() }
        case .bus:
            (connection?.uniqueName).map { _ = dead.insert($0) }
            if let connection { broker.disconnect(connection) }
        case .objects:
            guard bluez.paths.contains(Self.hci0) else { return }
            bluez.removeAdapter(Self.hci0)
            later(3) { $0.addAdapter() }
        }
    }

    private func later(_ seconds: Int, _ body: @escaping (EndingBench) -> Void) {
        let call = Later(body: body)
        scheduler.submit(after: .seconds(seconds)) { [weak self] in if let self { call.body(self) } }
    }

    /// `@unchecked Sendable`: used on the thread of the test only.
    private struct Later: @unchecked Sendable { let body: (EndingBench) -> Void }

    private func substitute(_ answer: WrongAnswer) -> ScriptedAnswer {
        switch answer {
        case .nothing: return .substitutes([])
        case .integer: return .substitutes([.uint32(7)])
        case .texts: return .substitutes([.array("s", [.string("a"), .string("b")])])
        case .error: return .fails(.failed("an error"))
        case .nameless:
            var error = BusMessage(.error)
            (error.errorName, error.replySerial, error.serial) = ("a.b", 1, 1)
            var octets = (try? error.encoded()) ?? []
            // The length of the name.
            if let start = octets.firstRange(of: Array("a.b".utf8))?.lowerBound { octets[start - 4] = 0 }
            if let connection { broker.deliver(octets, to: connection) }
            return .hangs
        }
    }

    // MARK: The end

    /// Nothing is expected any more: what is remembered for some time is forgotten, and the devices go.
    func rest() {
        hasEnded = true
        scheduler.run(for: .seconds(200))
        for path in bluez.paths where path.contains("/dev_") && bluez.property(path, BlueZ.device, "Address") != nil {
            bluez.vanish(path)
        }
        scheduler.run(for: .seconds(10))
    }

    /// Ends the program's use of the adapter.
    func release() { adapter = nil }

    /// The tables of the adapter and of its connection.
    func census() -> Census {
        Census(
            adapter as Any,
            skipped: ["scheduler", "identification", "said", "noted", "log", "logger", "observer", "system", "broker"])
    }

    /// What the program has left at bluetoothd and on the bus.
    func leftovers() -> [String] {
        var left: [String] = []
        if weakAdapter != nil { left.append("the adapter") }
        if broker.peers.count != 1 { left.append("\(broker.peers.count - 1) connections") }
        if !bluez.applications.isEmpty { left.append("applications") }
        if !bluez.advertisements.isEmpty { left.append("advertisements") }
        if !bluez.capabilities.isEmpty { left.append("an agent") }
        if bluez.property(Self.hci0, BlueZ.adapter, "Discovering")?.flag != false { left.append("a discovery") }
        for path in bluez.paths where !bluez.notifyClients(path).isEmpty { left.append("notifications of \(path)") }
        if openSockets != 0 { left.append("\(openSockets) sockets") }
        for socket in channels.sockets where !socket.isClosed { left.append("a channel") }
        for listener in channels.listeners where !listener.isClosed { left.append("a published channel") }
        return left
    }
}
