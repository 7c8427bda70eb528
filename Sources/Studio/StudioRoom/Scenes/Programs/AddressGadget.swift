import CoreBluetooth

/// A device that publishes its address in the System ID (2A23). The system owns the usual service of that characteristic, 180A,
/// so the device has one of its own.
final class AddressGadget: NSObject, CBPeripheralManagerDelegate {
    static var service: CBUUID { CBUUID(string: "FF20") }

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
        let service = CBMutableService(type: Self.service, primary: true)
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
