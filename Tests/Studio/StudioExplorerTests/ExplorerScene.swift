import BLEAdapter
import BLESimulator
import BluetoothPairing
import CoreBluetooth
import Foundation
import Phrases
import Testing

@testable import StudioExplorer

/// A phone with an explorer, and devices, in one world. The tests drive its clock as the room does.
final class ExplorerScene: @unchecked Sendable {
    let world: World
    let phone: VirtualDevice
    let queue = DispatchQueue(label: "room")
    let explorer: Explorer
    /// What keeps the programs of the other devices.
    var programs: [AnyObject] = []

    init(seed: UInt64 = 1) {
        world = World(seed: seed)
        phone = world.addDevice("Phone")
        let (world, phone, queue) = (world, phone, queue)
        explorer = queue.sync {
            Explorer(
                name: "Phone", on: phone.adapter, queue: queue, clock: { Int64(world.now / .nanoseconds(1)) })
        }
    }

    /// Runs the world, and the explorer's ticks in it, until the condition is true.
    @discardableResult
    func run(_ limit: Duration = .seconds(20), until condition: @escaping (ExplorerState) -> Bool = { _ in false })
        async -> Bool
    {
        let end = world.now + limit
        while world.now < end {
            let deadline = read { $0.nextDeadline }
            let next =
                deadline.map { max(Duration.nanoseconds($0), world.now + .microseconds(1)) } ?? world.now
                + .milliseconds(50)
            await world.run(until: min(next, end))
            let isMet = queue.sync {
                explorer.tick()
                return condition(explorer.state())
            }
            if isMet { return true }
        }
        return false
    }

    func read<Value>(_ body: (Explorer) throws -> Value) rethrows -> Value { try queue.sync { try body(explorer) } }

    func perform(_ action: ExplorerAction) throws { try queue.sync { try explorer.perform(action) } }

    /// The reason why an action is refused; nil if it is performed.
    func failure(of action: ExplorerAction) -> String? {
        do {
            try perform(action)
            return nil
        } catch { return (error as? PhrasedError)?.code ?? "\(error)" }
    }

    var state: ExplorerState { read { $0.state() } }

    func device(_ name: String) -> DeviceState? { state.devices.first { $0.name == name } }

    func characteristic(_ uuid: String, of name: String) -> CharacteristicState? {
        device(name)?.services.flatMap(\.characteristics).first { $0.uuid == uuid }
    }

    /// Turns the phone's adapter on, and scans until the device appears. Returns its identifier.
    func find(_ name: String) async throws -> UUID {
        try #require(await run(until: { $0.adapter == "poweredOn" }))
        if !state.isScanning { try perform(.startScan) }
        try #require(await run(until: { $0.rows.contains { $0.name == name } }))
        return try #require(state.rows.first { $0.name == name }.flatMap { UUID(uuidString: $0.id) })
    }

    /// Connects to a device, and waits for the end of the discovery.
    @discardableResult
    func open(_ name: String) async throws -> UUID {
        let device = try await find(name)
        try perform(.connect(device: device, discovers: true))
        try #require(
            await run(until: { state in
                state.devices.contains {
                    $0.id == device.uuidString && $0.link == .connected && !$0.isDiscovering && !$0.services.isEmpty
                }
            }))
        return device
    }
}

/// A peripheral of these tests.
final class TestPeripheral: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    private(set) var manager: CBPeripheralManager!
    private let name: String
    private let services: [CBMutableService]
    let values = Lock<[CBUUID: Data]>([:])
    let written = Lock<[Data]>([])
    let subscriptions = Lock(0)

    init(_ name: String, _ services: [CBMutableService], on device: VirtualDevice, queue: DispatchQueue) {
        self.name = name
        self.services = services
        super.init()
        manager = device.run { CBPeripheralManager(delegate: self, queue: queue) }
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        for service in services { peripheral.add(service) }
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: name])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        let value = values.withLock { $0[request.characteristic.uuid] } ?? Data()
        guard request.offset <= value.count else { return peripheral.respond(to: request, withResult: .invalidOffset) }
        request.value = value.dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        var value = values.withLock { $0[requests[0].characteristic.uuid] } ?? Data()
        if requests.count > 1 || requests[0].offset > 0 { value = Data() }
        for request in requests {
            let part = request.value ?? Data()
            value = requests.count == 1 && request.offset == 0 ? part : value.prefix(request.offset) + part
        }
        let result = value
        values.withLock { $0[requests[0].characteristic.uuid] = result }
        written.withLock { $0.append(result) }
        peripheral.respond(to: requests[0], withResult: .success)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) { subscriptions.withLock { $0 += 1 } }
}
