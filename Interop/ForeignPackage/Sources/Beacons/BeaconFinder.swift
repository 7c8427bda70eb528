import Combine
import CoreBluetooth
import CoreBluetooth.CBUUID
import os.log

/// Finds devices by name, with everything such packages like to import.
public final class BeaconFinder: NSObject {
    /// The names that were seen, each once.
    public let names = CurrentValueSubject<[String], Never>([])
    /// Whether it looks.
    public var isSearching: AnyPublisher<Bool, Never> {
        manager.publisher(for: \.isScanning).removeDuplicates().eraseToAnyPublisher()
    }
    /// The state of Bluetooth, from now on.
    public var state: AnyPublisher<CBManagerState, Never> {
        manager.publisher(for: \.state).eraseToAnyPublisher()
    }

    /// The device that was seen last.
    public private(set) var last: CBPeripheral?

    private let logger = Logger(subsystem: "org.example.beacons", category: "finder")
    private let lock = OSAllocatedUnfairLock(initialState: Set<String>())
    private var manager: CBCentralManager!

    /// Makes a finder that hears on a queue.
    public init(queue: DispatchQueue?) {
        super.init()
        logger.info("looking for beacons")
        manager = CBCentralManager(delegate: self, queue: queue)
    }

    /// Stops looking.
    public func stop() { manager.stopScan() }
}

extension BeaconFinder: CBCentralManagerDelegate {
    /// Starts to look once Bluetooth is on.
    public func centralManagerDidUpdateState(_ central: CBCentralManager) {
        logger.info("state \(central.state.rawValue, privacy: .public)")
        if central.state == .poweredOn { central.scanForPeripherals(withServices: nil) }
    }

    /// Notes a name.
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
