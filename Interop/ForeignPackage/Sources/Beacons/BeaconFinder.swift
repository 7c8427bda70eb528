import Combine
import CoreBluetooth
import CoreBluetooth.CBUUID
import os.log

/// Finds devices by name, with the imports that such packages use.
public final class BeaconFinder: NSObject {
    /// The discovered names without duplicates.
    public let names = CurrentValueSubject<[String], Never>([])
    /// Whether the finder scans.
    public var isSearching: AnyPublisher<Bool, Never> {
        manager.publisher(for: \.isScanning).removeDuplicates().eraseToAnyPublisher()
    }
    /// Publishes the state of Bluetooth.
    public var state: AnyPublisher<CBManagerState, Never> {
        manager.publisher(for: \.state).eraseToAnyPublisher()
    }

    /// The device discovered last.
    public private(set) var last: CBPeripheral?

    private let logger = Logger(subsystem: "org.example.beacons", category: "finder")
    private let lock = OSAllocatedUnfairLock(initialState: Set<String>())
    private var manager: CBCentralManager!

    /// Makes a finder with a queue for its callbacks.
    public init(queue: DispatchQueue?) {
        super.init()
        logger.info("looking for beacons")
        manager = CBCentralManager(delegate: self, queue: queue)
    }

    /// Stops the scan.
    public func stop() { manager.stopScan() }
}

extension BeaconFinder: CBCentralManagerDelegate {
    /// Starts a scan when Bluetooth is on.
    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        logger.info("state \(central.state.rawValue, privacy: .public)")
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    /// Records a name.
    public func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        guard let name = advertisementData[CBAdvertisementDataLocalNameKey] as? String ?? peripheral.name else {
            return
        }
        os_log("found %{public}@ at %d dBm", type: .debug, name, RSSI.intValue)
        peripheral.note = name
        last = peripheral
        if lock.withLock({ $0.insert(name).inserted }) { names.value.append(name) }
    }
}
