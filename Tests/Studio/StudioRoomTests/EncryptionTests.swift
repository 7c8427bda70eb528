import BLEPacketDecoding
import CoreBluetooth
import Testing

@testable import StudioRoom
@testable import WorldFiles

/// Publishes one value that needs an encrypted link.
private final class LockedPeripheral: NSObject, WorldProgram, CBPeripheralManagerDelegate {
    static let value: [UInt8] = [0xC0, 0xFF, 0xEE]
    private let queue: DispatchQueue
    private var manager: CBPeripheralManager?

    init(_ context: WorldProgramContext) { queue = context.queue }

    func start() { manager = CBPeripheralManager(delegate: self, queue: queue) }

    func peripheralManagerDidUpdateState(_ peripheral: CBPeripheralManager) {
        guard peripheral.state == .poweredOn else { return }
        let service = CBMutableService(type: CBUUID(string: "FF00"), primary: true)
        service.characteristics = [
            CBMutableCharacteristic(
                type: CBUUID(string: "FF01"), properties: .read, value: Data(Self.value),
                permissions: .readEncryptionRequired)
        ]
        peripheral.add(service)
        peripheral.startAdvertising([CBAdvertisementDataLocalNameKey: "Lock"])
    }
}

struct EncryptionTests {
    @Test func packetsOfAnEncryptedLinkAreReadableInTheRoom() throws {
        let kind = WorldProgramKind("lock", kind: .other, defaultName: "Lock") { LockedPeripheral($0) }
        let scene = RoomScene("lock") { _ in
            WorldFile(devices: [
                WorldFile.Device(running: "walkthrough", x: 0, y: 0, parameters: ["namePrefix": "Lock"]),
                WorldFile.Device(running: "lock", x: 1, y: 0),
            ])
        }
        let timeline = try RoomTimeline(programs: [kind, .walkthrough], scenes: [scene], scene: "lock", seed: 1)
        while timeline.now < 10_000_000_000, !(timeline.state.links.first?.isEncrypted ?? false) {
            timeline.advance(to: timeline.now + 5_000_000)
        }
        #expect(timeline.state.links.first?.isEncrypted == true)
        timeline.advance(to: timeline.now + 2_000_000_000)
        var answers: [RoomPacket] = []
        var isPairingShown = false
        timeline.packets.forEach(in: timeline.packets.range) { packet in
            isPairingShown = isPairingShown || packet.summary.layer == .smp
            if packet.summary.isEncrypted, packet.summary.name == "ATT_READ_RSP" { answers.append(packet) }
            return true
        }
        #expect(isPairingShown)
        let answer = try #require(answers.first)
        #expect(answer.frame.plaintext?.suffix(3) == LockedPeripheral.value[...])
        // The octets on the air are encrypted, and end with the MIC.
        let plaintext = try #require(answer.frame.plaintext)
        #expect(answer.frame.octets.count == plaintext.count + 6)
        #expect(answer.frame.octets.dropLast(4).suffix(3) != LockedPeripheral.value[...])
        #expect(answer.summary.octets.dropLast(4).suffix(3) == LockedPeripheral.value[...])
    }
}
