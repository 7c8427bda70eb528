import CoreBluetooth

/// A device that publishes its address in the System ID (2A23) of the Device Information service.
final class AddressGadget: NSObject, CBPeripheralManagerDelegate {
    var log: (String) -> Void = { print($0) }
    /// The address of the device, the highest octet first. Firmware knows its own.
    var address: [UInt8] = [0xC0, 0x11, 0x22, 0x33, 0x44, 0x55]

    private let queue: DispatchQueue?
    private var manager: CBPeripheralManager!

    init(queue: DispatchQueue? = nil) { self.queue = queue }

    func start() { manager = CBPeripheralManager(delegate: self, queue: queue) }

    // lesson: publish
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let systemID = Data((address[0..<3] + [0xFF, 0xFE] + address[3..<6]).reversed())
        let characteristic = CBMutableCharacteristic(
            type: CBUUID(string: "2A23"), properties: .read, value: systemID, permissions: .readable)
        let service = CBMutableService(type: CBUUID(string: "180A"), primary: true)
        service.characteristics = [characteristic]
        peripheral.removeAllServices()
        peripheral.add(service)
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Scale", CBAdvertisementDataServiceUUIDsKey: [service.uuid],
        ])
        log("startAdvertising")
    }
    // lesson: end
}
