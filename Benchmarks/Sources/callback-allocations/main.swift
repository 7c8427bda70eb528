// What one callback of a delegate costs in heap allocations, beside the Data that it carries.
import BLEAdapter
import BLEHostAdapter
import BLEWire
import CAllocationCounter
import CoreBluetooth
import Figures

let rounds = 10_000

/// Counts its calls and allocates nothing.
final class Counter: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, CBPeripheralManagerDelegate,
    @unchecked Sendable
{
    var calls = 0
    /// Signalled by the callbacks of readiness, of which one waits at a time.
    let ready = DispatchSemaphore(value: 0)
    var device: CBPeripheral?
    func centralManagerDidUpdateState(_ central: CBCentralManager) {}
    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {}
    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) { device = peripheral }
    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    { calls += 1 }
    func peripheral(_ peripheral: CBPeripheral, didWriteValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        calls += 1
    }
    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        calls += 1
        ready.signal()
    }
    func peripheralManagerIsReady(toUpdateSubscribers peripheral: CBPeripheralManager) {
        calls += 1
        ready.signal()
    }
}

let adapter = BenchmarkAdapter()
let queue = DispatchQueue(label: "delegate")
let counter = Counter()
let (central, peripheral) = AdapterBinding.$scoped.withValue(adapter) {
    (CBCentralManager(delegate: counter, queue: queue), CBPeripheralManager(delegate: counter, queue: queue))
}
guard let centralObserver = adapter.central, let peripheralObserver = adapter.peripheral else { exit(2) }
let peer = PeerIdentifier(high: 1, low: 2)

// A connected device with one characteristic.
centralObserver.adapterStateChanged(.poweredOn)
peripheralObserver.adapterStateChanged(.poweredOn)
queue.sync {}
central.scanForPeripherals(withServices: nil)
let record = PeerRecord(identifier: peer, name: nil)
centralObserver.discovered(Discovery(peer: record, data: [], isConnectable: true, rssi: -40))
queue.sync {}
guard let device = counter.device else { exit(2) }
device.delegate = counter
central.connect(device)
centralObserver.connected(record)
queue.sync {}
let range = HandleRange(start: 1, end: 9)
centralObserver.completed(
    .discoverServices(nil), of: peer,
    .success(.services([DiscoveredService(uuid: BluetoothUUID(UInt16(0xFEE7)), range: range, isPrimary: true)])))
centralObserver.completed(
    .discoverCharacteristics(service: range, nil), of: peer,
    .success(
        .characteristics([
            DiscoveredCharacteristic(
                uuid: BluetoothUUID(UInt16(0xAA01)), properties: 0x1A, declarationHandle: 2, valueHandle: 3, end: 9)
        ])))
queue.sync {}

/// Counts the allocations of `rounds` events after as many warm-up events, less those of `data` alone. Few events wait
/// at a time, so none is dropped. A coalesced event (`isCoalesced`) has its callback before the next one.
@MainActor func measure(
    _ name: String, _ title: String, data: Int = 0, isCoalesced: Bool = false, _ event: () -> Void
) {
    func run() {
        for round in 1...rounds {
            event()
            if isCoalesced { counter.ready.wait() } else if round % 1000 == 0 { queue.sync {} }
        }
        queue.sync {}
    }
    run()
    counter.calls = 0
    let before = allocation_count()
    run()
    let each = Double(allocation_count() - before) / Double(rounds)
    let own = each - Double(data)
    guard counter.calls == rounds else {
        print("\(title): only \(counter.calls) callbacks of \(rounds)")
        exit(2)
    }
    // A queue's own block storage grows now and then: hundredths, not a cost of each callback.
    Figure("callback.\(name)", (own * 10).rounded() / 10, "allocations", title: title).report()
}

/// The allocations of a Data of so many octets.
@MainActor func allocations(ofData octets: [UInt8]) -> Int {
    var kept: [Data] = []
    kept.reserveCapacity(100)
    let before = allocation_count()
    for _ in 0..<100 { kept.append(octets.withUnsafeBufferPointer { Data($0) }) }
    return Int((allocation_count() - before + 50) / 100)
}

for length in [8, 20, 244] {
    let octets = [UInt8](repeating: 7, count: length)
    measure(
        "notification.\(length)", "notification of \(length) octets to the delegate", data: allocations(ofData: octets)
    ) {
        centralObserver.received(octets.span, handle: 3, from: peer)
    }
}
let octets = [UInt8](repeating: 7, count: 244)
measure("read.244", "answer to a read of 244 octets to the delegate", data: allocations(ofData: octets)) {
    centralObserver.completed(.read(handle: 3), of: peer, .success(.value(octets)))
}
measure("ready-to-write", "ready to write without response", isCoalesced: true) {
    centralObserver.readyForWriteCommands(to: peer)
}
measure("ready-to-update", "ready to update subscribers", isCoalesced: true) { peripheralObserver.readyToUpdate() }

withExtendedLifetime((central, peripheral)) {}
