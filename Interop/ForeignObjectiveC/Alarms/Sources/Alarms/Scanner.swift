import CoreBluetooth

/// The object that hears what a scanner finds: the delegate of Bluetooth itself.
open class Scanner: NSObject, CBCentralManagerDelegate {
    /// Receives the events too.
    @objc public weak var delegate: CBCentralManagerDelegate?
    /// The manager.
    public private(set) var manager: CBCentralManager!

    /// Makes a scanner with a queue for its callbacks.
    @objc public init(queue: DispatchQueue?) {
        super.init()
        manager = CBCentralManager(delegate: self, queue: queue)
    }

    /// Starts a scan when Bluetooth is on.
    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        delegate?.centralManagerDidUpdateState(central)
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }
}

/// A scanner that remembers names. Its superclass states the conformance and has no such method.
public final class NameScanner: Scanner {
    /// The discovered names.
    public private(set) var names: [String] = []

    /// Records a name.
    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        delegate?.centralManager?(
            central, didDiscover: peripheral, advertisementData: advertisementData, rssi: RSSI)
        if let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String, !names.contains(name) {
            names.append(name)
        }
    }
}
