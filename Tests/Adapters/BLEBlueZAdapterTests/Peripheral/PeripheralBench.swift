import BLEAdapter
import BLETransport
import BLEWire
import BusBench
import Logging
import SystemBus
import TestConditions
import TestDoubles
import Testing

@testable import BLEBlueZAdapter

/// Identifiers that are addresses.
private struct Identification: PeerIdentification {
    func identifier(for address: DeviceAddress) -> PeerIdentifier { PeerIdentifier(high: 1, low: address.value) }
    func address(of identifier: PeerIdentifier) -> DeviceAddress? { nil }
}

/// The lines of a log.
private struct LineHandler: LogHandler {
    let lines: Collected<String>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.debug

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) { lines.add("\(event.level) \(event.message)") }
}

/// The events of a session as words, and the requests.
final class PeripheralRecorder: PeripheralObserver {
    private struct Content {
        var events: [String] = []
        var requests: [RequestIdentifier] = []
        var channels: [ChannelHandle] = []
    }

    private let content = Lock(Content())

    /// The events since the last call.
    func take() -> [String] {
        content.withLock { content in
            defer { content.events = [] }
            return content.events
        }
    }

    /// The last request.
    var request: RequestIdentifier? { content.withLock { $0.requests.last } }

    private func add(_ event: String) { content.withLock { $0.events.append(event) } }
    private func name(_ characteristic: CharacteristicReference) -> String {
        "\(characteristic.service).\(characteristic.index)"
    }
    private func name(_ central: CentralRecord) -> String { "\(central.identifier.low)/\(central.maximumUpdateLength)" }

    func adapterStateChanged(_ state: AdapterState) { add("state \(state)") }
    func serviceAdded(token: Int, _ failure: PublishingError?) {
        add("added \(token)\(failure.map { " \($0)" } ?? "")")
    }
    func advertisingStarted(_ failure: AdvertisingError?) { add("advertising\(failure.map { " \($0)" } ?? "")") }
    func subscribed(_ central: CentralRecord, to characteristic: CharacteristicReference) {
        add("\(name(central)) subscribed \(name(characteristic))")
    }
    func unsubscribed(_ central: CentralRecord, from characteristic: CharacteristicReference) {
        add("\(name(central)) unsubscribed \(name(characteristic))")
    }
    func receivedRead(
        _ request: RequestIdentifier, of characteristic: CharacteristicReference, offset: Int,
        from central: CentralRecord
    ) {
        add("\(name(central)) reads \(name(characteristic)) from \(offset)")
        content.withLock { $0.requests.append(request) }
    }
    func receivedWrite(
        _ request: RequestIdentifier, _ items: [WriteItem], needsResponse: Bool, from central: CentralRecord
    ) {
        for item in items {
            add(
                "\(name(central)) \(needsResponse ? "writes" : "commands") \(name(item.characteristic)) at \(item.offset): \(item.value)"
            )
        }
        content.withLock { $0.requests.append(request) }
    }
    func readyToUpdate() { add("ready") }
    func maximumUpdateLengthChanged(_ central: CentralRecord) { add("length \(name(central))") }
    func channelPublished(_ result: Result<UInt16, ChannelError>) { add("published \(result)") }
    func channelUnpublished(psm: UInt16, _ failure: ChannelError?) {
        add("unpublished \(psm) \(failure.map { "\($0)" } ?? "")")
    }
    func channelOpened(_ channel: ChannelHandle, by central: CentralRecord) {
        add("channel \(channel.psm) by \(name(central))")
    }
}

/// A socket of a subscription without a system.
final class FakePipe: ValueSocket, @unchecked Sendable {
    // `@unchecked Sendable`: used on the thread of the test only.

    var values: [[UInt8]] = []
    /// The values that it takes.
    var room = Int.max
    private(set) var isClosed = false
    var onValue: ((Span<UInt8>) -> Void)?
    var onRoom: (() -> Void)?
    var onEnd: (() -> Void)?

    func start() {}

    func send(_ value: Span<UInt8>) -> ValueSocketResult {
        guard room > 0 else { return .full }
        room -= 1
        values.append([UInt8](value))
        return .sent
    }

    var isDrained: Bool { true }

    func close() { (isClosed, onRoom, onEnd) = (true, nil, nil) }
}

/// The managers of bluetoothd, which read what a program registers.
final class FakeManagers {
    struct Tree {
        /// The objects in the order in which they came, with the properties of their one interface.
        var objects: [(path: String, interface: String, properties: BusProperties)] = []

        func path(_ interface: String, _ uuid: String) -> String {
            objects.first { $0.interface == interface && $0.properties["UUID"]?.text == uuid }?.path ?? "/none"
        }
    }

    let bus: BusConnection
    /// The calls of managers, as words.
    var calls: [String] = []
    /// What is registered.
    var applications: [String: Tree] = [:]
    var advertisements: [String: BusProperties] = [:]
    /// The errors of the next registrations.
    var refusals: [(name: String, text: String)] = []
    /// Registrations wait for `answerLate`.
    var isSilent = false
    private var late: [BusCall] = []
    /// The values of PropertiesChanged, with the index of the service, as words.
    var values: [String] = []
    private var program = ""

