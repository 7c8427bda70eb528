import CoreBluetooth

/// A peripheral that advertises the name "Lock" and has no services.
final class LockAdvertiser: NSObject, CBPeripheralManagerDelegate {
    private var manager: CBPeripheralManager?

    override init() {
        super.init()
        manager = CBPeripheralManager(delegate: self, queue: DispatchQueue(label: "lock"))
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Lock"])
    }
}
