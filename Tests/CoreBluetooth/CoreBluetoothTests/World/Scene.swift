import BLEAdapter
import BLEGatewayAdapter
import BLESimulator
import CoreBluetooth
import Testing

/// A phone with its manager and the recorded callbacks.
final class Phone {
    let device: VirtualDevice
    let queue: DispatchQueue
    let recorder = CentralRecorder()
    let manager: CBCentralManager
    /// The gateway that has the phone's radio; nil if the phone has it itself.
    let gateway: GatewayRoom?

    init(_ device: VirtualDevice) {
        self.device = device
        queue = DispatchQueue(label: device.name)
        gateway = nil
        manager = device.run { [recorder, queue] in CBCentralManager(delegate: recorder, queue: queue) }
    }

    /// A phone whose radio is that of a gateway.
    init(over gateway: GatewayRoom, _ adapter: GatewayAdapter? = nil) {
        device = gateway.device
        queue = DispatchQueue(label: "phone")
        self.gateway = gateway
        manager = AdapterBinding.$scoped.withValue(adapter ?? gateway.adapter()) { [recorder, queue] in
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

    init(seed: UInt64 = 1, privateAddressInterval: Duration? = nil) async throws {
        world = World(seed: seed)
        let gadgetDevice = world.addDevice("Gadget GAP", privateAddressInterval: privateAddressInterval)
        gadget = gadgetDevice.run { Gadget(name: "Gadget") }
        self.gadgetDevice = gadgetDevice
        phone =
            PhonePath.isOverGateway
            ? Phone(over: GatewayRoom(world)) : Phone(world.addDevice("Phone", at: Position(x: 1)))
        let gadget = self.gadget
        let recorder = phone.recorder
        try #require(
            await world.run(timeout: .seconds(5)) {
                gadget.events.contains("advertising true") && recorder.events.value.contains("state 5")
            })
    }

    /// Runs the world until the phone records `event`, and removes it and earlier events.
    func wait(
        _ event: String, on other: Phone? = nil, within timeout: Duration = .seconds(30),
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let recorder = (other ?? phone).recorder
        let found = await world.run(timeout: timeout) { recorder.events.value.contains { $0.hasPrefix(event) } }
        if !found { Issue.record("no \(event) in \(recorder.events.value)", sourceLocation: location) }
        try #require(found, sourceLocation: location)
        recorder.events { events in
            if let index = events.firstIndex(where: { $0.hasPrefix(event) }) { events.removeSubrange(...index) }
        }
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
