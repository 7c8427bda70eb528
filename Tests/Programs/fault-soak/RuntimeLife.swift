import BLESimulator
import CoreBluetooth
import Foundation

/// A phone and two bands: programs on the whole stack, in virtual time. Bluetooth is repeatedly switched off and on,
/// the radio loses all packets, or the phone restarts with the content of its store. Every band has to answer again
/// each time.
struct RuntimeLife {
    private(set) var problems: [String] = []
    private(set) var sentence = ""

    private static let rounds = 8

    static func run(seed: UInt64, cycles: Int) -> RuntimeLife {
        var life = RuntimeLife()
        let world = World(seed: seed)
        let bands = (0..<2).map { number in
            let device = world.addDevice("band-\(number)", at: Position(x: 2 + Double(number) * 5))
            return (device, device.run { Band(name: "band-\(number)") })
        }
        var phone = world.addDevice("phone")
        var program = phone.run { Phone(names: ["band-0", "band-1"]) }
        var (restarts, compared) = (0, 0)

        func prove(_ what: String) -> Bool {
            let watched = program
            watched.beginRounds()
            if !world.runBlocking(timeout: .seconds(120), until: { watched.hasDone(Self.rounds) }) {
                life.problems.append("runtime, seed \(seed), \(what): the bands did not answer within 120 s")
            }
            life.problems += watched.problems.map { "runtime, seed \(seed), \(what): \($0)" }
            return life.problems.isEmpty
        }

        guard prove("start") else { return life }
        for cycle in 0..<cycles {
            let ways = ["phone off and on", "band off and on", "silence", "restart of the phone"]
            let way = (cycle + Int(seed)) % ways.count
            switch way {
            case 0, 1:
                let device = way == 0 ? phone : bands[cycle % 2].0
                device.powerOff()
                world.runBlocking(for: .seconds(5))
                if way == 0, program.state != .poweredOff { life.problems.append("runtime: the phone is not off") }
                device.powerOn()
            case 2:
                let before = program.losses
                world.setEnvironment(RadioEnvironment(packetLoss: 1))
                world.runBlocking(for: .seconds(30))
                world.setEnvironment(RadioEnvironment())
                if program.losses < before + 2 {
                    life.problems.append("runtime: \(program.losses - before) of 2 lost links were reported")
                }
            default:
                restarts += 1
                compared += program.total
                let memory = phone.memory.copy()
                let identifiers = program.identifiers
                phone.remove()
                phone = world.addDevice("phone", memory: memory)
                program = phone.run { Phone(names: ["band-0", "band-1"]) }
                let restarted = program
                world.runBlocking(timeout: .seconds(10), until: { restarted.state == .poweredOn })
                life.problems += program.check(identifiers)
            }
            guard life.problems.isEmpty, prove("cycle \(cycle), \(ways[way])") else { break }
        }
        life.sentence =
            "runtime: \(cycles) cycles, \(restarts) restarts from the store, \(compared + program.total) values compared"
        return life
    }
}

/// Sends back every value that is written, as a notification.
private final class Band: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    static nonisolated(unsafe) let service = CBUUID(string: "FEE7")
    static nonisolated(unsafe) let characteristic = CBUUID(string: "36F5")

    private let name: String
    private let stream = CBMutableCharacteristic(
        type: Band.characteristic, properties: [.read, .write, .notify], value: nil,
        permissions: [.readable, .writeable])
    private var manager: CBPeripheralManager!
    /// On the queue alone.
    private var value = Data()
    private var waiting: [Data] = []

    init(name: String) {
        self.name = name
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: DispatchQueue(label: name))
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        waiting.removeAll()
        guard peripheral.state == .poweredOn else { return }
        peripheral.removeAllServices()
        let service = CBMutableService(type: Self.service, primary: true)
        service.characteristics = [stream]
        peripheral.add(service)
        guard !peripheral.isAdvertising else { return }
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: name, CBAdvertisementDataServiceUUIDsKey: [Self.service],
        ])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        request.value = value.dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveWrite requests: [CBATTRequest]) {
        value = requests.first?.value ?? Data()
        peripheral.respond(to: requests[0], withResult: .success)
        waiting.append(value)
        send()
    }

    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) { send() }

    private func send() {
        while let next = waiting.first, manager.updateValue(next, for: stream, onSubscribedCentrals: nil) {
            waiting.removeFirst()
        }
    }
}

