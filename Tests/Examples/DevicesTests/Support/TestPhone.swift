import CoreBluetooth
import Devices

/// A phone for tests: finds a device by its service, connects, discovers its characteristics and subscribes to those that it can. All of it runs on
/// `queue`.
final class TestPhone: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate {
    let queue: DispatchQueue
    /// All characteristics are found, and the subscriptions confirmed.
    var onReady: () -> Void = {}
    var onValue: (CBUUID, [UInt8]) -> Void = { _, _ in }
    /// A write was confirmed, or refused.
    var onWritten: (CBUUID, CBATTError.Code?) -> Void = { _, _ in }
    var onLost: () -> Void = {}
    /// The advertised name to look for; nil accepts every device with the service.
    var name: String?
    /// Whether the phone connects again to the same device after a loss of the link.
    var reconnects = false

    private let advertised: CBUUID?
    private let services: [CBUUID]
    private(set) var isReady = false
    private(set) var characteristics: [CBUUID: CBCharacteristic] = [:]
    private var central: CBCentralManager?
    private var peripheral: CBPeripheral?
    private var servicesLeft = 0
    private var subscriptionsLeft = 0
    private var unsent: [(CBUUID, Data, CBCharacteristicWriteType)] = []

    /// - Parameters:
    ///   - advertised: The advertised service to look for; nil looks for `name` alone.
    ///   - services: The services to use; nil is the advertised one.
    init(_ advertised: CBUUID?, services: [CBUUID]? = nil, queue: DispatchQueue = DispatchQueue(label: "phone")) {
        self.advertised = advertised
        self.services = services ?? advertised.map { [$0] } ?? []
        self.queue = queue
    }

    /// In a world, call it inside of `VirtualDevice.run`.
    func start() { central = CBCentralManager(delegate: self, queue: queue) }

    func scan() { central?.scanForPeripherals(withServices: advertised.map { [$0] }) }

    func disconnect() {
        if let peripheral { central?.cancelPeripheralConnection(peripheral) }
    }

    var writeLength: Int { peripheral?.maximumWriteValueLength(for: .withoutResponse) ?? 20 }

    /// Writes with a response, after what was written before.
    func write(_ octets: [UInt8], to uuid: CBUUID) {
        unsent.append((uuid, Data(octets), .withResponse))
        pump()
    }

    /// Writes without a response, in parts of at most `length` octets.
    func stream(_ octets: [UInt8], to uuid: CBUUID, length: Int? = nil) {
        let length = length ?? writeLength
        for start in Swift.stride(from: 0, to: octets.count, by: length) {
            unsent.append((uuid, Data(octets[start..<min(start + length, octets.count)]), .withoutResponse))
        }
        pump()
    }

    /// The name of the peripheral: the advertised one before the first connection, then the device name.
    var peripheralName: String? { queue.sync { peripheral?.name } }

    func read(_ uuid: CBUUID) {
        guard let peripheral, let characteristic = characteristics[uuid] else { return }
        peripheral.readValue(for: characteristic)
    }

    private func pump() {
        guard let peripheral else { return }
        var sent = 0
        for (uuid, value, type) in unsent {
            if type == .withoutResponse, !peripheral.canSendWriteWithoutResponse { break }
            sent += 1
            guard let characteristic = characteristics[uuid] else { continue }
            peripheral.writeValue(value, for: characteristic, type: type)
        }
        unsent.removeFirst(sent)
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        if central.state == .poweredOn { scan() }
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let found = advertisementData[CBAdvertisementDataLocalNameKey] as? String
        guard name == nil || name == found else { return }
        central.stopScan()
        self.peripheral = peripheral
        peripheral.delegate = self
        central.connect(peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices(services)
    }

    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) { central.connect(peripheral) }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        (isReady, characteristics, unsent) = (false, [:], [])
        onLost()
        if reconnects { central.connect(peripheral) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        let found = peripheral.services ?? []
        (servicesLeft, subscriptionsLeft) = (found.count, 0)
        for service in found { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] {
            characteristics[characteristic.uuid] = characteristic
            guard !characteristic.properties.isDisjoint(with: [.notify, .indicate]) else { continue }
            subscriptionsLeft += 1
            peripheral.setNotifyValue(true, for: characteristic)
        }
        servicesLeft -= 1
        finishIfComplete()
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        subscriptionsLeft -= 1
        finishIfComplete()
    }

    private func finishIfComplete() {
        guard servicesLeft == 0, subscriptionsLeft == 0, !isReady, !characteristics.isEmpty else { return }
        isReady = true
        onReady()
    }

    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        if let value = characteristic.value, error == nil { onValue(characteristic.uuid, Array(value)) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) { onWritten(characteristic.uuid, (error as? CBATTError)?.code) }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) { pump() }
}
