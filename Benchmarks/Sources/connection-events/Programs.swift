import CoreBluetooth
import Synchronization

private var service: CBUUID { CBUUID(string: "FEE7") }
private var stored: CBUUID { CBUUID(string: "FEC7") }
private var streamed: CBUUID { CBUUID(string: "FEC8") }

/// A peripheral with a readable value, and one that it notifies as soon as a client subscribes.
final class Band: NSObject, CBPeripheralManagerDelegate, @unchecked Sendable {
    private var manager: CBPeripheralManager!
    private let stream = CBMutableCharacteristic(
        type: streamed, properties: .notify, value: nil, permissions: .readable)

    override init() {
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: DispatchQueue(label: "band"))
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let tree = CBMutableService(type: service, primary: true)
        let store = CBMutableCharacteristic(type: stored, properties: .read, value: nil, permissions: .readable)
        tree.characteristics = [store, stream]
        peripheral.add(tree)
        peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [service]])
    }

    func peripheralManager(_ peripheral: CBPeripheralManager, didReceiveRead request: CBATTRequest) {
        request.value = Data(repeating: 7, count: 100).dropFirst(request.offset)
        peripheral.respond(to: request, withResult: .success)
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) { _ = peripheral.updateValue(Data([1]), for: stream, onSubscribedCentrals: nil) }
}

/// A central that starts each step as soon as the preceding one has ended.
final class Phone: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    private var manager: CBCentralManager!
    private var device: CBPeripheral?
    private let done = Atomic(false)

    var isDone: Bool { done.load(ordering: .relaxed) }

    override init() {
        super.init()
        manager = CBCentralManager(delegate: self, queue: DispatchQueue(label: "phone"))
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [service]) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        central.stopScan()
        device = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices([service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let found = peripheral.services?.first else { return }
        peripheral.discoverCharacteristics([stored, streamed], for: found)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor found: CBService, error: (any Error)?) {
        for characteristic in found.characteristics ?? [] {
            if characteristic.uuid == stored { peripheral.readValue(for: characteristic) }
            if characteristic.uuid == streamed { peripheral.setNotifyValue(true, for: characteristic) }
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if characteristic.uuid == streamed, characteristic.value != nil { done.store(true, ordering: .relaxed) }
    }
}