/// Stays connected to the bands, and compares the echoes with the written values.
private final class Phone: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    private struct Content {
        var state = CBManagerState.unknown
        var peers: [String: CBPeripheral] = [:]
        var rounds: [UUID: Int] = [:]
        var problems: [String] = []
        var losses = 0
        var total = 0
        var restored = 0
        var signals: [UUID: Int] = [:]
    }

    private let content = Lock(Content())
    private let names: Set<String>
    private var manager: CBCentralManager!
    /// On the queue alone.
    private var written: [UUID: Data] = [:]
    private var number: UInt32 = 0

    init(names: Set<String>) {
        self.names = names
        super.init()
        manager = CBCentralManager(
            delegate: self, queue: DispatchQueue(label: "phone"),
            options: [CBCentralManagerOptionRestoreIdentifierKey: "phone"])
    }

    var state: CBManagerState { content.withLock { $0.state } }
    var problems: [String] { content.withLock { $0.problems } }
    var losses: Int { content.withLock { $0.losses } }
    var total: Int { content.withLock { $0.total } }
    var identifiers: [String: UUID] { content.withLock { $0.peers.mapValues(\.identifier) } }

    func beginRounds() { content.withLock { $0.rounds.removeAll() } }

    func hasDone(_ rounds: Int) -> Bool {
        content.withLock { content in
            content.peers.count == names.count
                && content.peers.values.allSatisfy { content.rounds[$0.identifier, default: 0] >= rounds }
        }
    }

    /// The devices of an earlier run that are missing.
    func check(_ known: [String: UUID]) -> [String] {
        var missing: [String] = []
        for (name, identifier) in known {
            let peer = manager.retrievePeripherals(withIdentifiers: [identifier]).first
            if peer?.name != name { missing.append("runtime: \(name) is not known after a restart") }
        }
        let restored = content.withLock { $0.restored }
        if restored != known.count { missing.append("runtime: \(restored) of \(known.count) links were restored") }
        return missing
    }

    private func problem(_ text: String) { content.withLock { $0.problems.append(text) } }

    // MARK: Links

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        let peripherals = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        content.withLock { $0.restored = peripherals.count }
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        content.withLock { $0.state = central.state }
        guard central.state == .poweredOn else { return }
        for peer in content.withLock({ Array($0.peers.values) }) { central.connect(peer) }
        central.scanForPeripherals(withServices: [Band.service])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String, names.contains(name) else {
            return
        }
        if content.withLock({ $0.peers.updateValue(peripheral, forKey: name) }) == nil { central.connect(peripheral) }
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.delegate = self
        peripheral.discoverServices([Band.service])
    }

    func centralManager(_ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?) {
        central.connect(peripheral)
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        content.withLock { $0.losses += 1 }
        written[peripheral.identifier] = nil
        central.connect(peripheral)
    }

    // MARK: Values

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] {
            peripheral.discoverCharacteristics([Band.characteristic], for: service)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] { peripheral.setNotifyValue(true, for: characteristic) }
    }

    func peripheral(_ peripheral: CBPeripheral, didModifyServices invalidatedServices: [CBService]) {
        peripheral.discoverServices([Band.service])
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        if error == nil, characteristic.isNotifying { write(peripheral, characteristic) }
    }

    private func write(_ peripheral: CBPeripheral, _ characteristic: CBCharacteristic) {
        number += 1
        let value = Data("value \(number) for \(peripheral.identifier)".utf8.prefix(20 + Int(number % 20)))
        written[peripheral.identifier] = value
        peripheral.writeValue(value, for: characteristic, type: .withResponse)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard error == nil, let expected = written[peripheral.identifier] else { return }
        guard characteristic.value == expected else { return problem("another value came back than was written") }
        content.withLock { content in
            content.rounds[peripheral.identifier, default: 0] += 1
            content.total += 1
        }
        peripheral.readRSSI()
        write(peripheral, characteristic)
    }

    func peripheral(_ peripheral: CBPeripheral, didReadRSSI RSSI: NSNumber, error: (any Error)?) {
        if let error {
            // The link may have ended since the value came: Bluetooth goes off at any time.
            if (error as? CBError)?.code != .notConnected { problem("the RSSI could not be read: \(error)") }
            return
        }
        // The nearer band is 2 m away, the other one 7 m.
        let expected = peripheral.name == "band-0" ? -48 : -61
        if RSSI.intValue != expected {
            problem("the signal of \(peripheral.name ?? "?") is \(RSSI) dBm, not \(expected)")
        }
    }
}

/// A value of any kind that a lock protects.
private final class Lock<Value>: @unchecked Sendable {
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func withLock<Result>(_ body: (inout Value) -> Result) -> Result { lock.withLock { body(&value) } }
}
