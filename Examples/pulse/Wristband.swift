import CoreBluetooth

/// A wristband to try the program with. It runs on the radio inside the program only: `BLUETOOTH_CONTROLLER=virtual swift run`.
final class Wristband: NSObject, CBPeripheralManagerDelegate {
    private let pulse = CBMutableCharacteristic(
        type: CBUUID(string: "2A37"), properties: .notify, value: nil, permissions: .readable)
    private let timer = DispatchSource.makeTimerSource(queue: .main)
    private var manager: CBPeripheralManager?

    override init() {
        super.init()
        guard ProcessInfo.processInfo.environment["BLUETOOTH_CONTROLLER"] == "virtual" else { return }
        manager = CBPeripheralManager(delegate: self, queue: nil)
    }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: CBUUID(string: "180D"), primary: true)
        service.characteristics = [pulse]
        peripheral.add(service)
        peripheral.startAdvertising([
            CBAdvertisementDataLocalNameKey: "Wristband", CBAdvertisementDataServiceUUIDsKey: [service.uuid],
        ])
    }

    func peripheralManager(
        _ peripheral: CBPeripheralManager, central: CBCentral, didSubscribeTo characteristic: CBCharacteristic
    ) {
        timer.schedule(deadline: .now(), repeating: 1)
        timer.setEventHandler { [pulse] in
            _ = peripheral.updateValue(Data([0, .random(in: 62...86)]), for: pulse, onSubscribedCentrals: nil)
        }
        timer.resume()
    }
}
