import CoreBluetooth

/// A phone that reads a long value, and prints what fits into one packet and how long a read takes.
final class LengthPhone: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    var log: (String) -> Void = { print($0) }
    /// The present time in seconds.
    var now: () -> Double = { ProcessInfo.processInfo.systemUptime }

    private let queue: DispatchQueue?
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var reads = 0
    private var begin = 0.0

    init(queue: DispatchQueue? = nil) { self.queue = queue }

    func start() { manager = CBCentralManager(delegate: self, queue: queue) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [Gadget.service]) }
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

    // lesson: length
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        let length = peripheral.maximumWriteValueLength(for: .withoutResponse)
        log("didConnect: \(length) octets fit into one write, the ATT_MTU is \(length + 3)")
        peripheral.delegate = self
        peripheral.discoverServices([Gadget.service])
    }
    // lesson: end

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] { peripheral.setNotifyValue(true, for: characteristic) }
    }

    func everySecond() {
        guard let peripheral, peripheral.state == .connected, reads < 5, begin == 0,
            let characteristic = peripheral.services?.first?.characteristics?.first
        else { return }
        reads += 1
        begin = now()
        peripheral.readValue(for: characteristic)
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard begin > 0, let value = characteristic.value, value.count > 1 else { return }
        log("didUpdateValueFor: \(value.count) octets after \(Int((now() - begin) * 1000)) ms")
        begin = 0
    }
}
