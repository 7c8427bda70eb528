import BLEAdapter
import BLEGatewayAdapter
import BLESimulator
import CoreBluetooth
import Testing

/// A phone with its manager and the recorded callbacks.
final class Phone {
    let device: VirtualDevice
    let adapter: any BluetoothAdapter
    let queue: DispatchQueue
    let recorder = CentralRecorder()
    let manager: CBCentralManager
    /// The gateway that has the phone's radio; nil if the phone has it itself.
    let gateway: GatewayRoom?

    convenience init(_ device: VirtualDevice) { self.init(device, device.adapter) }

    /// Another program on the same device.
    convenience init(beside phone: Phone) { self.init(phone.device, phone.adapter, phone.gateway) }

    /// A phone whose radio is that of a gateway.
    convenience init(over gateway: GatewayRoom, _ adapter: GatewayAdapter? = nil) {
        self.init(gateway.device, adapter ?? gateway.adapter(), gateway)
    }

    init(_ device: VirtualDevice, _ adapter: any BluetoothAdapter, _ gateway: GatewayRoom? = nil) {
        self.device = device
        self.adapter = adapter
        self.gateway = gateway
        queue = DispatchQueue(label: gateway == nil ? device.name : "phone")
        manager = AdapterBinding.$scoped.withValue(adapter) { [recorder, queue] in
            CBCentralManager(delegate: recorder, queue: queue)
        }
    }

    var events: [String] { recorder.events.value }

    func newEvents() -> [String] {
        recorder.events { events in
            defer { events = [] }
            return events
        }
    }
}

/// A world with a gadget and a phone next to it.
final class Scene {
    let world: World
    let gadgetDevice: VirtualDevice
    let gadget: Gadget
    let phone: Phone

    /// - Parameters:
    ///   - platform: The platform of the phone.
    ///   - gadgetPlatform: The platform of the gadget.
    init(
        seed: UInt64 = 1, privateAddressInterval: Duration? = nil, platform: Platform? = nil,
        gadgetPlatform: Platform? = nil
    ) async throws {
        let place = PhonePath.daemon
        world = place == nil ? World(seed: seed) : World(seed: DaemonRoom.nextSeed(), pace: .realTime)
        let room = place == nil ? nil : try await DaemonRoom(world)
        if place == .gadget, let room {
            gadgetDevice = room.device
            gadget = AdapterBinding.$scoped.withValue(room.adapter()) { Gadget(name: "Gadget") }
        } else {
            let gadgetDevice = world.addDevice(
                "Gadget GAP", privateAddressInterval: privateAddressInterval, platform: gadgetPlatform)
            gadget = gadgetDevice.run { Gadget(name: "Gadget") }
            self.gadgetDevice = gadgetDevice
        }
        if place == .phone, let room {
            phone = Phone(room.device, room.adapter())
        } else if PhonePath.isOverGateway {
            phone = Phone(over: GatewayRoom(world))
        } else {
            phone = Phone(world.addDevice("Phone", at: Position(x: 1), platform: platform))
        }
        let gadget = self.gadget
        let recorder = phone.recorder
        try #require(
            await run(timeout: .seconds(place == nil ? 5 : 20)) {
                gadget.events.contains("advertising true") && recorder.events.value.contains("state 5")
            })
    }

    /// Lets time pass in which nothing is expected: less in real time, where a wait of minutes would show little more.
    func rest(for duration: Duration) async {
        await world.run(for: PhonePath.daemon != nil ? min(duration, .seconds(3)) : duration)
    }

    /// Runs the world until the phone records `event`, and removes it and earlier events.
    func wait(
        _ event: String, on other: Phone? = nil, within timeout: Duration = .seconds(30),
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let recorder = (other ?? phone).recorder
        let found = await run(timeout: timeout) { recorder.events.value.contains { $0.hasPrefix(event) } }
        if !found { Issue.record("no \(event) in \(recorder.events.value)", sourceLocation: location) }
        try #require(found, sourceLocation: location)
        recorder.events { events in
            if let index = events.firstIndex(where: { $0.hasPrefix(event) }) { events.removeSubrange(...index) }
        }
    }

    /// Lets the gadget's program learn of a subscription: bluetoothd answers the client first.
    func gadgetHasSubscriber() async {
        let gadget = self.gadget
        _ = await run(timeout: .seconds(5)) { gadget.events.contains { $0.hasPrefix("subscribe") } }
    }

    /// Runs the world until a condition holds. Events of a bluetoothd do not step the world, which may be silent.
    private func run(timeout: Duration, until condition: @escaping () -> Bool) async -> Bool {
        guard PhonePath.daemon != nil else { return await world.run(timeout: timeout, until: condition) }
        let end = world.now + timeout
        while world.now < end {
            if await world.run(timeout: .milliseconds(50), until: condition) { return true }
        }
        return false
    }

    func discover(on other: Phone? = nil) async throws -> CBPeripheral {
        let phone = other ?? self.phone
        phone.manager.scanForPeripherals(withServices: [Gadget.service])
        try await wait("discover", on: phone)
        phone.manager.stopScan()
        let peripheral = try #require(phone.recorder.peripherals.value.last)
        peripheral.delegate = phone.recorder
        return peripheral
    }

    func connect(on other: Phone? = nil, options: [String: Any]? = nil) async throws -> CBPeripheral {
        let phone = other ?? self.phone
        let peripheral = try await discover(on: phone)
        phone.manager.connect(peripheral, options: options)
        try await wait("connect", on: phone)
        return peripheral
    }

    /// All characteristics of the gadget's service, in their order.
    func characteristics(of peripheral: CBPeripheral, on other: Phone? = nil) async throws -> [CBCharacteristic] {
        peripheral.discoverServices([Gadget.service])
        try await wait("services", on: other)
        let service = try #require(peripheral.services?.first)
        peripheral.discoverCharacteristics(nil, for: service)
        try await wait("characteristics", on: other)
        return try #require(service.characteristics)
    }
}