    init(_ bus: BusConnection) {
        self.bus = bus
        bus.requestName("org.bluez") { _ in }
        bus.export(
            "/org/bluez/hci0",
            [
                BlueZ.gattManager: ["RegisterApplication", "UnregisterApplication"],
                BlueZ.advertisingManager: ["RegisterAdvertisement", "UnregisterAdvertisement"],
            ]
        ) { [unowned self] in take($0) }
        bus.subscribe(BusMatch(interface: BlueZ.properties), completion: nil) { [unowned self] signal in
            guard signal.body.count == 3, signal.destination == "org.bluez" else { return }
            let value = signal.body[1].properties?["Value"]?.bytes
            values.append(
                "\(signal.path?.split(separator: "/").dropFirst(2).joined(separator: "/") ?? ""): \(value ?? [])")
        }
    }

    private func take(_ call: BusCall) {
        let path = call.message.body.first?.text ?? ""
        program = call.message.sender ?? ""
        calls.append("\(call.message.member ?? "") \(path.split(separator: "/").last ?? "")")
        switch call.message.member {
        case "RegisterApplication":
            bus.call(program, path, BlueZ.objectManager, "GetManagedObjects") { [unowned self] result in
                guard let tree = tree(result) else {
                    return call.fail(BlueZ.Failure.failed, "No object received")
                }
                answer(call) { self.applications[path] = tree }
            }
        case "RegisterAdvertisement":
            bus.call(program, path, BlueZ.properties, "GetAll", [.string(BlueZ.advertisement)]) {
                [unowned self] result in
                let properties = (try? result.get())?.body.first?.properties
                answer(call) { self.advertisements[path] = properties }
            }
        case "UnregisterApplication":
            applications.removeValue(forKey: path) == nil ? call.fail(BlueZ.Failure.doesNotExist, "") : call.reply()
        default:
            advertisements.removeValue(forKey: path) == nil ? call.fail(BlueZ.Failure.doesNotExist, "") : call.reply()
        }
    }

    private func answer(_ call: BusCall, _ register: () -> Void) {
        guard !isSilent else { return late.append(call) }
        if !refusals.isEmpty {
            let (name, text) = refusals.removeFirst()
            return call.fail(name, text)
        }
        register()
        call.reply()
    }

    func answerLate() {
        for call in late { call.reply() }
        late = []
    }

    private func tree(_ result: Result<BusMessage, BusCallError>) -> Tree? {
        guard case .success(let reply) = result, let elements = reply.body.first?.elements else { return nil }
        var tree = Tree()
        for element in elements {
            guard case .entry(.path(let path), let interfaces) = element, let all = interfaces.interfaces else {
                return nil
            }
            for (interface, properties) in all { tree.objects.append((path, interface, properties)) }
        }
        return tree.objects.isEmpty ? nil : tree
    }

    /// Calls the program, as bluetoothd does for a client.
    func call(
        _ path: String, _ interface: String, _ member: String, _ arguments: [BusValue],
        _ completion: @escaping (Result<BusMessage, BusCallError>) -> Void
    ) {
        bus.call(program, path, interface, member, arguments, timeout: .seconds(300), completion: completion)
    }

    func command(_ path: String, _ member: String, _ arguments: [BusValue]) {
        var message = BusMessage.call(program, path, BlueZ.characteristic, member, arguments)
        message.isReplyExpected = false
        try? bus.emit(message)
    }
}

/// A peripheral role with a bus in memory and bluetoothd's managers, in time that moves when the test says so.
final class PeripheralBench {
    static let adapter = "/org/bluez/hci0"
    static let phone = "\(adapter)/dev_00_00_00_00_00_01"
    static let tablet = "\(adapter)/dev_00_00_00_00_00_02"

    let scheduler = ManualScheduler()
    let managers: FakeManagers
    let bus: BusConnection
    let broker: MemoryBroker
    let role: PeripheralRole
    let observer = PeripheralRecorder()
    let session: any PeripheralSession
    private let version: Int
    var objects = BlueZObjects()
    private let made = Collected<FakePipe>()
    private let lines = Collected<String>()

    var pipes: [FakePipe] { made.all }
    var log: [String] { lines.all }
    var events: [String] {
        scheduler.run()
        return observer.take()
    }

    /// - Parameter version: Of 5.x.
    init(version: Int = 87, isOn: Bool = true) {
        self.version = version
        broker = MemoryBroker(scheduler)
        managers = FakeManagers(broker.connect(callsAtBus: .max))
        bus = broker.connect()
        let (made, lines) = (made, lines)
        role = PeripheralRole(
            scheduler: scheduler, snapshot: RemoteSnapshot(Identification()),
            log: Logger(label: "test") { _ in LineHandler(lines: lines) }
        ) {
            let pipe = FakePipe()
            made.add(pipe)
            return (pipe, Descriptor(open("/dev/null", O_RDONLY), kind: .file))
        }
        session = role.open(observer: observer)
        var adapter: BusProperties = ["Powered": .bool(true)]
        if version >= 71 { adapter["Manufacturer"] = .uint16(2) }
        objects.replace([Self.adapter: [BlueZ.adapter: adapter]])
        scheduler.run(for: .milliseconds(10))
        if isOn {
            begin()
            _ = events
        }
    }

