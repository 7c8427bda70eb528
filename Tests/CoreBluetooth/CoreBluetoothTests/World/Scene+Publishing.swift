import BLEAdapter
import BLEHostAdapter
import BLESimulator
import BLEWire
import CoreBluetooth
import Testing

extension Scene {
    /// Publishes one more service at the gadget, which does not advertise it.
    func publish(_ service: CBMutableService) async throws {
        let recorder = gadget.recorder
        let event = "add \(service.uuid.uuidString)"
        gadget.manager.add(service)
        try #require(await world.run(timeout: .seconds(5)) { recorder.events.value.contains(event) })
    }

    /// Connects and discovers the characteristics of one service.
    func characteristics(in service: CBMutableService) async throws -> (CBPeripheral, [CBCharacteristic]) {
        let peripheral = try await connect()
        peripheral.discoverServices([service.uuid])
        try await wait("services [\"\(service.uuid.uuidString)\"]")
        let found = try #require(peripheral.services?.first)
        peripheral.discoverCharacteristics(nil, for: found)
        try await wait("characteristics")
        return (peripheral, try #require(found.characteristics))
    }

    /// Changes the gadget's advertisement. Returns the last advertisement that a phone discovers within some seconds.
    func advertise(_ data: [String: Any]) async throws -> [String: Any] {
        gadget.manager.stopAdvertising()
        await world.run(for: .seconds(1))
        _ = phone.newEvents()
        gadget.manager.startAdvertising(data)
        phone.manager.scanForPeripherals(withServices: nil)
        await world.run(for: .seconds(10))
        phone.manager.stopScan()
        return try #require(phone.recorder.advertisements.value.last)
    }

    /// Notes the opcodes of the ATT PDUs that a device sends from now on, after the hosts have asked what they want to know
    /// for themselves.
    func attributeOpcodes(of device: VirtualDevice) async -> Locked<[UInt8]> {
        await world.run(for: .seconds(10))
        _ = phone.newEvents()
        let opcodes = Locked<[UInt8]>([])
        device.observeHCI { direction, _, packet in
            // An ACL packet (type 2) that begins an L2CAP PDU (packet boundary flag not 01) on the channel of ATT (4).
            guard direction == .toController, packet.count > 9, packet[0] == 2, packet[2] >> 4 & 3 != 1 else { return }
            if packet[7] == 4, packet[8] == 0 { opcodes { $0.append(packet[9]) } }
        }
        return opcodes
    }
}
