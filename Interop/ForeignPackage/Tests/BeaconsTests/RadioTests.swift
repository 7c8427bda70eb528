#if canImport(BLESimulator)
import BLESimulator
import Foundation
import XCTest

/// What a package outside this repository sees of the radio: packets, packets in flight, states and time.
final class RadioTests: XCTestCase {
    private final class Recording: @unchecked Sendable {
        private let lock = NSLock()
        private var kept: [RadioPacket] = []
        func add(_ packet: RadioPacket) { lock.withLock { kept.append(packet) } }
        var packets: [RadioPacket] { lock.withLock { kept } }
    }

    func testAClockStopsAfterAPacketAndShowsTheNextInFlight() throws {
        let world = World(seed: 2)
        let recording = Recording()
        world.observePackets { recording.add($0) }
        let beacon = try world.addAdvertiser("beacon", RawAdvertisement(structures: [.flags()]))
        let phone = world.addDevice("phone")
        phone.setMaximumTransmissionUnit(64)
        world.runBlocking(until: .seconds(1)) { _ in recording.packets.count >= 2 }
        let packets = recording.packets
        XCTAssertEqual(packets.count, 2)
        XCTAssertEqual(packets[0].sender, beacon.number)
        XCTAssertNil(packets[0].plaintext)
        let third = packets[1].start + (packets[1].start - packets[0].start)
        world.runBlocking(until: third + .microseconds(1)) { _ in false }
        XCTAssertEqual(world.packetsInFlight.map(\.start), [third])
        XCTAssertEqual(world.packetsInFlight.first?.octets, packets[0].octets)
        XCTAssertEqual(beacon.activity?.isAdvertising, true)
        XCTAssertEqual(beacon.links, [])
        XCTAssertEqual(phone.links, [])
    }

    func testAPacketOfAnotherRecorderIsAValue() {
        let heard = RadioPacket.Reception(receiver: 1, rssi: -60, outcome: .received)
        let packet = RadioPacket(
            start: .milliseconds(3), channel: 37, accessAddress: 0x8E89_BED6, octets: [0x42, 6, 1, 2, 3, 4, 5, 6],
            receptions: [heard])
        XCTAssertEqual(packet.receptions.first?.rssi, -60)
        XCTAssertNil(packet.sender)
        XCTAssertEqual(Set([packet, packet]).count, 1)
    }
}
#endif
