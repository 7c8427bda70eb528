import CoreBluetooth

/// A phone that sends data to a device in parts, in one of four ways.
final class SendingPhone: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    enum Way: String {
        /// Each part waits for its response.
        case response
        /// Twelve parts without response, then a pause of 100 ms.
        case pauses
        /// Parts without response for as long as the system takes them.
        case flow
        /// All parts at once, without response.
        case careless
    }

    var log: (String) -> Void = { print($0) }
    /// The present time in seconds.
    var now: () -> Double = { ProcessInfo.processInfo.systemUptime }
    var way = Way.flow
    var service = Gadget.service
    var partCount = 1200
    /// Octets; nil selects the largest possible part.
    var partLength: Int? = 20

    private let queue: DispatchQueue?
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral?
    private var characteristic: CBCharacteristic?
    private var parts: ArraySlice<Data> = []
    private var begin = 0.0

    init(queue: DispatchQueue? = nil) { self.queue = queue }

    func start() { manager = CBCentralManager(delegate: self, queue: queue) }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { central.scanForPeripherals(withServices: [service]) }
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
        peripheral.discoverServices([service])
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        guard let characteristic = service.characteristics?.first else { return }
        self.characteristic = characteristic
        let type: CBCharacteristicWriteType = way == .response ? .withResponse : .withoutResponse
        let length = partLength ?? peripheral.maximumWriteValueLength(for: type)
        parts = (0..<partCount).map { part in Data((0..<length).map { UInt8(truncatingIfNeeded: part &+ $0) }) }[...]
        begin = now()
        log("writeValue: \(partCount) parts of \(length) octets, \(way.rawValue)")
        if characteristic.properties.contains(.notify) { peripheral.setNotifyValue(true, for: characteristic) }
        send(to: peripheral)
    }

    // lesson: send
    private func send(to peripheral: CBPeripheral) {
        guard let characteristic else { return }
        switch way {
        case .response:
            guard let part = parts.popFirst() else { return finish() }
            peripheral.writeValue(part, for: characteristic, type: .withResponse)
        case .flow:
            // The system says how much it takes, so nothing is lost and no time is wasted.
            while peripheral.canSendWriteWithoutResponse, let part = parts.popFirst() {
                peripheral.writeValue(part, for: characteristic, type: .withoutResponse)
            }
            if parts.isEmpty { finish() }
        case .pauses:
            for _ in 0..<12 {
                guard let part = parts.popFirst() else { return finish() }
                peripheral.writeValue(part, for: characteristic, type: .withoutResponse)
            }
        case .careless:
            // The system drops what does not fit into its queue.
            while let part = parts.popFirst() {
                peripheral.writeValue(part, for: characteristic, type: .withoutResponse)
            }
            finish()
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { send(to: peripheral) }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        if way == .flow { send(to: peripheral) }
    }

    func everyTenthOfASecond() {
        if way == .pauses, let peripheral { send(to: peripheral) }
    }
    // lesson: end

    private func finish() {
        guard begin > 0 else { return }
        log("all parts given to the system after \(Int((now() - begin) * 1000)) ms")
        begin = 0
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard let value = characteristic.value, value.count > 1 else { return }
        log("didUpdateValueFor \(characteristic.uuid): \"\(String(decoding: value, as: UTF8.self))\"")
    }
}
