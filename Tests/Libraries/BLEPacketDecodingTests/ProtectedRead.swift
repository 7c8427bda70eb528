import BLEPacketDecoding
import BLESimulator
import CoreBluetooth
import Foundation
import Testing

/// A phone that reads a characteristic that requires encryption, and all packets of it.
struct ProtectedRead {
    var packets: [RadioPacket]
    var link: VirtualLink

    /// - Parameter record: Is called before time begins, with the phone.
    static func run(_ record: (World, VirtualDevice) throws -> Void = { _, _ in }) async throws -> ProtectedRead {
        let recording = Recording()
        let world = World(seed: 5)
        world.observePackets { recording.add($0) }
        let queue = DispatchQueue(label: "programs")
        let sensor = Sensor()
        let reader = Reader()
        let manager = world.addDevice("Sensor", at: Position(x: 2)).run {
            CBPeripheralManager(delegate: sensor, queue: queue)
        }
        let phone = world.addDevice("Phone")
        try record(world, phone)
        let central = phone.run { CBCentralManager(delegate: reader, queue: queue) }
        #expect(await world.run(timeout: .seconds(10)) { reader.value != nil })
        #expect(reader.value == Data([0x66, 0x08]))
        // The keys follow the encryption.
        await world.run(for: .seconds(1))
        let link = try #require(phone.links.first)
        withExtendedLifetime((manager, central)) {}
        return ProtectedRead(packets: recording.packets, link: link)
    }

    static var service: CBUUID { CBUUID(string: "181A") }
    static var temperature: CBUUID { CBUUID(string: "2A6E") }

    private final class Sensor: NSObject, CBPeripheralManagerDelegate {
        func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
            guard peripheral.state == .poweredOn else { return }
            let service = CBMutableService(type: ProtectedRead.service, primary: true)
            service.characteristics = [
                CBMutableCharacteristic(
                    type: temperature, properties: .read, value: Data([0x66, 0x08]),
                    permissions: .readEncryptionRequired)
            ]
            peripheral.add(service)
            peripheral.startAdvertising([CBAdvertisementDataServiceUUIDsKey: [ProtectedRead.service]])
        }
    }

    /// `@unchecked Sendable`: callbacks change it on their queue, and the test reads it while time stands still.
    private final class Reader: NSObject, CBCentralManagerDelegate, CBPeripheralDelegate, @unchecked Sendable {
        private(set) var value: Data?
        private var sensor: CBPeripheral?

        func centralManagerDidUpdateState(_ central: CBCentralManager) {
            if central.state == .poweredOn { central.scanForPeripherals(withServices: [ProtectedRead.service]) }
        }

        func centralManager(
            _ central: CBCentralManager, didDiscover peripheral: CBPeripheral, advertisementData: [String: Any],
            rssi RSSI: NSNumber
        ) {
            central.stopScan()
            sensor = peripheral
            peripheral.delegate = self
            central.connect(peripheral)
        }

        func centralManager(_ central: CBCentralManager, didConnect peripheral: CBPeripheral) {
            peripheral.discoverServices([ProtectedRead.service])
        }

        func peripheral(_ peripheral: CBPeripheral, didDiscoverServices error: (any Error)?) {
            for service in peripheral.services ?? [] { peripheral.discoverCharacteristics(nil, for: service) }
        }

        func peripheral(
            _ peripheral: CBPeripheral, didDiscoverCharacteristicsFor service: CBService, error: (any Error)?
        ) {
            for characteristic in service.characteristics ?? [] { peripheral.readValue(for: characteristic) }
        }

        func peripheral(
            _ peripheral: CBPeripheral, didUpdateValueFor characteristic: CBCharacteristic, error: (any Error)?
        ) {
            value = characteristic.value
        }
    }
}
