import BLEPacketDecoding
import BLEWire
import Foundation
import Phrases
import Testing

@testable import Studio
@testable import StudioRoom
@testable import StudioServer

/// The packet list as a page uses it.
struct PacketTests {
    private struct Row: Decodable, Sendable {
        var n: Int
        var start: Int64
        var duration: Int64
        var sender: String?
        var layer: String
        var name: String
        var text: Phrase
        var size: Int
        var conversation: Int?
        var procedure: String?
        var count: Int?
    }

    private struct List: Decodable, Sendable {
        var run: Int
        var first: Int
        var end: Int
        var from: Int
        var rows: [Row]
        var kept: Int
        var packets: Int
        var row: Int?
        var isComplete: Bool
    }

    private struct Detail: Decodable, Sendable {
        var packet: Row
        var sections: [Section]
    }

    private struct Section: Decodable, Sendable {
        var kind: String
        var octets: String
        var fields: [Field]
    }

    private struct Field: Decodable, Sendable {
        var name: Phrase
        var value: Phrase
        var from: Int
        var to: Int
        var bits: [Int]?
        var children: [Field]
    }

    private let studio = Studio()

    private func run<Reply: Decodable>(_ command: String, _ arguments: String, as type: Reply.Type) async throws
        -> Reply
    {
        let body = try #require(studio.hub.command(command))
        let text = try await body(Data(#"{"with":\#(arguments)}"#.utf8)).text
        return try JSONDecoder().decode(Reply.self, from: Data(text.utf8))
    }

    private func list(_ arguments: String) async throws -> List {
        try await run("packets.list", "{\(arguments)}", as: List.self)
    }

    /// Runs the first scene: a phone and a wristband.
    private func advance(to seconds: Int64) async throws {
        try await studio.room.engine.seek(to: seconds * 1_000_000_000)
    }

    // MARK: Rows

    @Test func conversationsAreRowsThatHoldAllPackets() async throws {
        try await advance(to: 3)
        let flat = try await list(#""from":0,"count":500"#)
        #expect(flat.isComplete)
        #expect(flat.end == flat.packets)
        #expect(flat.rows.map(\.n) == Array(0..<min(500, flat.packets)))
        let folded = try await list(#""from":0,"count":500,"folded":true"#)
        #expect(folded.rows.count == folded.end)
        #expect(folded.end < flat.end / 4)
        #expect(folded.rows.reduce(0) { $0 + ($1.count ?? 1) } == flat.end)
        let discovery = try #require(folded.rows.first { $0.procedure == "service-discovery" })
        #expect(discovery.text.description.contains("Heart Rate"))
        let conversation = try #require(discovery.conversation)
        let members = try await list(#""from":0,"count":100,"conversation":\#(conversation),"folded":true"#)
        #expect(members.end == discovery.count)
        #expect(members.rows.allSatisfy { $0.conversation == conversation && $0.procedure == "service-discovery" })
        let last = try #require(members.rows.last)
        #expect(last.start + last.duration == discovery.start + discovery.duration)
        let values = try #require(folded.rows.first { $0.procedure == "subscription" })
        #expect(values.text.description.hasPrefix("Heart Rate Measurement = "))
    }

    @Test func aWindowOfRowsMayBeAnywhere() async throws {
        try await advance(to: 2)
        let end = try await list(#""count":10"#)
        #expect(end.rows.map(\.n) == Array(end.end - 10..<end.end))
        let around = try await list(#""count":10,"around":100"#)
        #expect(around.row == 100)
        #expect(around.rows.contains { $0.n == 100 })
        let folded = try await list(#""count":10,"around":100,"folded":true"#)
        let row = try #require(folded.row)
        #expect((folded.from..<folded.from + folded.rows.count).contains(row))
        for arguments in [
            #""from":1000000,"count":5"#, #""from":-9223372036854775808,"count":5"#,
            #""from":9223372036854775807,"count":5"#,
            #""from":0,"count":-1"#, #""count":5,"conversation":99999"#,
        ] {
            #expect(try await list(arguments).rows.isEmpty, "\(arguments)")
        }
        #expect(try await list(#""from":0,"count":1000000"#).rows.count <= 500)
    }

    @Test func filtersSelectByDeviceLayerProcedureAndText() async throws {
        try await advance(to: 2)
        let att = try await list(#""from":0,"count":500,"filter":{"layer":"att"}"#)
        #expect(att.end > 10)
        #expect(att.rows.allSatisfy { $0.layer == "att" })
        let reads = try await list(#""from":0,"count":500,"filter":{"procedure":"read","device":"d1"}"#)
        #expect(reads.end > 1)
        #expect(reads.rows.allSatisfy { $0.procedure == "read" })
        let named = try await list(#""from":0,"count":500,"filter":{"text":"HEART rate"}"#)
        #expect(named.end > 1)
        #expect(named.rows.allSatisfy { $0.text.description.contains("Heart Rate") })
        for filter in [
            #""layer":"nothing""#, #""procedure":"nothing""#, #""device":"d77""#, #""link":"x""#, #""text":"<script>""#,
        ] {
            let none = try await list(#""from":0,"count":5,"filter":{\#(filter)}"#)
            #expect(none.end == 0 && none.packets > 0, "\(filter)")
        }
        let all = try await list(#""from":0,"count":5,"filter":{"layer":"","text":""}"#)
        #expect(all.end == all.packets)
    }

    @Test func aStepBackBeginsTheListAgain() async throws {
        try await advance(to: 2)
        let before = try await list(#""from":0,"count":500"#)
        try await advance(to: 1)
        let after = try await list(#""from":0,"count":500"#)
        #expect(after.run != before.run)
        #expect(after.end < before.end)
        #expect(after.rows.map(\.name) == before.rows.prefix(after.end).map(\.name))
        #expect(after.rows.map(\.conversation) == before.rows.prefix(after.end).map(\.conversation))
    }

    // MARK: Details

    @Test func theFieldsOfEveryPacketOfARunCoverEachBitOnce() async throws {
        try await advance(to: 2)
        let count = try await list(#""count":0"#).packets
        #expect(count > 200)
        for number in 0..<count {
            let detail = try await run("packets.detail", #"{"n":\#(number)}"#, as: Detail.self)
            #expect(detail.packet.n == number)
            for section in detail.sections {
                var bits = [Int](repeating: 0, count: 4 * section.octets.utf8.count)
                func visit(_ field: Field) {
                    field.children.forEach(visit)
                    #expect("\(field.name)" != "Not decoded", "\(detail.packet.name)")
                    guard field.children.isEmpty else { return }
                    let range = field.bits.map { $0[0]..<$0[1] } ?? 0..<8 * (field.to - field.from)
                    for bit in range { bits[8 * field.from + bit] += 1 }
                }
                section.fields.forEach(visit)
                #expect(bits.allSatisfy { $0 == 1 }, "packet \(number), \(detail.packet.name)")
            }
        }
    }

    /// A beacon with extended packets: its device in the room, and each PDU of its events in the list, with its fields.
    @Test func anExtendedBeaconIsInTheRoomAndItsPacketsInTheList() async throws {
        let filler = [String](repeating: "01 FF", count: 150).joined(separator: " ")
        let world = """
            world: 1
            devices:
              - {id: sign, at: [1, 0], beacon: {name: Sign, data: \(filler), extended: {secondary: 2M, set: 3}}}
            """
        let text = String(decoding: try JSONEncoder().encode(["text": world]), as: UTF8.self)
        let body = try #require(studio.hub.command("room.open"))
        _ = try await body(Data(#"{"with":\#(text)}"#.utf8))
        try await advance(to: 1)
        let devices = try await studio.room.engine.perform { $0.timeline.state.devices }
        let sign = try #require(devices.first)
        #expect(devices.count == 1 && sign.kind == .beacon && sign.isOn && !sign.hasHost && sign.address != nil)
        let rows = try await list(#""from":0,"count":500"#).rows
        #expect(Set(rows.map(\.name)) == ["ADV_EXT_IND", "AUX_ADV_IND", "AUX_CHAIN_IND"])
        #expect(rows.allSatisfy { $0.sender == sign.id && $0.layer == "adv" })
        func fields(_ name: String) async throws -> [String: String] {
            let row = try #require(rows.first { $0.name == name })
            let detail = try await run("packets.detail", #"{"n":\#(row.n)}"#, as: Detail.self)
            var found: [String: String] = [:]
            func visit(_ field: Field) {
                found["\(field.name)"] = "\(field.value)"
                field.children.forEach(visit)
            }
            detail.sections.flatMap(\.fields).forEach(visit)
            return found
        }
        let primary = try await fields("ADV_EXT_IND")
        #expect(primary["Set ID"] == "3" && primary["PHY"] == "LE 2M" && primary["Offset"] != nil)
        let auxiliary = try await fields("AUX_ADV_IND")
        #expect(auxiliary["Advertiser's address"]?.hasPrefix(sign.address ?? "-") == true)
        #expect(auxiliary["Data ID"] == primary["Data ID"] && auxiliary["Auxiliary pointer"] != nil)
        #expect(try await fields("AUX_CHAIN_IND")["Part of the advertising data"] != nil)
        // One conversation for each event of the set.
        let folded = try await list(#""from":0,"count":500,"folded":true"#)
        #expect(folded.rows.count < rows.count / 3)
    }

    @Test func aPacketThatIsNotKeptFailsWithAReason() async throws {
        await #expect(throws: PhrasedError.self) { _ = try await run("packets.detail", #"{"n":-1}"#, as: Detail.self) }
        do {
            _ = try await run("packets.detail", #"{"n":5000}"#, as: Detail.self)
            Issue.record("packet 5000 of an empty room has fields")
        } catch let failure as PhrasedError {
            #expect(failure.code == "packet-gone")
        }
    }

    // MARK: Files

    @Test func thePcapngFileHasEveryPacket() async throws {
        try await advance(to: 1)
        let count = try await list(#""count":0"#).packets
        let pcapng = try #require(studio.hub.file("packets.pcapng"))
        let file = try await pcapng([:])
        #expect(file.name == "packets.pcapng")
        let octets = [UInt8](file.content)
        func number(_ offset: Int) -> Int { (0..<4).reduce(0) { $0 | Int(octets[offset + $1]) << (8 * $1) } }
        var types: [Int] = []
        var offset = 0
        while offset + 12 <= octets.count {
            types.append(number(offset))
            let length = number(offset + 4)
            #expect(number(offset + length - 4) == length)
            offset += length
        }
        #expect(offset == octets.count)
        #expect(types == [0x0A0D_0D0A, 1] + [Int](repeating: 6, count: count))
        #expect(String(decoding: octets, as: UTF8.self).contains("from Wristband"))
    }

    // MARK: The index

    /// A ring with one advertiser, whose every tenth packet is of another one.
    private func fill(_ ring: inout PacketRing, _ dissector: inout AirDissector, to count: Int) {
        while ring.count < count {
            let other: UInt8 = ring.count % 10 == 9 ? 2 : 1
            let frame = AirFrame(
                number: ring.count, start: Int64(ring.count) * 1_000_000, airTime: 100_000, channel: 37, phy: .oneM,
                accessAddress: LL.advertisingAccessAddress, octets: [0x60, 9, other, 2, 3, 4, 5, 0xC6, 2, 1, 6],
                sender: Int(other))
            ring.append(frame, dissector.add(frame))
        }
    }

    @Test func rowsKeepTheirNumbersWhileTheRingDropsPackets() {
        var ring = PacketRing(packetLimit: 5000)
        var dissector = AirDissector()
        var index = PacketIndex(PacketFilter(device: "d2"))
        var all = PacketIndex(PacketFilter())
        for count in stride(from: 1000, through: 40_000, by: 1000) {
            fill(&ring, &dissector, to: count)
            let isComplete = [index.advance(in: ring, limit: 100_000), all.advance(in: ring, limit: 100_000)]
            #expect(isComplete == [true, true])
            let kept = ring.range
            #expect(all.flatRange == kept)
            #expect(index.flatRange == kept.lowerBound / 10..<kept.upperBound / 10)
            #expect(index.number(ofFlatRow: index.flatRange.lowerBound) == kept.lowerBound + 9)
            #expect(all.foldedRange == 0..<2)
            #expect(all.numbers(ofRow: 1, from: kept.lowerBound).count == kept.count / 10)
        }
    }

    @Test func oneCommandSearchesABoundedNumberOfPackets() {
        var ring = PacketRing(packetLimit: 5000)
        var dissector = AirDissector()
        var index = PacketIndex(PacketFilter())
        fill(&ring, &dissector, to: 3000)
        var ends: [Int] = []
        var isComplete = false
        for _ in 0..<10 where !isComplete {
            isComplete = index.advance(in: ring, limit: 1000)
            ends.append(index.flatRange.upperBound)
        }
        #expect(ends == [1000, 2000, 3000])
    }
}
