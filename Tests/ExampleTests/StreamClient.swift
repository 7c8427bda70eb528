import CoreBluetooth
import ExamplePrograms

/// Reads the title, writes and reads the note, and takes the stream to its end.
final class StreamClient: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    var note = Data()
    var onFinish: ((any Error)?) -> Void = { _ in }
    private(set) var title: Data?
    private(set) var noteRead: Data?
    private(set) var received = Data()

    private let queue: DispatchQueue
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?

    init(queue: DispatchQueue) { self.queue = queue }

    func start() { manager = CBCentralManager(delegate: self, queue: queue) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [StreamingPeripheral.service]) }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard self.peripheral == nil else { return }
        self.peripheral = peripheral
        central.stopScan()
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.delegate = self
        peripheral.discoverServices([StreamingPeripheral.service])
    }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        onFinish(error)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        for characteristic in service.characteristics ?? [] {
            switch characteristic.uuid {
            case StreamingPeripheral.title: peripheral.readValue(for: characteristic)
            case StreamingPeripheral.note:
                peripheral.writeValue(note, for: characteristic, type: .withResponse)
                peripheral.readValue(for: characteristic)
            case StreamingPeripheral.stream: peripheral.setNotifyValue(true, for: characteristic)
            default: break
            }
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        let value = characteristic.value ?? Data()
        switch characteristic.uuid {
        case StreamingPeripheral.title: title = value
        case StreamingPeripheral.note: noteRead = value
        case StreamingPeripheral.stream where value.isEmpty: manager.cancelPeripheralConnection(peripheral)
        default: received += value
        }
    }
}
