import BLEPacketDecoding
import Phrases
import Testing

@testable import StudioRoom

struct StateTests {
    /// A room in which the phone is connected to the wristband.
    private func connected(seed: UInt64 = 1) throws -> RoomTimeline {
        let timeline = try Rooms.timeline(seed: seed)
        timeline.advance(to: 5_000_000_000)
        return timeline
    }

    @Test func theRoomShowsItsDevicesAndTheLink() throws {
        let timeline = try Rooms.timeline()
        #expect(timeline.state.devices.map(\.id) == ["d1", "d2"])
        #expect(timeline.state.devices.map(\.kind) == [.phone, .wearable])
        timeline.advance(to: 5_000_000_000)
        let state = timeline.state
        #expect(state.devices.map(\.state) == [.connected, .connected])
        #expect(state.devices.allSatisfy { $0.address?.count ?? 0 >= 17 })
        let link = try #require(state.links.first)
        #expect(state.links.count == 1)
        #expect(link.central == "d1")
        #expect(link.peripheral == "d2")
        // 40 dB at one metre, 7.5 dB for the second one.
        #expect(link.rssi == RoomLink.Sides(central: -48, peripheral: -48))
        #expect((7.5...4000).contains(link.interval))
        #expect(link.timeout >= 100)
        #expect(link.phy == RoomLink.Sides(central: "2M", peripheral: "2M"))
        #expect(!link.isEncrypted)
        #expect(link.mtu > 23)
        let frames = Rooms.frames(timeline).filter { RoomLink.identifier($0.accessAddress) == link.id }
        #expect(link.packets == frames.count)
        #expect(link.lost == frames.count { !$0.isHeard })
    }

    /// The margin is that of the packets: the power that the radio reports, above the sensitivity on 2M.
    @Test func theMarginOfALinkIsThatOfItsPackets() throws {
        let timeline = try connected()
        let link = try #require(timeline.state.links.first)
        let signal = try #require(link.rssi.central)
        #expect(link.walls.isEmpty && abs(link.margin - Double(signal + 92)) <= 0.6)
        _ = try timeline.perform(.wall(x1: 0, y1: -1, x2: 0, y2: 1, attenuation: 9))
        _ = try timeline.perform(.wall(x1: 0, y1: 1, x2: 5, y2: 1, attenuation: 30))
        _ = try timeline.perform(.move(device: "d2", x: 4, y: 0.5))
        _ = try timeline.perform(.attenuation(wall: "w1", 11))
        timeline.advance(to: 6_000_000_000)
        let moved = try #require(timeline.state.links.first)
        #expect(moved.walls == ["w1"])
        let weaker = try #require(moved.rssi.central)
        #expect(abs(moved.margin - Double(weaker + 92)) <= 0.6)
        // At -7 dB and below nothing arrives.
        _ = try timeline.perform(.attenuation(wall: "w1", 11 + moved.margin + 7))
        let received = {
            Rooms.frames(timeline).count { RoomLink.identifier($0.accessAddress) == moved.id && $0.isHeard }
        }
        let before = received()
        timeline.advance(to: 7_000_000_000)
        #expect(received() == before)
        #expect(throws: PhrasedError.self) { try timeline.perform(.attenuation(wall: "w9", 1)) }
    }

    @Test func countsAreThoseOfThePackets() throws {
        let timeline = try connected()
        let counts = timeline.counts
        #expect(counts.packets == timeline.packetCount)
        #expect(counts.byLayer.values.reduce(0, +) == counts.packets)
        #expect(counts.byDevice.values.reduce(0, +) == counts.packets)
        #expect(Set(counts.byDevice.keys) == ["d1", "d2"])
        #expect(counts.byLayer["att"] ?? 0 > 20)
    }

