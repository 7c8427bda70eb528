import Phrases
import BLETransport
import BLEWire
import Testing

@testable import StudioRoom

/// HCI packets of the hosts of a room.
struct HCITests {
    /// A record of a btsnoop file with H4 packets.
    private struct Record: Hashable {
        var isReceived: Bool
        var dropped: Int
        /// Microseconds since 1970.
        var time: Int64
        var packet: [UInt8]
    }

    private func records(_ file: [UInt8]) throws -> [Record] {
        func number(_ offset: Int, _ count: Int) -> UInt64 {
            file[offset..<offset + count].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        }
        try #require(file.starts(with: "btsnoop\0".utf8))
        #expect(number(8, 4) == 1 && number(12, 4) == 1002)
        var found: [Record] = []
        var offset = 16
        while offset < file.count {
            let count = Int(number(offset, 4))
            #expect(number(offset + 4, 4) == UInt64(count))
            found.append(
                Record(
                    isReceived: number(offset + 8, 4) & 1 == 1, dropped: Int(number(offset + 12, 4)),
                    time: Int64(bitPattern: number(offset + 16, 8)) - 0x00DC_DDB3_0F2F_8000,
                    packet: Array(file[offset + 24..<offset + 24 + count])))
            offset += 24 + count
        }
        #expect(offset == file.count)
        return found
    }

    @Test func theRecordingHasTheHostsWholeConversationWithItsController() throws {
        let timeline = try Rooms.timeline()
        timeline.advance(to: 3_000_000_000)
        let recording = try timeline.hciRecording(of: "d1")
        #expect(recording.name == "Phone")
        let records = try records(recording.btsnoop)
        // The host begins with HCI_Reset (Vol 4, Part E, 7.3.2), and its controller answers.
        #expect(records.first?.packet == [1, 0x03, 0x0C, 0])
        #expect(records[1].isReceived && records[1].packet.prefix(2) == [4, 0x0E])
        #expect(records.allSatisfy { $0.isReceived == ($0.packet[0] == 4) || $0.packet[0] == 2 })
        #expect(records.contains { $0.packet[0] == 2 && $0.isReceived })
        #expect(records.contains { $0.packet[0] == 2 && !$0.isReceived })
        #expect(records.map(\.time) == records.map(\.time).sorted())
        #expect(records.allSatisfy { (0...3_000_000).contains($0.time) && $0.dropped == 0 })
        // The other host has other packets, and a repeated run has the same.
        #expect(try timeline.hciRecording(of: "d2").btsnoop != recording.btsnoop)
        try timeline.restart()
        timeline.advance(to: 3_000_000_000)
        #expect(try timeline.hciRecording(of: "d1").btsnoop == recording.btsnoop)
    }

    @Test func aDeviceThatReturnsKeepsItsFormerPackets() throws {
        let timeline = try Rooms.timeline()
        timeline.advance(to: 1_000_000_000)
        let before = try records(timeline.hciRecording(of: "d2").btsnoop).count
        _ = try timeline.perform(.power(device: "d2", isOn: false))
        timeline.advance(to: 2_000_000_000)
        let without = try records(timeline.hciRecording(of: "d2").btsnoop)
        #expect(without.count == before)
        _ = try timeline.perform(.power(device: "d2", isOn: true))
        timeline.advance(to: 3_000_000_000)
        let after = try records(timeline.hciRecording(of: "d2").btsnoop)
        #expect(after.count > before)
        #expect(after.count { $0.packet == [1, 0x03, 0x0C, 0] } == 2)
    }

    @Test func advertisersWithoutAHostHaveNoRecording() throws {
        let timeline = try Rooms.timeline()
        _ = try timeline.perform(.add(program: "beacon", x: 1, y: 1))
        #expect(timeline.state.devices.map(\.hasHost) == [true, true, false])
        let failure = #expect(throws: PhrasedError.self) { try timeline.hciRecording(of: "d3") }
        #expect(failure?.code == "no-host")
        #expect(throws: PhrasedError.self) { try timeline.hciRecording(of: "d9") }
    }

    @Test func theRingsAreBoundedAndABusyHostDisplacesNoOther() throws {
        let limit = 200_000
        var rings = HCIRings(octetLimit: limit)
        let quiet = [UInt8](repeating: 1, count: 20)
        for number in 0..<10 { rings.append(quiet.span, .sent, time: Int64(number), slot: 3) }
        let busy = [UInt8](repeating: 4, count: 60)
        for number in 0..<50_000 {
            rings.append(busy.span, .received, time: Int64(number) * 1000, slot: 5)
            #expect(rings.octetCount <= limit)
        }
        #expect(rings.count(ofSlot: 3) == 10)
        let kept = try records(rings.btsnoop(ofSlots: [5]))
        #expect(kept.count == rings.count(ofSlot: 5))
        #expect(kept.count > 1000)
        // The latest packets stay, and each record says how many are missing.
        #expect(kept.last?.time == 49_999)
        #expect(kept.map(\.time) == Array(Int64(50_000 - kept.count)..<50_000))
        #expect(kept.allSatisfy { $0.dropped == 50_000 - kept.count && $0.packet == busy })
        #expect(try records(rings.btsnoop(ofSlots: [])).isEmpty)
        // So does the count of what is missing, also for a host that lost everything.
        #expect(rings.dropped == [5: 50_000 - kept.count])
        var small = HCIRings(octetLimit: 10_000)
        var number = 0
        repeat {
            small.append(quiet.span, .sent, time: 0, slot: 3)
            number += 1
        } while small.count(ofSlot: 3) > 0
        small.append(quiet.span, .sent, time: 0, slot: 3)
        #expect(try records(small.btsnoop(ofSlots: [3])).map(\.dropped) == [number])
        // Many hosts with few packets have the same bound.
        for slot in 10..<800 { for _ in 0..<4 { rings.append(busy.span, .sent, time: 0, slot: slot) } }
        #expect(rings.octetCount <= limit)
    }

    @Test func theRoomCountsTheMissingPacketsOfItsDevices() throws {
        let timeline = try Rooms.timeline()
        timeline.advance(to: 1_000_000_000)
        #expect(timeline.roomPackets.droppedHCI.isEmpty)
        timeline.run.hci.rings.withLock { $0 = HCIRings(octetLimit: 100) }
        timeline.advance(to: 4_000_000_000)
        let dropped = timeline.roomPackets.droppedHCI
        #expect(dropped.values.contains { $0 > 0 })
        let total: Int = timeline.run.hci.rings.withLock { $0.dropped }.values.reduce(0, +)
        #expect(dropped.values.reduce(0, +) == total)
        let lost = try #require(dropped.keys.first)
        _ = try timeline.perform(.remove(device: "d\(lost)"))
        #expect(timeline.roomPackets.droppedHCI[lost] == nil)
    }
}
