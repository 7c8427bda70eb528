import BLEPacketDecoding
import BLETransport
import BLEWire
import Foundation
import Phrases
import Testing

@testable import Studio
@testable import StudioRoom
@testable import StudioServer

/// A capture file as a page uses it.
struct CaptureTests {
    private struct State: Decodable, Sendable {
        struct Device: Decodable, Sendable {
            var id: String
            var name: Phrase
            var address: String?
        }

        var name: String
        var start: Int64?
        var devices: [Device]
        var layers: [String]
        var packets: Int
        var kept: Int
        var notes: [Phrase]
    }

    private struct Lines: Decodable, Sendable {
        struct Line: Decodable, Sendable {
            struct Part: Decodable, Sendable {
                var text: String
                var n: Int?
            }

            var style: String
            var parts: [Part]
            var text: String { parts.map(\.text).joined() }
        }

        var en: [Line]
        var zh: [Line]
        var leftOut: Int
    }

    private struct List: Decodable, Sendable {
        struct Row: Decodable, Sendable {
            var n: Int
            var start: Int64
            var channel: Int?
            var phy: String?
            var sender: String?
            var layer: String
            var name: String
            var count: Int?
        }

        var first: Int
        var end: Int
        var rows: [Row]
        var kept: Int
        var packets: Int
        var row: Int?
    }

    private struct Detail: Decodable, Sendable {
        struct Section: Decodable, Sendable { var octets: String }

        var packet: List.Row
        var sections: [Section]
    }

    /// LE Connection Complete, a notification without a subscription, and Disconnection Complete.
    private static let visit: [[UInt8]] = [
        [4, 0x3E, 19, 1, 0, 0x40, 0, 0, 1, 1, 2, 3, 4, 5, 0xC6, 24, 0, 0, 0, 0xF4, 1, 0],
        [2, 0x40, 0x20, 8, 0, 4, 0, 4, 0, 0x1B, 3, 0, 9], [4, 5, 4, 0, 0x40, 0, 0x08],
    ]

    private static func capture(
        _ packets: [[UInt8]] = visit, limit: Int = CapturedAir.packetLimit, end: Phrase? = nil
    ) -> OpenedCapture {
        var story = CaptureStory()
        var air = CapturedAir(packetLimit: limit)
        for (index, octets) in packets.enumerated() {
            let packet = CapturedPacket(
                number: index + 1, time: Int64(index + 1) * 1_000_000_000,
                content: .host(CapturedPacket.Host(isSent: false, octets: octets)))
            story.add(packet)
            air.add(packet)
        }
        story.finish()
        return OpenedCapture(name: "visit.log", story: story, air: air, end: end)
    }

