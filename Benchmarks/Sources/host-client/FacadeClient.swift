import BLEAdapter
import BLEHostAdapter
import BLEWire
import CoreBluetooth
import Foundation

/// The script as a program of CoreBluetooth's, with its delegate on a queue of its own.
final class FacadeClient: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
    private let script: Script
    private let clock = StepClock()
    private let done = DispatchSemaphore(value: 0)
    private let queue = DispatchQueue(label: "delegate")
    private let value = Data(count: Script.valueLength)
    private let peer: UUID
    private var manager: CBCentralManager!
    private var peripheral: CBPeripheral!
    private var step: Step?
    private var count = 0
    private var first: CBCharacteristic!
    private var characteristics = 0
    private var descriptors = 0
    private var discoveries = 0
    private var again = 0

    init(_ script: Script, peer: PeerIdentifier) {
        self.script = script
        var high = peer.high.bigEndian
        var low = peer.low.bigEndian
        var octets = uuid_t(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &octets) {
            withUnsafeBytes(of: &high, $0.copyMemory)
            UnsafeMutableRawBufferPointer(rebasing: $0[8...]).copyMemory(from: withUnsafeBytes(of: &low) { $0 })
        }
        self.peer = UUID(uuid: octets)
    }

    func run(_ adapter: any BluetoothAdapter) {
        AdapterBinding.$scoped.withValue(adapter) { manager = CBCentralManager(delegate: self, queue: queue) }
        done.wait()
    }

    func centralManagerDidUpdateState(_ central: CBCentralManager) {
        guard central.state == .poweredOn else {
            if central.state == .unsupported { fail("the stub does not start") }
            return
        }
        step = .advertisement
        clock.start()
        central.scanForPeripherals(withServices: nil, options: [CBCentralManagerScanOptionAllowDuplicatesKey: true])
    }

    func centralManager(
        _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
        rssi RSSI: NSNumber
    ) {
        count += 1
        guard step == .advertisement, count == script.advertisements + 1 else { return }
        clock.end(.advertisement, count)
        central.stopScan()
        self.peripheral = central.retrievePeripherals(withIdentifiers: [peer]).first
        guard self.peripheral != nil else { fail("the peer cannot be retrieved") }
        self.peripheral.delegate = self
        step = .connection
        clock.start()
        central.connect(self.peripheral)
    }

    func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
        if step == nil {
            clock.end(.reconnection, 1)
            again += 1
            central.cancelPeripheralConnection(peripheral)
            return
        }
        clock.end(.connection, 1)
        step = .discovery
        discover(peripheral)
    }

    private func discover(_ peripheral: CBPeripheral) {
        (first, characteristics, descriptors) = (nil, 0, 0)
        clock.start()
        peripheral.discoverServices(nil)
    }

    func centralManager(
        _ central: CBCentralManager, didFailToConnect peripheral: CBPeripheral, error: (any Error)?
    ) { fail("no connection: \(error as Any)") }

    func centralManager(
        _ central: CBCentralManager, didDisconnectPeripheral peripheral: CBPeripheral, error: (any Error)?
    ) {
        if step != nil { fail("the link ended: \(error as Any)") }
        guard again < Script.reconnections else {
            done.signal()
            return
        }
        clock.start()
        central.connect(peripheral)
    }

    func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
        for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
    ) {
        for characteristic in service.characteristics ?? [] {
            characteristics += 1
            first = first ?? characteristic
            peripheral.discoverDescriptors(for: characteristic)
        }
    }

    func peripheral(
        _ peripheral: CBPeripheral, didDiscoverDescriptorsFor characteristic: CBCharacteristic, error: (any Error)?
    ) {
        descriptors += characteristic.descriptors?.count ?? 0
        guard descriptors == Script.characteristics else { return }
        guard peripheral.services?.count == Script.services, characteristics == Script.characteristics else {
            fail("found \(peripheral.services?.count ?? 0) services, \(characteristics) characteristics")
        }
        clock.end(.discovery, 1)
        discoveries += 1
        if discoveries < Script.discoveries { return discover(peripheral) }
        step = .writeCommand
        count = 0
        clock.start()
        write(to: peripheral)
    }

    private func write(to peripheral: CBPeripheral) {
        while count < script.writes {
            guard peripheral.canSendWriteWithoutResponse else { return }
            count += 1
            peripheral.writeValue(value, for: first, type: .withoutResponse)
        }
        peripheral.readValue(for: first)
    }

    func peripheralIsReady(toSendWriteWithoutResponse peripheral: CBPeripheral) {
        if step == .writeCommand, count < script.writes { write(to: peripheral) }
    }

    func peripheral(_ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?)
    {
        if let error { fail("no value: \(error)") }
        switch step {
        case .writeCommand:
            clock.end(.writeCommand, count)
            step = .read
            count = 0
            clock.start()
            peripheral.readValue(for: characteristic)
        case .read:
            count += 1
            guard count == script.reads else { return peripheral.readValue(for: characteristic) }
            clock.end(.read, count)
            step = .notification
            count = 0
            clock.start()
            peripheral.setNotifyValue(true, for: characteristic)
        case .notification:
            count += 1
            guard characteristic.value?.first == 0xFF else { return }
            guard count == script.notifications else { fail("\(count) notifications") }
            clock.end(.notification, count)
            step = nil
            manager.cancelPeripheralConnection(peripheral)
        default: break
        }
    }
}