    @Test func aDeviceThatLosesItsPowerIsMissedAfterTheTimeout() throws {
        let timeline = try connected()
        let before = timeline.state
        let timeout = Int64(try #require(before.links.first).timeout * 1e6)
        _ = try timeline.perform(.power(device: "d2", isOn: false))
        #expect(timeline.state.devices[1].state == .off)
        #expect(timeline.state.devices[0].state == .connected)
        #expect(timeline.state.links.first?.peripheral == "d2")
        #expect(timeline.state.links.first?.rssi.peripheral == nil)
        timeline.advance(to: timeline.now + timeout * 2)
        #expect(timeline.state.links.isEmpty)
        #expect(timeline.happened(from: 0).events.contains { $0.kind == .error && $0.device == "d1" })
        // It returns with its address and its program. The phone, which would connect again, is off.
        _ = try timeline.perform(.power(device: "d1", isOn: false))
        _ = try timeline.perform(.power(device: "d2", isOn: true))
        timeline.advance(to: timeline.now + 1_000_000_000)
        #expect(timeline.state.devices[1].state == .advertising)
        #expect(timeline.state.devices[1].address == before.devices[1].address)
    }

    @Test func aWallChangesTheSignalUntilItIsRemoved() throws {
        let timeline = try connected()
        let wall = try timeline.perform(.wall(x1: 0, y1: -2, x2: 0, y2: 2, attenuation: 20))
        #expect(wall == ["id": "w1"])
        timeline.advance(to: timeline.now + 1_000_000_000)
        #expect(timeline.state.links.first?.rssi.central == -68)
        _ = try timeline.perform(.unwall(wall: "w1"))
        timeline.advance(to: timeline.now + 1_000_000_000)
        #expect(timeline.state.links.first?.rssi.central == -48)
        _ = try timeline.perform(.move(device: "d1", x: -1, y: 0.5))
        #expect(throws: PhrasedError.self) { try timeline.perform(.unwall(wall: "w1")) }
    }

    @Test func aDeviceWithTotalLossIsNotHeard() throws {
        let timeline = try connected()
        _ = try timeline.perform(.loss(device: "d2", 1))
        let before = try #require(timeline.state.links.first)
        let lost = timeline.counts.lost
        timeline.advance(to: timeline.now + 300_000_000)
        let after = try #require(timeline.state.links.first)
        #expect(after.packets > before.packets)
        #expect(after.lost - before.lost == after.packets - before.packets)
        #expect(timeline.counts.lost - lost == after.lost - before.lost)
        #expect(timeline.state.devices[1].loss == 1)
    }

    @Test func aCrowdIsCheap() throws {
        let timeline = try Rooms.timeline("crowd")
        #expect(timeline.state.devices.count == 202)
        timeline.advance(to: 1_000_000_000)
        #expect(timeline.state.devices.count { $0.state == .advertising } >= 200)
        #expect(timeline.packetCount > 2000)
        let sensor = try #require(timeline.state.devices.last)
        _ = try timeline.perform(.rename(device: sensor.id, "<script>"))
        _ = try timeline.perform(.power(device: sensor.id, isOn: false))
        #expect(timeline.state.devices.last?.state == .off)
        _ = try timeline.perform(.power(device: sensor.id, isOn: true))
        timeline.advance(to: 1_100_000_000)
        #expect(timeline.state.devices.last?.address == sensor.address)
    }

    @Test func theRingKeepsTheLatestPackets() {
        var ring = PacketRing(packetLimit: 3000, octetLimit: 100_000)
        func append(_ number: Int, octets: Int) {
            let frame = AirFrame(
                number: number, start: Int64(number), airTime: 80_000, channel: 37, phy: .oneM,
                accessAddress: 0x8E89_BED6,
                octets: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: octets),
                sender: 1,
                receptions: [
                    AirFrame.Reception(receiver: 70_000, rssi: -48, outcome: .received),
                    AirFrame.Reception(receiver: 2, rssi: -127, outcome: .missed),
                ])
            var dissector = AirDissector()
            ring.append(frame, dissector.add(frame))
        }
        for number in 0..<10_000 { append(number, octets: 10) }
        #expect(ring.count == 10_000)
        #expect(ring.range.upperBound == 10_000)
        #expect((3000...4000).contains(ring.range.count))
        #expect(ring[ring.range.lowerBound - 1] == nil)
        #expect(ring[10_000] == nil)
        var numbers: [Int] = []
        ring.forEach(in: 0..<20_000) { packet in
            #expect(
                packet.frame.octets == [UInt8](repeating: UInt8(truncatingIfNeeded: packet.frame.number), count: 10))
            numbers.append(packet.frame.number)
            return true
        }
        #expect(numbers == Array(ring.range))
        #expect(ring[9_999]?.frame.receptions.first?.receiver == 70_000)
        #expect(ring[9_999]?.frame.receptions.last?.outcome == .missed)
        #expect(ring[9_999]?.summary.octets == ring[9_999]?.frame.octets)
        // Long packets make it shorter.
        for number in 10_000..<14_000 { append(number, octets: 250) }
        #expect(ring.range.count < 2000)
    }

    @Test func theListOfEventsIsBounded() {
        var log = RoomEventLog()
        for number in 0..<30_000 {
            log.append(
                ProgramEvent(.note, Phrase(data: String(repeating: "x", count: 600))), device: nil, at: Int64(number))
        }
        let events = log.events(from: 0)
        #expect((RoomEventLog.limit...RoomEventLog.limit * 5 / 4).contains(events.count))
        #expect(events.last?.n == 29_999)
        #expect(events.allSatisfy { $0.text.description.count == Phrase.argumentLimit })
        #expect(log.events(from: 29_990).count == 10)
    }
}
