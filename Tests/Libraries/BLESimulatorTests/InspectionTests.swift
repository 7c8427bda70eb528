import BLEAdapter
import BLEController
import BLESimulator
import BLEVirtualRadio
import BLEWire
import Dispatch
import Testing

/// What tools see of a world: links, packets in flight, and parts of a run.
struct InspectionTests {
    @Test func bothEndsOfALinkReportIt() async throws {
        let world = World(seed: 4)
        let pair = try await ConversationTests.Pair(world)
        await world.run(for: .seconds(1))
        let slots = [pair.phone.host.slot, pair.band.host.slot]
        let ends = world.radio.inspect { network in slots.flatMap { network.links($0) } }
        #expect(ends.map(\.role) == [.central, .peripheral])
        #expect(Set(ends.map(\.accessAddress)).count == 1)
        #expect(ends[0].interval == ends[1].interval && ends[0].interval >= 6)
        #expect(ends[0].sendingPHY == ends[1].receivingPHY)
        #expect(ends.allSatisfy { !$0.isEncrypted && $0.rssi == -48 })
        let mtu = world.radio.inspect { _ in pair.phone.adapter.mtu(ofHandle: ends[0].handle) }
        #expect(mtu == pair.central.session.maximumTransmissionUnit(of: pair.peer))
        #expect(world.radio.inspect { _ in pair.phone.adapter.mtu(ofHandle: 0xEFF) } == nil)
        #expect(world.radio.inspect { $0.links(99) }.isEmpty)
    }

    @Test func aDeviceWithTotalLossIsNotHeard() async throws {
        let world = World(seed: 4)
        let receiver = world.addDevice("phone")
        let central = TestCentral(receiver, in: world)
        try await central.poweredOn()
        let beacon = try world.addAdvertiser("beacon", RawAdvertisement(structures: [.flags()]))
        beacon.setLoss(1)
        central.session.startScan(ScanRequest())
        let log = world.recordEvents()
        await world.run(for: .seconds(1))
        #expect(log.count > 20)
        #expect(!central.events.contains { if case .discovered = $0 { true } else { false } })
        beacon.setLoss(0)
        receiver.setLoss(1)
        await world.run(for: .seconds(1))
        #expect(!central.events.contains { if case .discovered = $0 { true } else { false } })
        receiver.setLoss(0)
        await world.run(for: .seconds(1))
        #expect(central.events.contains { if case .discovered = $0 { true } else { false } })
    }

    @Test func aPacketIsInFlightFromItsStartToItsEnd() throws {
        let world = World(seed: 2)
        _ = try world.addAdvertiser("beacon", RawAdvertisement(structures: [.flags()]))
        let packets = Lock<[(start: Int64, end: Int64, octets: [UInt8])]>([])
        world.observeAir { (packet: borrowing AirPacket, slot: (ControllerIdentifier) -> Int?) in
            let octets = packet.pdu.indices.map { packet.pdu[$0] }
            let end = packet.start + packet.airTime
            packets.withLock { $0.append((packet.start.nanoseconds, end.nanoseconds, octets)) }
            #expect(slot(packet.sender) == 0)
        }
        func inFlight() -> [[UInt8]] {
            world.radio.inspect { network in
                var found: [[UInt8]] = []
                network.radio.forEachTransmissionInFlight { packet in
                    #expect(packet.receptions.isEmpty)
                    found.append(packet.pdu.indices.map { packet.pdu[$0] })
                }
                return found
            }
        }
        world.runBlocking(until: .seconds(1), interruptedBy: { _ in packets.withLock { $0.count } >= 1 })
        let first = try #require(packets.withLock { $0.first })
        #expect(world.now == .nanoseconds(first.end))
        // The three packets of an advertising event have equal lengths and distances.
        world.runBlocking(until: .seconds(2), interruptedBy: { _ in packets.withLock { $0.count } >= 2 })
        let second = try #require(packets.withLock { $0.last })
        let third = second.start + (second.start - first.start)
        world.runBlocking(until: .nanoseconds(third - 1), interruptedBy: { _ in false })
        #expect(inFlight().isEmpty)
        world.runBlocking(until: .nanoseconds(third + 1000), interruptedBy: { _ in false })
        #expect(inFlight() == [first.octets])
        world.runBlocking(until: .nanoseconds(third + (first.end - first.start)), interruptedBy: { _ in false })
        #expect(inFlight().isEmpty)
        #expect(packets.withLock { $0.count } == 3)
    }

    @Test func aDeviceWithItsSeedReturnsWithItsAddress() async throws {
        let world = World(seed: 3)
        func address(_ device: VirtualDevice) -> DeviceAddress? {
            world.radio.inspect { $0.status(device.host.slot)?.address }
        }
        let device = world.addDevice("band", at: .origin, seed: 9)
        await world.run(for: .seconds(1))
        let first = address(device)
        let memory = device.memory.copy()
        device.remove()
        await world.run(for: .seconds(1))
        #expect(address(device) == nil)
        let returned = world.addDevice("band", at: .origin, memory: memory, seed: 9)
        let other = world.addDevice("band", at: .origin, seed: 10)
        await world.run(for: .seconds(1))
        #expect(first != nil)
        #expect(address(returned) == first)
        #expect(address(other) != first)
    }

    @Test func aDeviceOffersItsMaximumTransmissionUnit() async throws {
        for (octets, unit) in [(100, 100), (0, 23)] {
            let world = World(seed: 6)
            let (phone, band) = (world.addDevice("phone"), world.addDevice("band"))
            phone.setMaximumTransmissionUnit(octets)
            let (central, peripheral) = (TestCentral(phone, in: world), TestPeripheral(band, in: world))
            try await central.poweredOn()
            try await peripheral.publish("band")
            try await central.connect(central.find("band"))
            await world.run(for: .seconds(1))
            #expect(phone.links.map(\.maximumTransmissionUnit) == [unit])
            #expect(band.links.map(\.maximumTransmissionUnit) == [unit])
        }
    }

    @Test func anAdvertiserShowsTheLinkThatItEnds() async throws {
        let world = World(seed: 8)
        let bulb = try world.addAdvertiser(
            "bulb", RawAdvertisement(.connectable, structures: [.flags(), .localName("bulb")]))
        let phone = world.addDevice("phone")
        let connections = Lock(0)
        // CONNECT_IND (Vol 6, Part B, 2.3.3.1).
        world.observePackets { packet in
            if packet.channel >= 37, packet.octets[0] & 0x0F == 5 { connections.withLock { $0 += 1 } }
        }
        let central = TestCentral(phone, in: world)
        try await central.poweredOn()
        central.session.connect(try await central.find("bulb"), options: ConnectionOptions())
        #expect(await world.run(timeout: .seconds(5)) { connections.withLock { $0 } > 0 })
        #expect(bulb.links.map(\.role) == [.peripheral])
        #expect(bulb.links.map(\.accessAddress) == phone.links.map(\.accessAddress))
        #expect(bulb.links.first?.maximumTransmissionUnit == 23)
        bulb.remove()
        await world.run(for: .seconds(1))
        #expect(bulb.links.isEmpty)
    }
}
