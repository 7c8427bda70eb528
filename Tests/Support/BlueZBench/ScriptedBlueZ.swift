import BLETransport
import BLEWire
import BusBench
import SystemBus

/// bluetoothd on a bus, with devices that a test makes. It answers as bluetoothd 5.87 does: src/adapter.c, device.c, gatt-client.c,
/// gatt-database.c, advertising.c and agent.c of BlueZ. A script can change the answer of each call.
///
/// `@unchecked Sendable`: it is used on the queue of its scheduler.
package final class ScriptedBlueZ: @unchecked Sendable {
    package static let service = "org.bluez"
    package static let adapter = "org.bluez.Adapter1"
    package static let device = "org.bluez.Device1"
    package static let bearerLE = "org.bluez.Bearer.LE1"
    package static let bearerClassic = "org.bluez.Bearer.BREDR1"
    package static let gattService = "org.bluez.GattService1"
    package static let characteristic = "org.bluez.GattCharacteristic1"
    package static let descriptor = "org.bluez.GattDescriptor1"
    package static let gattManager = "org.bluez.GattManager1"
    package static let advertisingManager = "org.bluez.LEAdvertisingManager1"
    package static let advertisement = "org.bluez.LEAdvertisement1"
    package static let agentManager = "org.bluez.AgentManager1"

    /// How long things take.
    package struct Timing {
        package var connecting = TimeSpan.milliseconds(100)
        /// From the connection to the services.
        package var resolving = TimeSpan.milliseconds(200)
        /// From Disconnect to the end of the link (DISCONNECT_TIMER).
        package var disconnecting = TimeSpan.seconds(2)
        /// A request to a device and its response.
        package var attribute = TimeSpan.milliseconds(10)
        package var pairing = TimeSpan.milliseconds(300)
        package var power = TimeSpan.milliseconds(50)
    }

    private static let members: [String: Set<String>] = [
        adapter: ["StartDiscovery", "StopDiscovery", "SetDiscoveryFilter", "RemoveDevice"],
        device: ["Connect", "Disconnect", "Pair", "CancelPairing"],
        bearerLE: ["Connect", "Disconnect"], gattService: [],
        characteristic: ["ReadValue", "WriteValue", "StartNotify", "StopNotify", "AcquireWrite", "AcquireNotify"],
        descriptor: ["ReadValue", "WriteValue"],
        gattManager: ["RegisterApplication", "UnregisterApplication"],
        advertisingManager: ["RegisterAdvertisement", "UnregisterAdvertisement"],
        agentManager: ["RegisterAgent", "UnregisterAgent", "RequestDefaultAgent"],
        "org.freedesktop.DBus.ObjectManager": ["GetManagedObjects"],
    ]

    /// Of 5.x: before 83 there is no signal Disconnected, before 79 no PowerState, before 65 no Bonded, before 62 no MTU.
    package let version: Int
    package var timing = Timing()
    /// The calls, in their order.
    package private(set) var calls: [ScriptedCall] = []
    /// The calls that the script leaves without an answer.
    package var held: [BusCall] = []

    let scheduler: any SerialScheduler
    private let connect: () -> any Bus
    package private(set) var bus: (any Bus)?
    /// Counts the ends of the service.
    private var runs = 0
    var objects = ScriptedObjects()
    private var exports: [String: BusCancellable] = [:]
    private var scripts: [String: [ScriptedAnswer]] = [:]
    private var constant: [String: ScriptedAnswer] = [:]
    /// Chooses what is done with a call before the scripts do. The number counts the calls, from 0.
    package var onCall: ((Int, ScriptedCall) -> ScriptedAnswer?)?
    private var lastCall = -1
    private var substitutes: [ObjectIdentifier: [BusValue]] = [:]
    private var clients: [String: BusCancellable] = [:]
    var discovery = ScriptedDiscovery()
    var devices: [String: ScriptedLink] = [:]
    var attributes = ScriptedAttributes()
    var peripheral = ScriptedPeripheral()
    var agents = ScriptedAgents()

    /// - Parameter connect: Makes a connection for each start.
    package init(_ scheduler: any SerialScheduler, version: Int = 87, connect: @escaping () -> any Bus) {
        (self.scheduler, self.version, self.connect) = (scheduler, version, connect)
        objects.add("/org/bluez", [Self.agentManager: [:]])
    }

    package convenience init(_ broker: MemoryBroker, version: Int = 87) {
        self.init(broker.scheduler, version: version) { broker.connect(callsAtBus: .max) }
    }

    // MARK: The service

    /// Starts the service. It has its name when the scheduler has run.
    package func start() {
        guard bus == nil else { return }
        let bus = connect()
        self.bus = bus
        _ = objects.takeSignals()
        for path in objects.all.keys { export(path) }
        exports["/"] = bus.export("/", with(["org.freedesktop.DBus.ObjectManager"])) { [weak self] in
            self?.receive($0)
        }
        bus.call(
            "org.freedesktop.DBus", "/org/freedesktop/DBus", "org.freedesktop.DBus", "RequestName",
            [.string(Self.service), .uint32(4)]
        ) { _ in }
    }

    /// Ends the service at once, as after a crash. The next start has the adapters and the paired devices.
    package func end() {
        bus?.close()
        runs += 1
        (bus, exports, clients, held, substitutes) = (nil, [:], [:], [], [:])
        resetLinks()
        (discovery, attributes) = (ScriptedDiscovery(), ScriptedAttributes())
        (peripheral, agents) = (ScriptedPeripheral(), ScriptedAgents())
        _ = objects.takeSignals()
    }

    private func with(_ interfaces: some Sequence<String>) -> [String: Set<String>] {
        var all = [ScriptedObjects.properties: Set(["Get", "GetAll", "Set"])]
        for interface in interfaces { all[interface] = Self.members[interface] ?? [] }
        return all
    }

    // MARK: Objects

    func add(_ path: String, _ interfaces: [String: BusProperties]) {
        objects.add(path, interfaces)
        export(path)
        planFlush()
    }

    func remove(_ path: String) {
        exports.removeValue(forKey: path)?.cancel()
        objects.remove(path)
        planFlush()
    }

    private func export(_ path: String) {
        exports[path] = bus?.export(path, with(objects.all[path]?.keys.sorted() ?? [])) { [weak self] in
            self?.receive($0)
        }
    }

    /// Sets properties; nil removes one. The signal leaves before the next message, at the latest when the queue is idle.
    package func set(_ path: String, _ interface: String, _ values: KeyValuePairs<String, BusValue?>) {
        objects.set(path, interface, values.map { ($0.key, $0.value) })
        planFlush()
    }

    /// A property of an object.
    package func property(_ path: String, _ interface: String, _ name: String) -> BusValue? {
        objects[path, interface]?[name]
    }

    /// The paths of the objects.
    package var paths: [String] { objects.all.keys.sorted() }

    private func planFlush() {
        if objects.hasPending, bus != nil { scheduler.submit { [weak self] in self?.flush() } }
    }

    func flush() {
        for signal in objects.takeSignals() { try? bus?.emit(signal) }
    }

    /// Sends a signal after what waits.
    package func emit(_ signal: BusMessage) {
        flush()
        try? bus?.emit(signal)
    }

    // MARK: Calls

    /// Changes the answers to the next calls of a method, such as "Device1.Connect", or "Device1.Connect /org/bluez/hci0/dev_…" for one object.
    package func script(_ method: String, _ answers: ScriptedAnswer...) { scripts[method, default: []] += answers }

    /// Changes the answers to all calls of a method; nil ends that.
    package func always(_ method: String, _ answer: ScriptedAnswer?) { constant[method] = answer }

    /// The calls of a method.
    package func calls(of method: String) -> [ScriptedCall] { calls.filter { $0.method == method } }
    package func forgetCalls() { calls = [] }

    private func receive(_ call: BusCall) {
        readSockets()
        let message = call.message
        let interface = message.interface?.split(separator: ".").last.map(String.init) ?? ""
        let method = "\(interface).\(message.member ?? "")"
        let path = message.path ?? ""
        let record = ScriptedCall(sender: message.sender ?? "", path: path, method: method, arguments: message.body)
        calls.append(record)
        lastCall += 1
        watch(message.sender ?? "")
        switch onCall?(lastCall, record) ?? scripted("\(method) \(path)") ?? scripted(method) {
        case .fails(let failure): fail(call, failure)
        case .hangs: held.append(call)
        case .answers(let values): reply(call, values)
        case .substitutes(let values):
            substitutes[ObjectIdentifier(call)] = values
            handle(call, method, path)
        case .late(let time): later(time) { $0.handle(call, method, path) }
        case nil: handle(call, method, path)
        }
    }

    private func scripted(_ key: String) -> ScriptedAnswer? {
        guard scripts[key]?.isEmpty == false else { return constant[key] }
        return scripts[key]?.removeFirst()
    }

    private func handle(_ call: BusCall, _ method: String, _ path: String) {
        switch method.split(separator: ".").first {
        case "ObjectManager": reply(call, [objects.managed])
        case "Properties": properties(call, path)
        case "Adapter1": adapter(call, path)
        case "Device1", "LE1": device(call, path)
        case "GattCharacteristic1", "GattDescriptor1": attribute(call, path)
        case "GattManager1", "LEAdvertisingManager1": manager(call, path)
        case "AgentManager1": agent(call)
        default: fail(call, ScriptedFailure(full: BusCallError.Name.unknownMethod, "There is no \(method)."))
        }
    }

    func reply(_ call: BusCall, _ values: [BusValue] = [], descriptors: [Descriptor] = []) {
        flush()
        if let values = substitutes.removeValue(forKey: ObjectIdentifier(call)) { return call.reply(values) }
        call.reply(values, descriptors: descriptors)
    }

    func fail(_ call: BusCall, _ failure: ScriptedFailure) {
        flush()
        substitutes[ObjectIdentifier(call)] = nil
        call.fail(failure.name, failure.text)
    }

    /// Runs `body` later, unless the service has ended since.
    func later(_ time: TimeSpan, _ body: @escaping @Sendable (ScriptedBlueZ) -> Void) {
        let run = runs
        scheduler.submit(after: time) { [weak self] in
            if let self, runs == run { body(self) }
        }
    }

    // MARK: Clients

    /// Forgets what a client started when it ends.
    private func watch(_ client: String) {
        guard clients[client] == nil, !client.isEmpty else { return }
        clients[client] = bus?.watchName(client) { [weak self] owner in
            guard let self, owner == nil else { return }
            clients.removeValue(forKey: client)?.cancel()
            clientEnded(client)
        }
    }

    private func clientEnded(_ client: String) {
        for path in discovery.clients.keys { stopDiscovery(path, client) }
        forgetNotifications(of: client)
        forgetRegistrations(of: client)
        agents.remove(client)
    }
}
