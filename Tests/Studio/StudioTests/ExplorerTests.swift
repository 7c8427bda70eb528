import Foundation
import StudioExplorer
import Phrases
import StudioRoom
import Testing

@testable import Studio
@testable import StudioServer

struct ExplorerTests {
    /// A studio with a wristband and a phone with the explorer, `d2`.
    private func studio() async throws -> Studio {
        let studio = Studio()
        try await studio.hub.run("room.scene", ["scene": "empty"])
        try await studio.hub.run("room.add", Addition(program: "wristband", x: 1, y: 0))
        try await studio.hub.run("room.add", Addition(program: "explorer", x: 0, y: 0))
        return studio
    }

    private struct Addition: Encodable {
        var program: String
        var x: Double
        var y: Double
    }

    private struct Act: Encodable {
        var explorer = "d2"
        var action: String
        var with: [String: String] = [:]
    }

    private struct Name: Decodable {
        var id: String
        var isAdapter: Bool
    }

    private func seek(_ studio: Studio, _ seconds: Double) async throws {
        try await studio.hub.run("time.seek", ["to": Int64(seconds * 1e9)])
    }

    private func text(_ studio: Studio, _ topic: String) async throws -> String {
        studio.hub.touch(topic)
        return try #require(await studio.hub.text(of: topic)).text.text
    }

    private func file(_ studio: Studio, _ name: String, _ arguments: [String: String]) async throws -> StudioFile {
        let make = try #require(studio.hub.file(name))
        return try await make(arguments)
    }

    private func scan(_ studio: Studio) async throws -> ExplorerState {
        studio.hub.touch("explorer.d2")
        return try #require(await studio.hub.value(of: "explorer.d2", as: ExplorerState.self))
    }

    /// Scans, connects to the wristband, and reads all its values. Ends at 6 s.
    private func explore(_ studio: Studio) async throws -> String {
        try await seek(studio, 0.5)
        try await studio.hub.run("explorer.do", Act(action: "scan"))
        try await seek(studio, 2)
        let band = try #require(try await scan(studio).rows.first { $0.isConnectable })
        try await studio.hub.run("explorer.do", Act(action: "connect", with: ["device": band.id]))
        try await seek(studio, 4)
        try await studio.hub.run("explorer.do", Act(action: "readAll", with: ["device": band.id]))
        try await studio.hub.run(
            "explorer.do", Act(action: "subscribe", with: ["device": band.id, "attribute": "1.1"]))
        try await seek(studio, 6)
        return band.id
    }

    @Test func aStepBackRepeatsTheActionsOfTheUser() async throws {
        let studio = try await studio()
        defer { studio.room.end() }
        let band = try await explore(studio)
        let (scan, devices) = (try await text(studio, "explorer.d2"), try await text(studio, "explorer.d2.devices"))
        let log = try #require(await studio.hub.items(of: "explorer.d2.log", after: nil, limit: 2000)).batch.items
        #expect(devices.contains(band) && devices.contains("connected") && log.count > 20)
        try await seek(studio, 1)
        #expect(try await text(studio, "explorer.d2.devices") == "[]")
        let before = try await self.scan(studio)
        #expect(before.isScanning && before.devices.isEmpty)
        try await seek(studio, 6)
        #expect(try await text(studio, "explorer.d2.devices") == devices)
        #expect(try await text(studio, "explorer.d2") == scan)
        let again = try #require(await studio.hub.items(of: "explorer.d2.log", after: nil, limit: 2000)).batch.items
        #expect(again == log)
    }

    @Test func pastValuesBeginAtAnyNumber() async throws {
        let studio = try await studio()
        defer { studio.room.end() }
        let band = try await explore(studio)
        try await seek(studio, 9)
        let values = try #require(studio.hub.command("explorer.values"))
        func past(from start: Int) async throws -> ValueHistoryPage {
            let arguments = #"{"explorer":"d2","device":"\#(band)","attribute":"1.1","from":\#(start)}"#
            let text = try await values(Data(#"{"with":\#(arguments)}"#.utf8)).text
            return try JSONDecoder().decode(ValueHistoryPage.self, from: Data(text.utf8))
        }
        let all = try await past(from: 0)
        #expect(all.values.count > 1 && all.values.count == all.count)
        for start in [Int.min, Int.min + 1, -1] { #expect(try await past(from: start) == all) }
        #expect(try await past(from: all.count - 1).values == [all.values[0]])
        for start in [all.count, Int.max] { #expect(try await past(from: start).values.isEmpty) }
    }

    @Test func theLogAndTheScriptAreFiles() async throws {
        let studio = try await studio()
        defer { studio.room.end() }
        let band = try await explore(studio)
        let log = try await file(studio, "explorer.log", ["explorer": "d2"])
        #expect(log.name == "explorer-log.txt")
        #expect(String(decoding: log.content, as: UTF8.self).contains("| central.connect(peripheral)\n"))
        let script = try await file(studio, "explorer.script", ["explorer": "d2", "device": band])
        #expect(script.name == "session.yaml" && String(decoding: script.content, as: UTF8.self).contains("- connect:"))
        await #expect(throws: PhrasedError.self) {
            _ = try await file(studio, "explorer.script", ["explorer": "d2", "device": "x"])
        }
    }

    @Test func whatHappensInTheExplorerHappensInTheRoom() async throws {
        let studio = try await studio()
        defer { studio.room.end() }
        _ = try await explore(studio)
        let items = try #require(await studio.hub.items(of: "happened", after: nil, limit: 2000)).batch.items
        #expect(
            items.contains { $0.text.contains("central.connect(peripheral)") && $0.text.contains(#""device":"d2""#) })
    }

    @Test func anExplorerThatLeavesTheRoomIsNotInTheList() async throws {
        let studio = try await studio()
        defer { studio.room.end() }
        studio.hub.touch("explorers")
        #expect(await studio.hub.value(of: "explorers", as: [Name].self)?.map(\.id) == ["d2"])
        try await studio.hub.run("room.remove", ["device": "d2"])
        #expect(await studio.hub.value(of: "explorers", as: [Name].self)?.isEmpty == true)
        await #expect(throws: PhrasedError.self) {
            try await studio.hub.run("explorer.do", Act(action: "scan"))
        }
        try await studio.hub.run("room.scene", ["scene": "pair"])
        #expect(await studio.hub.value(of: "explorers", as: [Name].self)?.isEmpty == true)
    }

    @Test(arguments: [("fly", [:]), ("connect", [:]), ("connect", ["device": "00000000-0000-0000-0000-000000000001"])])
    func anActionThatIsNotPossibleSaysWhy(action: String, with: [String: String]) async throws {
        let studio = try await studio()
        defer { studio.room.end() }
        try await seek(studio, 0.5)
        await #expect(throws: PhrasedError.self) {
            try await studio.hub.run("explorer.do", Act(action: action, with: with))
        }
    }
}