    func begin() {
        scheduler.run()
        role.begin(on: bus, adapter: Self.adapter, objects)
    }

    // MARK: Devices

    func connect(_ device: String, isBonded: Bool = false) {
        let address = String(device.suffix(17)).replacing("_", with: ":")
        var properties: BusProperties = [
            "Address": .string(address), "AddressType": .string("public"), "Connected": .bool(true),
            "Bonded": .bool(isBonded),
        ]
        if version >= 83 { properties["CablePairing"] = .bool(false) }
        apply(.added(path: device, interfaces: [BlueZ.device: properties]))
    }

    func setConnected(_ device: String, _ isConnected: Bool) {
        apply(
            .changed(
                path: device, interface: BlueZ.device, properties: ["Connected": .bool(isConnected)], invalidated: []))
    }

    func remove(_ device: String) { apply(.removed(path: device, interfaces: [BlueZ.device])) }

    private func apply(_ change: BusObjectChange) {
        for change in objects.apply(change) { role.apply(change, objects) }
    }

    // MARK: Services

    static func characteristic(
        _ uuid: UInt16, _ properties: UInt, _ permissions: UInt, value: [UInt8]? = nil,
        descriptors: [DescriptorDefinition] = []
    ) -> CharacteristicDefinition {
        CharacteristicDefinition(
            uuid: BluetoothUUID(uuid), properties: properties, permissions: permissions, value: value,
            descriptors: descriptors)
    }

    static func service(
        _ uuid: UInt16, included: [Int] = [], _ characteristics: [CharacteristicDefinition] = []
    ) -> ServiceDefinition {
        ServiceDefinition(
            uuid: BluetoothUUID(uuid), isPrimary: true, includedServices: included, characteristics: characteristics)
    }

    /// A service with a characteristic that can be read, written and subscribed to, one with a static value, and one for commands.
    static let lamp = service(
        0x1234,
        [
            characteristic(
                0x2A01, 0x02 | 0x08 | 0x10, 3,
                descriptors: [DescriptorDefinition(uuid: BluetoothUUID(0x2901 as UInt16), value: [0x4C, 0x61])]),
            characteristic(0x2A02, 0x02, 1, value: [1, 2, 3]), characteristic(0x2A03, 0x04 | 0x08, 2),
        ])

    /// Adds `lamp` under token 1.
    func addLamp() {
        session.add(Self.lamp, token: 1)
        #expect(events == ["added 1"])
    }

    func path(_ uuid: String, _ interface: String = BlueZ.characteristic) -> String {
        managers.applications.values.map { $0.path(interface, uuid) }.first { $0 != "/none" } ?? "/none"
    }

    // MARK: Clients

    static func options(_ device: String = phone, offset: Int = 0, mtu: Int = 23, others: BusProperties = [:])
        -> BusValue
    {
        var properties = others
        properties["device"] = .path(device)
        properties["mtu"] = .uint16(UInt16(mtu))
        properties["link"] = .string("LE")
        if offset > 0 { properties["offset"] = .uint16(UInt16(offset)) }
        return .properties(properties)
    }

    /// Makes a call of bluetoothd; the answer is there when the scheduler has run.
    func call(_ member: String, _ uuid: String, _ arguments: [BusValue], _ interface: String = BlueZ.characteristic)
        -> Answer
    {
        let answer = Answer()
        managers.call(path(uuid, interface), interface, member, arguments) { answer.result = $0 }
        scheduler.run()
        return answer
    }

    func read(_ uuid: String = "2A01", _ device: String = phone, offset: Int = 0, mtu: Int = 23) -> Answer {
        call("ReadValue", uuid, [Self.options(device, offset: offset, mtu: mtu)])
    }

    func write(_ value: [UInt8], _ uuid: String = "2A01", _ device: String = phone, offset: Int = 0) -> Answer {
        call("WriteValue", uuid, [.octets(value), Self.options(device, offset: offset)])
    }

    @discardableResult
    func acquireNotify(_ device: String = phone, mtu: Int = 23, _ uuid: String = "2A01") -> Answer {
        call("AcquireNotify", uuid, [Self.options(device, mtu: mtu)])
    }

    func update(_ value: [UInt8], centrals: [Int]? = nil, index: Int = 0) -> Bool {
        session.update(
            value.span, of: CharacteristicReference(service: 1, index: index),
            centrals: centrals?.map { PeerIdentifier(high: 1, low: UInt64($0)) })
    }

    final class Answer {
        var result: Result<BusMessage, BusCallError>?

        /// The octets of an array of bytes, the name of an error, or words.
        var text: String {
            switch result {
            case nil: "waits"
            case .success(let reply): reply.body.first?.bytes.map { "\($0)" } ?? "ok"
            case .failure(.error(let name, let text)):
                name.split(separator: ".").last.map(String.init)! + (text.hasPrefix("0x") ? " \(text)" : "")
            case .failure(let error): "\(error)"
            }
        }
    }
}
