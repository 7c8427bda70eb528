import BLEAdapter
import BLEHostAdapter
import CoreBluetooth
import Foundation
import Histogram

/// A program that subscribes and records the age of each notification.
final class Listener: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    private let queue = DispatchQueue(label: "delegate", qos: .userInteractive)
    private let subscribed = DispatchSemaphore(value: 0)
    private let complete = DispatchSemaphore(value: 0)
    private let peer: UUID
    private var manager: CBCentralManager!
    private var device: CBPeripheral?
    private var missing = 0

    /// Nanoseconds. Touched on the queue until `waitUntilComplete` returned.
    private(set) var histogram = Histogram<UInt64>(
        highestTrackableValue: 60_000_000_000, numberOfSignificantValueDigits: .three)

    init(peer: PeerIdentifier) {
        self.peer = UUID(octets: peer)
    }

    func start(_ adapter: any BluetoothAdapter) {
        AdapterBinding.$scoped.withValue(adapter) { manager = CBCentralManager(delegate: self, queue: queue) }
    }

    func waitUntilSubscribed() { subscribed.wait() }

    /// Says how many notifications `waitUntilComplete` waits for.
    func expect(_ count: Int) { queue.sync { missing = count } }

    func waitUntilComplete() { complete.wait() }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else { return }
        // Scanning continues: advertising reports are part of the load.
        central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
        device = central.retrievePeripherals(withIdentifiers: [peer]).first
        guard let device else {
            print("latency: the peer cannot be retrieved")
            exit(1)
        }
        device.delegate = self
        central.connect(device)
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {}

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        peripheral.discoverServices(nil)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        if let first = peripheral.services?.first { peripheral.discoverCharacteristics(nil, for: first) }
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?) {
        if let first = service.characteristics?.first { peripheral.setNotifyValue(true, for: first) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        let now = Feeder.nanoseconds()
        guard let value = characteristic.value else { return }
        // The stub's own notification, the answer to the subscription.
        if value.first == 0xFF, value.dropFirst().allSatisfy({ $0 == 0 }) {
            subscribed.signal()
            return
        }
        let sent = value.prefix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        histogram.record(now > sent ? now - sent : 0)
        missing -= 1
        if missing == 0 { complete.signal() }
    }
}

extension UUID {
    init(octets peer: PeerIdentifier) {
        var octets = uuid_t(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &octets) { target in
            withUnsafeBytes(of: peer.high.bigEndian) { target.copyMemory(from: $0) }
            withUnsafeBytes(of: peer.low.bigEndian) {
                UnsafeMutableRawBufferPointer(rebasing: target[8...]).copyMemory(from: $0)
            }
        }
        self.init(uuid: octets)
    }
}
