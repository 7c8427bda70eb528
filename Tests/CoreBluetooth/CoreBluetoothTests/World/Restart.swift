import BLESimulator
import CoreBluetooth
import Testing

/// One run of a program whose managers have restore identifiers, with its recorded callbacks.
final class RestoredProgram: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate, @unchecked Sendable {
    let recorder = CentralRecorder()
    let publisher = PeripheralRecorder()
    let centralState = Locked<[String: Any]?>(nil)
    let peripheralState = Locked<[String: Any]?>(nil)
    /// What the peripherals' states were when they were handed over.
    let restoredLinks = Locked<[CBPeripheralState]>([])
    let keepsPeripherals: Bool
    private(set) var central: CBCentralManager?
    private(set) var peripheral: CBPeripheralManager?

    init(keepsPeripherals: Bool = true) {
        self.keepsPeripherals = keepsPeripherals
        super.init()
    }

    var events: [String] { recorder.events.value }

    func makeCentral(_ identifier: String? = "program") {
        central = CBCentralManager(
            delegate: self, queue: DispatchQueue(label: "central"),
            options: identifier.map { [CBCentralManagerOptionRestoreIdentifierKey: $0] })
    }

    func makePeripheral(_ identifier: String? = "program") {
        peripheral = CBPeripheralManager(
            delegate: self, queue: DispatchQueue(label: "peripheral"),
            options: identifier.map { [CBPeripheralManagerOptionRestoreIdentifierKey: $0] })
    }

    func releaseManagers() {
        central = nil
        peripheral = nil
    }

    // MARK: Central

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        centralState { $0 = dict }
        let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        restoredLinks { $0 = peripherals.map(\.state) }
        if keepsPeripherals {
            recorder.peripherals { $0 += peripherals }
            for peripheral in peripherals { peripheral.delegate = recorder }
        }
        recorder.centralManager(central, willRestoreState: dict)
    }
    func centralManagerDidUpdateState(_ central: CBCentralManager) { recorder.centralManagerDidUpdateState(central) }
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        recorder.centralManager(central, didDiscover: peripheral, advertisementData: advertisementData, rssi: RSSI)
    }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        recorder.centralManager(central, didConnect: peripheral)
    }
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, timestamp: CFAbsoluteTime,
        isReconnecting: Bool, error: (any Error)?
    ) {
        recorder.centralManager(
            central, didDisconnectPeripheral: peripheral, timestamp: timestamp, isReconnecting: isReconnecting,
            error: error)
    }

    // MARK: Peripheral

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        peripheralState { $0 = dict }
        publisher.peripheralManager(peripheral, willRestoreState: dict)
    }
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        publisher.peripheralManagerDidUpdateState(peripheral)
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didAdd service: CBService, error: (any Error)?) {
        publisher.peripheralManager(peripheral, didAdd: service, error: error)
    }
    func peripheralManagerDidStartAdvertising(_ peripheral: CBPeripheralManager, error: (any Error)?) {
        publisher.peripheralManagerDidStartAdvertising(peripheral, error: error)
    }
    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        publisher.peripheralManager(peripheral, didReceiveRead: request)
        request.value = Data([1, 2, 3])
        peripheral.respond(to: request, withResult: .success)
    }
    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) { publisher.peripheralManager(peripheral, central: central, didSubscribeTo: characteristic) }
}

/// A world with a gadget, and a machine whose program crashes and is started again.
final class RestartScene {
    let world: World
    let gadgetDevice: VirtualDevice
    let gadget: Gadget
    private(set) var machine: VirtualDevice

    init(seed: UInt64 = 1) async throws {
        world = World(seed: seed)
        let gadgetDevice = world.addDevice("Gadget GAP")
        gadget = gadgetDevice.run { Gadget(name: "Gadget") }
        self.gadgetDevice = gadgetDevice
        machine = world.addDevice("machine", at: Position(x: 1))
        let gadget = self.gadget
        try #require(await world.run(timeout: .seconds(5)) { gadget.events.contains("advertising true") })
    }

    /// Ends everything that runs on the machine as a crash or a power cut does, and starts it again.
    func crash(powered: Bool = true) async {
        let memory = machine.memory.copy()
        machine.remove()
        await world.run(for: .seconds(10))
        machine = world.addDevice("machine", at: Position(x: 1), memory: memory)
        if !powered { machine.powerOff() }
    }

    func start(_ program: RestoredProgram, _ make: (RestoredProgram) -> Void) { machine.run { make(program) } }

    func wait(
        _ event: String, _ program: RestoredProgram, within timeout: Duration = .seconds(30),
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        let recorder = program.recorder
        let publisher = program.publisher
        let isThere = await world.run(timeout: timeout) {
            (recorder.events.value + publisher.events.value).contains { $0.hasPrefix(event) }
        }
        if !isThere {
            Issue.record(
                "no \(event) in \(recorder.events.value) \(publisher.events.value)", sourceLocation: location)
        }
        try #require(isThere, sourceLocation: location)
        recorder.events { events in
            if let index = events.firstIndex(where: { $0.hasPrefix(event) }) { events.removeSubrange(...index) }
        }
    }

    /// Starts a program that scans, finds the gadget and connects to it.
    func connectedProgram(_ identifier: String? = "program", options: [String: Any]? = nil) async throws
        -> RestoredProgram
    {
        let program = RestoredProgram()
        start(program) { $0.makeCentral(identifier) }
        try await wait("state 5", program)
        program.central?.scanForPeripherals(withServices: [Gadget.service])
        try await wait("discover", program)
        let peripheral = try #require(program.recorder.peripherals.value.first)
        program.central?.connect(peripheral, options: options)
        try await wait("connect 2", program)
        return program
    }
}
