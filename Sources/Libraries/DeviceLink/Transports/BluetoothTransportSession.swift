import CoreBluetooth

/// The work of a ``BluetoothTransport``, and the delegate of its manager.
///
/// `@unchecked Sendable`: all calls and state are on the queue of the manager.
final class BluetoothTransportSession: NSObject, @unchecked Sendable {
    /// The devices that are remembered as others, so that each is connected once.
    private static let mostOthers = 64

    private let device: String
    private let key: LinkKey
    private var manager: CBCentralManager!
    private var report: (@Sendable (DeviceTransportEvent) -> Void)?
    private var peripheral: CBPeripheral?
    /// Devices whose shortened name fits, and that have another identifier.
    private var others: Set<UUID> = []
    private var toDevice: CBCharacteristic?
    private var fromDevice: CBCharacteristic?
    private var stream: SecureStream?
    private var waiting: [UInt8] = []
    private var isWriting = false

    init(to device: String, key: LinkKey, queue: DispatchQueue = .main) {
        self.device = device
        self.key = key
        super.init()
        manager = CBCentralManager(delegate: self, queue: queue)
    }

    /// Looks for the device and connects.
    func open(_ report: @escaping @Sendable (DeviceTransportEvent) -> Void) {
        self.report = report
        others = []
        switch manager.state {
        case .poweredOn: find()
        case .unknown, .resetting: break
        default: end("Bluetooth is not available. Switch it on, or check `bluelab adapters`.")
        }
    }

    /// Sends an envelope.
    func send(_ envelope: [UInt8]) {
        stream?.send(envelope)
        pump()
    }

    /// Ends the link.
    func close() {
        report = nil
        reset()
    }

    private func find() {
        guard report != nil, peripheral == nil else { return }
        manager.scanForPeripherals(withServices: [LinkService.service])
    }

    private func reset() {
        if manager.state == .poweredOn {
            manager.stopScan()
            if let peripheral, peripheral.state != .disconnected { manager.cancelPeripheralConnection(peripheral) }
        }
        peripheral?.delegate = nil
        peripheral = nil
        (toDevice, fromDevice) = (nil, nil)
        stream = nil
        waiting = []
        isWriting = false
    }

    private func end(_ reason: String) {
        reset()
        let report = self.report
        self.report = nil
        report?(.closed(reason))
    }

    private func pump() {
        waiting += stream?.takeOutgoing() ?? []
        guard waiting.count <= LinkService.mostWaiting else { return end("The device takes no octets.") }
        guard !isWriting, !waiting.isEmpty, let peripheral, let toDevice else { return }
        // A write with response carries at most 512 octets; a value within the MTU needs one packet (Vol 3, Part F, 3.4.5.1).
        let value = waiting.prefix(max(20, peripheral.maximumWriteValueLength(for: .withoutResponse)))
        isWriting = true
        peripheral.writeValue(Data(value), for: toDevice, type: .withResponse)
        waiting.removeFirst(value.count)
    }
}

extension BluetoothTransportSession: CBCentralManagerDelegate {
    /// Looks for the device, or ends the link.
    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard report != nil else { return }
        switch central.state {
        case .poweredOn: find()
        case .unknown, .resetting: if peripheral != nil { end("The Bluetooth adapter restarts.") }
        default: end("Bluetooth is not available. Switch it on, or check `bluelab adapters`.")
        }
    }

    /// Connects to the device.
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name
        guard report != nil, self.peripheral == nil, !others.contains(peripheral.identifier),
            LinkService.canBe(name, device)
        else { return }
        self.peripheral = peripheral
        peripheral.delegate = self
        central.stopScan()
        central.connect(peripheral)
    }

    /// Looks for the service.
    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        guard peripheral === self.peripheral else { return central.cancelPeripheralConnection(peripheral) }
        peripheral.discoverServices([LinkService.service])
    }

    /// The device cannot be connected.
    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) {
        if peripheral === self.peripheral { end("The device cannot be connected.") }
    }

    /// The link has ended.
    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        if peripheral === self.peripheral { end("The Bluetooth link has ended.") }
    }
}

extension BluetoothTransportSession: CBPeripheralDelegate {
    /// Looks for the characteristics.
    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        guard let service = peripheral.services?.first(where: { $0.uuid == LinkService.service }) else {
            return end("The device has no link service.")
        }
        peripheral.discoverCharacteristics(
            [LinkService.toDevice, LinkService.fromDevice, LinkService.identifier], for: service)
    }

    /// Reads the identifier.
    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        func found(_ uuid: CBUUID) -> CBCharacteristic? { service.characteristics?.first { $0.uuid == uuid } }
        guard let fromDevice = found(LinkService.fromDevice), let toDevice = found(LinkService.toDevice),
            let identifier = found(LinkService.identifier)
        else { return end("The link service of the device is incomplete.") }
        (self.toDevice, self.fromDevice) = (toDevice, fromDevice)
        peripheral.readValue(for: identifier)
    }

    /// Subscribes if this is the device, otherwise looks for another one.
    private func compare(_ identifier: Data, _ peripheral: CBPeripheral) {
        if identifier.elementsEqual(device.utf8), let fromDevice {
            return peripheral.setNotifyValue(true, for: fromDevice)
        }
        if others.count < Self.mostOthers { others.insert(peripheral.identifier) }
        reset()
        find()
    }

    /// Begins the secure channel: the device answers with notifications.
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateNotificationStateFor characteristic: CBCharacteristic,
        error: (any Error)?
    ) {
        guard error == nil, characteristic.isNotifying else { return end("The device sends no notifications.") }
        guard stream == nil else { return }
        stream = SecureStream(isClient: true, key: key)
        stream?.start()
        pump()
    }

    /// Receives the identifier, or octets of the channel.
    func peripheral(
        _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard peripheral === self.peripheral, error == nil, let value = characteristic.value else { return }
        if characteristic.uuid == LinkService.identifier { return compare(value, peripheral) }
        guard characteristic === fromDevice, var stream else { return }
        let wasReady = stream.isReady
        do throws(LinkChannelError) {
            let envelopes = try stream.receive(value)
            self.stream = stream
            if !wasReady, stream.isReady { report?(.opened) }
            for envelope in envelopes { report?(.received(envelope)) }
            pump()
        } catch {
            end("\(error)")
        }
    }

    /// Writes the next octets.
    func peripheral(
        _ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        guard peripheral === self.peripheral else { return }
        isWriting = false
        if let error { return end("The device refused octets: \(error.localizedDescription) Compare the keys.") }
        pump()
    }
}
