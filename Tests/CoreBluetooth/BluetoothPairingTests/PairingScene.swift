import BLEAdapter
import BLESimulator
import BluetoothPairing
import CoreBluetooth
import Foundation
import Testing

/// A phone and a lock of one world, with managers that connect.
final class PairingScene: Sendable {
    let world: World
    let phone: VirtualDevice
    let lock: VirtualDevice
    /// The managers for pairings, without agents.
    let phonePairing: PairingManager
    let lockPairing: PairingManager
    let central: Central
    let peripheral: Peripheral

    typealias Ending = Result<PairingSecurity, PairingError>

    final class Central: NSObject, CBCentralManagerDelegate, @unchecked Sendable {
        private(set) var manager: CBCentralManager!
        let peripheral = Lock<CBPeripheral?>(nil)
        let isConnected = Lock(false)

        init(_ queue: DispatchQueue) {
            super.init()
            manager = CBCentralManager(delegate: self, queue: queue)
        }

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
        }
        func centralManager(
            _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {
            central.stopScan()
            self.peripheral.withLock { $0 = peripheral }
            central.connect(peripheral)
        }
        func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
            isConnected.withLock { $0 = true }
        }
        func centralManager(
            _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
        ) { isConnected.withLock { $0 = false } }
    }

    final class Peripheral: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
        private var manager: CBPeripheralManager!

        init(_ queue: DispatchQueue) {
            super.init()
            manager = CBPeripheralManager(delegate: self, queue: queue)
        }

        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            guard peripheral.state == .poweredOn else { return }
            peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Lock"])
        }
    }

    init(
        seed: UInt64 = 1, pace: Pace = .unlimited, lock lockAgent: ScriptedAgent?,
        phone phoneAgent: (VirtualDevice) -> ScriptedAgent? = { _ in nil }
    ) {
        world = World(seed: seed, pace: pace)
        lock = world.addDevice("Lock", at: Position(x: 1), agent: lockAgent)
        phone = world.addDevice("Phone", agent: phoneAgent(lock))
        phonePairing = phone.run { PairingManager(queue: DispatchQueue(label: "phone pairing")) }
        lockPairing = lock.run { PairingManager(queue: DispatchQueue(label: "lock pairing")) }
        central = phone.run { Central(DispatchQueue(label: "phone")) }
        peripheral = lock.run { Peripheral(DispatchQueue(label: "lock")) }
    }

    /// Runs until the phone is connected. Returns the lock's identifier.
    func connect() async throws -> UUID {
        try #require(await world.run(timeout: .seconds(10), until: { self.central.isConnected.withLock { $0 } }))
        return try #require(central.peripheral.withLock { $0?.identifier })
    }

    /// Pairs from the phone's side and runs until the end.
    func pair(minimum: PairingSecurity.Level = .encrypted) async throws -> Ending {
        let identifier = try await connect()
        let ending = Lock<Ending?>(nil)
        phonePairing.pair(identifier, minimum: minimum) { result in ending.withLock { $0 = result } }
        try #require(await world.run(timeout: .seconds(60), until: { ending.withLock { $0 } != nil }))
        // The last packets of the pairing.
        await world.run(for: .seconds(1))
        return try #require(ending.withLock { $0 })
    }
}

extension Result where Success == PairingSecurity, Failure == PairingError {
    var code: PairingError.Code? {
        if case .failure(let error) = self { return error.code }
        return nil
    }
}
