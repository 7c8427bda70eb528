// A program for the test of restarts: a peripheral and a central with restore identifiers, which communicate over
// `BLUETOOTH_CONTROLLER=virtual`. Prints events to standard output, and ends when standard input ends.

import CoreBluetooth
import Foundation

final class Program: NSObject, CBCentralManagerDelegate, CBPeripheralManagerDelegate, @unchecked Sendable {
    private let service = CBUUID(string: "FEE7")
    private let queue = DispatchQueue(label: "program")
    private var central: CBCentralManager?
    private var peripheral: CBPeripheralManager?
    private var found: [CBPeripheral] = []
    private var hasServices = false

    func start() {
        queue.async { [self] in
            peripheral = CBPeripheralManager(
                delegate: self, queue: queue, options: [CBPeripheralManagerOptionRestoreIdentifierKey: "restart"])
            central = CBCentralManager(
                delegate: self, queue: queue, options: [CBCentralManagerOptionRestoreIdentifierKey: "restart"])
        }
    }

    private func say(_ line: String) { FileHandle.standardOutput.write(Data("\(line)\n".utf8)) }

    func centralManager(_ central: CBCentralManager, willRestoreState dict: [String: Any]) {
        found = dict[CBCentralManagerRestoredStatePeripheralsKey] as? [CBPeripheral] ?? []
        for peripheral in found { say("restored \(peripheral.identifier) \(peripheral.name ?? "-")") }
    }
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn, found.isEmpty { central.scanForPeripherals(withServices: [service]) }
    }
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        found = [peripheral]
        central.connect(peripheral)
    }
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        say("connected \(peripheral.identifier)")
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, willRestoreState dict: [String: Any]) {
        let services = dict[CBPeripheralManagerRestoredStateServicesKey] as? [CBMutableService] ?? []
        hasServices = !services.isEmpty
        say("services \(services.map(\.uuid.uuidString).joined(separator: " "))")
    }
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn, !hasServices else { return }
        hasServices = true
        let tree = CBMutableService(type: service, primary: true)
        tree.characteristics = [
            CBMutableCharacteristic(
                type: CBUUID(string: "AA01"), properties: .read, value: Data("hello".utf8), permissions: .readable)
        ]
        peripheral.add(tree)
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Restart", CBAdvertisementDataServiceUUIDsKey: [service],
        ])
    }
}

let program = Program()
program.start()
while readLine() != nil {}
exit(0)
