import BLEAdapter
import BLESimulator
import TestConditions
import Testing

/// What tests of a program see of its radio. Only the public API is used here.
struct ObservationTests {

    @Test func packetsNameTheirDevices() async throws {
        let world = World(seed: 5)
        let packets = Collected<RadioPacket>()
        world.observePackets { packets.add($0) }
        let address = try RadioAddress("C0:00:00:00:00:07", isRandom: true)
        let beacon = try world.addAdvertiser(
            "beacon", RawAdvertisement(structures: [.flags()]), at: Position(x: 3), address: address)
        let phone = world.addDevice("phone")
        await world.run(for: .seconds(1))
        #expect(beacon.number == 0 && phone.number == 1)
        #expect(beacon.activity?.isAdvertising == true)
        #expect(beacon.activity?.address == address)
        #expect(phone.activity?.isAdvertising == false && phone.activity?.isScanning == false)
        let found = packets.all
        #expect(found.count > 20)
        #expect(found.allSatisfy { $0.sender == 0 && $0.phy == .oneM && $0.accessAddress == 0x8E89_BED6 })
        #expect(Set(found.map(\.channel)) == [37, 38, 39])
        #expect(found.map(\.start) == found.map(\.start).sorted())
        // Preamble, access address, header, address, flags and CRC: 1 + 4 + 2 + 6 + 3 + 3 octets of 8 us.
        #expect(found.allSatisfy { $0.airTime == .microseconds(152) && $0.octets.count == 11 })
        #expect(found.allSatisfy { $0.receptions.isEmpty })
        beacon.remove()
        await world.run(for: .milliseconds(1))
        #expect(beacon.activity == nil)
    }

    @Test func hciPacketsBeginWithTheStartOfTheHost() async {
        let world = World(seed: 5)
        let device = world.addDevice("phone")
        let packets = Collected<HCIPacket>()
        device.observeHCIPackets { packets.add($0) }
        _ = world.addDevice("other")
        await world.run(for: .seconds(1))
        let found = packets.all
        // The Command Complete of HCI_Reset, and the next command (Vol 4, Part E, 7.3.2 and 7.7.14).
        #expect(found.first?.octets == [4, 0x0E, 4, 1, 0x03, 0x0C, 0])
        #expect(found.first?.direction == .toHost)
        #expect(found.dropFirst().first?.direction == .toController)
        #expect(found.dropFirst().first?.octets.first == 1)
        #expect(device.links.isEmpty)
        #expect(device.activity?.linkCount == 0)
        device.remove()
        await world.run(for: .milliseconds(1))
        #expect(device.activity == nil)
    }

    @Test func aDeviceThatReturnsWithItsSeedHasItsAddress() async {
        let world = World(seed: 3)
        let device = world.addDevice("band", seed: 9)
        await world.run(for: .seconds(1))
        let address = device.activity?.address
        let memory = device.memory.copy()
        device.remove()
        let returned = world.addDevice("band", memory: memory, seed: 9)
        let other = world.addDevice("band")
        await world.run(for: .seconds(1))
        #expect(address != nil)
        #expect(returned.activity?.address == address)
        #expect(other.activity?.address != address)
    }

    @Test func aCancelledObservationReportsNothingAndReleasesItsObserver() async throws {
        let world = World(seed: 2)
        _ = try world.addAdvertiser("beacon", RawAdvertisement(structures: [.flags()]))
        let device = world.addDevice("phone")
        let kept = Collected<RadioPacket>()
        var (air, hci): (Collected<RadioPacket>?, Collected<HCIPacket>?) = (Collected(), Collected())
        weak let releasedAir = air
        weak let releasedHCI = hci
        world.observePackets { kept.add($0) }
        let observations = [
            world.observePackets { [air] in air?.add($0) }, device.observeHCIPackets { [hci] in hci?.add($0) },
        ]
        await world.run(for: .seconds(1))
        let counts = (kept.all.count, air?.all.count, hci?.all.count)
        #expect(counts.0 > 0 && counts.1 == counts.0 && (counts.2 ?? 0) > 0)
        for _ in 0..<2 { for observation in observations { observation.cancel() } }
        device.restartAdapter()
        await world.run(for: .seconds(1))
        #expect((air?.all.count, hci?.all.count) == (counts.1, counts.2))
        #expect(kept.all.count > counts.0)
        (air, hci) = (nil, nil)
        #expect(releasedAir == nil && releasedHCI == nil)
    }

    @Test func aPacketIsInFlightBetweenItsStartAndItsEnd() throws {
        let world = World(seed: 2)
        let beacon = try world.addAdvertiser("beacon", RawAdvertisement(structures: [.flags()]))
        _ = world.addDevice("phone")
        let packets = Collected<RadioPacket>()
        world.observePackets { packets.add($0) }
        world.runBlocking(until: .seconds(1)) { _ in packets.all.count >= 2 }
        let (first, second) = (try #require(packets.all.first), try #require(packets.all.last))
        #expect(packets.all.count == 2 && world.now == second.start + second.airTime)
        #expect(world.packetsInFlight.isEmpty)
        // The three packets of an advertising event have equal distances.
        let third = second.start + (second.start - first.start)
        world.runBlocking(until: third + .microseconds(1)) { _ in false }
        let flight = world.packetsInFlight
        #expect(world.now == third + .microseconds(1))
        #expect(flight.map(\.start) == [third])
        #expect(flight.first?.octets == first.octets && flight.first?.sender == beacon.number)
        #expect(flight.first?.receptions == [] && flight.first?.plaintext == nil)
        world.runBlocking(until: third + first.airTime) { _ in false }
        #expect(world.packetsInFlight.isEmpty)
        #expect(packets.all.count == 3)
        // A time in the past changes nothing.
        world.runBlocking(until: .zero) { _ in false }
        #expect(world.now == third + first.airTime)
    }
}