    private static func run<Reply: Decodable>(
        _ studio: Studio, _ command: String, _ arguments: String = "", as type: Reply.Type
    ) async throws -> Reply {
        let body = try #require(studio.hub.command(command))
        let text = try await body(Data(#"{"with":{\#(arguments)}}"#.utf8)).text
        return try JSONDecoder().decode(Reply.self, from: Data(text.utf8))
    }

    private static func state(_ studio: Studio) async throws -> State {
        try #require(await studio.hub.value(of: "capture", as: State.self))
    }

    @Test func theTopicSaysWhatTheFileIs() async throws {
        let state = try await Self.state(Studio(capture: Self.capture()))
        #expect(state.name == "visit.log" && state.start == 1000)
        #expect(state.devices.map(\.id) == ["d1", "d0"])
        #expect(state.devices.map { $0.name.inChinese } == ["控制器", "记录设备"])
        #expect(state.layers == ["att", "hci"])
        #expect(state.packets == 3 && state.kept == 3 && state.notes.isEmpty)
    }

    @Test func theListHasThePacketsWithTheirNumbersInTheFile() async throws {
        let studio = Studio(capture: Self.capture())
        let list = try await Self.run(studio, "capture.packets.list", #""from":0,"count":10"#, as: List.self)
        #expect(list.first == 0 && list.end == 3 && list.kept == 3 && list.packets == 3)
        #expect(list.rows.map(\.n) == [1, 2, 3] && list.rows.map(\.start) == [0, 1_000_000_000, 2_000_000_000])
        #expect(list.rows.map(\.layer) == ["hci", "att", "hci"] && list.rows.allSatisfy { $0.sender == "d1" })
        #expect(list.rows.allSatisfy { $0.channel == nil && $0.phy == nil })
        let found = try await Self.run(
            studio, "capture.packets.list", #""from":0,"count":10,"folded":true,"filter":{"text":"disconnection"}"#,
            as: List.self)
        #expect(found.rows.map(\.n) == [3] && found.packets == 3)
        let around = try await Self.run(studio, "capture.packets.list", #""around":2,"count":10"#, as: List.self)
        #expect(around.row == 1)
        let detail = try await Self.run(studio, "capture.packets.detail", #""n":2"#, as: Detail.self)
        #expect(detail.packet.name == "ATT_HANDLE_VALUE_NTF" && detail.sections.first?.octets.hasPrefix("02") == true)
        // The room has packets of its own.
        let room = try await Self.run(studio, "packets.list", #""from":0,"count":10"#, as: List.self)
        #expect(room.packets == 0)
    }

    @Test(arguments: [0, 4, -1, Int.max])
    func aPacketThatTheFileDoesNotHaveFailsWithAReason(number: Int) async throws {
        let studio = Studio(capture: Self.capture())
        let failure = try await #require(throws: PhrasedError.self) {
            _ = try await Self.run(studio, "capture.packets.detail", #""n":\#(number)"#, as: Detail.self)
        }
        #expect(failure.code == "packet-gone" && failure.next?.description == "Select one of the packets 1 to 3.")
    }

    @Test func theStoryIsThatOfTheCommandAndNamesPackets() async throws {
        let capture = Self.capture()
        let lines = try await Self.run(Studio(capture: capture), "capture.story", as: Lines.self)
        #expect(lines.en.map(\.text) == capture.story.lines(in: .english).map(\.text) && lines.leftOut == 0)
        #expect(lines.zh.map(\.text) == capture.story.lines(in: .chinese).map(\.text))
        #expect(lines.en.map { $0.parts.map(\.n) } == lines.zh.map { $0.parts.map(\.n) })
        let named = Set(lines.en.flatMap(\.parts).compactMap(\.n))
        #expect(named == [1, 2, 3])
        #expect(lines.en.first?.style == "heading" && lines.en.contains { $0.style == "problem" })
        let end = try #require(lines.zh.first { $0.text.contains("链路丢失") })
        #expect(end.parts.first { $0.n == 3 }?.text == "帧 3")
    }

    @Test func whatIsMissingIsSaidAndHasNoLinks() async throws {
        let end = Phrase("The file is cut.", "文件不完整。")
        let studio = Studio(capture: Self.capture(limit: 2, end: end))
        let state = try await Self.state(studio)
        #expect(state.packets == 3 && state.kept == 2 && state.notes.count == 2 && state.notes.first == end)
        #expect(
            state.notes.last?.description
                == "The list has the first 2 of 3 packets. The story is about all of them.")
        #expect(state.notes.last?.inChinese == "列表只有 3 个数据包中的前 2 个。旁边的说明涵盖全部数据包。")
        let lines = try await Self.run(studio, "capture.story", as: Lines.self)
        #expect(lines.en.contains { $0.text.contains("frame 3 ") })
        #expect(Set(lines.en.flatMap(\.parts).compactMap(\.n)) == [1, 2])
        let list = try await Self.run(studio, "capture.packets.list", #""from":0,"count":10"#, as: List.self)
        #expect(list.kept == 2 && list.packets == 2)
    }

    @Test func aLongStoryIsCut() async throws {
        var packets: [[UInt8]] = []
        // 100 links with 40 changes of the interval each, which the story tells one by one.
        for _ in 0..<100 {
            packets.append(Self.visit[0])
            for number: UInt8 in 0..<40 {
                packets.append([4, 0x3E, 10, 3, 0, 0x40, 0, 24 + number % 2, 0, 0, 0, 0xF4, 1])
            }
            packets.append(Self.visit[2])
        }
        let capture = Self.capture(packets)
        let count = capture.story.lines(in: .english).count
        try #require(count > CaptureLines.limit)
        let lines = try await Self.run(Studio(capture: capture), "capture.story", as: Lines.self)
        #expect(lines.en.count == CaptureLines.limit && lines.zh.count == CaptureLines.limit)
        #expect(lines.leftOut == count - CaptureLines.limit)
    }

    @Test func aFileWithoutPacketsIsShown() async throws {
        let studio = Studio(capture: Self.capture([]))
        let state = try await Self.state(studio)
        #expect(state.packets == 0 && state.layers.isEmpty && state.start == nil)
        let list = try await Self.run(studio, "capture.packets.list", #""count":10,"folded":true"#, as: List.self)
        #expect(list.rows.isEmpty && list.packets == 0)
        #expect(try await Self.run(studio, "capture.story", as: Lines.self).en.count == 1)
        let failure = try await #require(throws: PhrasedError.self) {
            _ = try await Self.run(studio, "capture.packets.detail", #""n":5"#, as: Detail.self)
        }
        #expect(failure.next == Phrase("There are no packets to select.", "没有可选择的数据包。"))
    }

    @Test func aRecordIsNamedAndFoundInBothLanguages() throws {
        var air = CapturedAir()
        air.add(CapturedPacket(number: 1, time: nil, content: .other))
        let packet = try #require(air.packets.ring[1])
        #expect(PacketRow(packet).name.description == "Other record" && PacketRow(packet).name.inChinese == "其他记录")
        #expect(PacketMatcher(PacketFilter(text: "其他")).matches(packet))
    }

    @Test func aStudioWithoutACaptureHasNoneOfIt() async throws {
        let studio = Studio()
        #expect(await studio.hub.text(of: "capture")?.text.text == "null")
        #expect(studio.hub.command("capture.story") == nil && studio.hub.command("capture.packets.list") == nil)
    }

    @Test func nothingOfACaptureIsChangedOrSaved() {
        let hub = Studio(capture: Self.capture()).hub
        #expect(hub.file("capture.packets.pcapng") == nil && hub.file("capture.packets.btsnoop") == nil)
        #expect(hub.command("capture.time.run") == nil && hub.command("capture.room.add") == nil)
    }
}
