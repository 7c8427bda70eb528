import BLESimulator
import Foundation
import Phrases
import Testing

@testable import StudioRoom

/// A room as a world file.
struct WorldRoomTests {
    private static let second: Int64 = 1_000_000_000
    private static let programs = WorldProgramKind.standard + ProfilePrograms.all + Lesson.programs
    private static let worlds = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../Worlds")

    private static func timeline(_ scene: String = "pair", seed: UInt64 = 7) throws -> RoomTimeline {
        try RoomTimeline(
            programs: programs, scenes: RoomScene.standard, scene: scene, seed: seed,
            parameters: scene == "crowd" ? ["count": 6] : .null)
    }

    /// The room of a world file, at time zero.
    private static func opened(_ text: String) throws -> RoomTimeline {
        let timeline = try timeline("empty")
        try timeline.begin(try RoomRecord(text: text, programs: programs), word: "open")
        return timeline
    }

    private static func events(_ timeline: RoomTimeline) -> [RoomEvent] { Array(timeline.happened(from: 0).events) }

    /// Saves a room, opens it and plays it up to its present: all packets and events are equal.
    private static func expectSameRun(_ timeline: RoomTimeline, _ comment: Comment) throws {
        let copy = try opened(timeline.record.file.yaml)
        copy.advance(to: timeline.now)
        #expect(timeline.packetCount > 0, comment)
        #expect(Rooms.frames(copy) == Rooms.frames(timeline), comment)
        #expect(events(copy) == events(timeline), comment)
        #expect(copy.state.devices == timeline.state.devices && copy.state.walls == timeline.state.walls, comment)
        // A second time, the text is equal.
        #expect(copy.record.file.yaml == timeline.record.file.yaml, comment)
    }

    @Test func aSavedRoomRepeatsTheRunToTheOctet() throws {
        let commands: [[RoomCommand]] = [
            [.environment(RoomEnvironment(pathLossExponent: 2.7, fading: 3, packetLoss: 0.05))],
            [.add(program: "profile:heart-rate", name: "Chest", x: 2, y: 1.25), .loss(device: "d2", 0.07)],
            [.wall(x1: 0, y1: -1, x2: 0.1, y2: 1, attenuation: 9), .move(device: "d1", x: -1.1, y: 0.3)],
            [.attenuation(wall: "w1", 1.5), .rename(device: "d2", "带“引号” \u{202E}")],
            [.power(device: "d2", isOn: false), .add(program: "beacon", name: "Door", x: 3, y: 2)],
            [.power(device: "d2", isOn: true), .unwall(wall: "w1"), .remove(device: "d4")],
            [.act(device: "d1", action: "start", with: .null), .wall(x1: 1, y1: 1, x2: 2, y2: 2, attenuation: 3)],
        ]
        for scene in ["pair", "crowd"] {
            let timeline = try Self.timeline(scene)
            var refused: [String] = []
            for (index, group) in commands.enumerated() {
                // Moments between microseconds, and ends of packets.
                timeline.advance(to: timeline.now + Self.second / 2 + Int64(index * 137))
                if index % 2 == 0 { timeline.step() }
                for command in group {
                    do { _ = try timeline.perform(command) } catch { refused.append(command.word) }
                }
            }
            #expect(refused == [])
            timeline.advance(to: timeline.now + 2 * Self.second)
            // Waits until time advances.
            _ = try timeline.perform(.move(device: "d1", x: 4, y: 4))
            try Self.expectSameRun(timeline, "\(scene)")
        }
    }

    /// What the page takes is what its own file can say again.
    @Test func aSavedRoomWithUnusualTextsAndManyWallsIsRead() throws {
        let timeline = try Self.opened(
            """
            world: 1
            devices:
              - {id: a, program: wristband}
            events:
              - {at: 9 s, wall: late, from: [0, 0], to: [1, 1], loss: 3 dB}
            """)
        let name = String(repeating: " *a", count: 33) + " \"*b\" [*c] {*d: - *e\n*f 'g' # h"
        _ = try timeline.perform(.rename(device: "d1", name))
        for number in 0..<WorldFile.Limit.walls {
            _ = try timeline.perform(.wall(x1: 0, y1: 0, x2: 1, y2: Double(number), attenuation: 1))
        }
        timeline.advance(to: 10 * Self.second)
        #expect(timeline.state.walls.count == WorldFile.Limit.walls && timeline.state.devices[0].name == name)
        try Self.expectSameRun(timeline, "texts and walls")
    }

    /// A small text cannot stand for much: 10,000 devices, each with a list of 50,000 numbers or with a long text of its own.
    @Test(
        .timeLimit(.minutes(10)),
        arguments: [
            "a: [" + String(repeating: "0,", count: 50_000) + "0]",
            "a: \"${n}" + String(repeating: "x", count: 400_000) + "\"",
        ])
    func aGroupIsBounded(parameters: String) throws {
        let text = "world: 1\ndevices:\n  - {id: a, count: 10000, program: walkthrough, parameters: {\(parameters)}}"
        let failure = #expect(throws: PhrasedError.self) { try RoomRecord(text: text, programs: Self.programs) }
        #expect(failure?.text.description.contains("a group of at most 1000000 values") == true)
    }

    /// The names of a small text can be shared by the aliases of lists in lists.
    @Test func theTextsOfAWorldAreBounded() throws {
        var lists = "[&a0 " + String(repeating: "x", count: 100_000)
        for level in 1...6 { lists += ", &a\(level) [*a\(level - 1), *a\(level - 1)]" }
        let text = "world: 1\ndevices:\n  - {id: a, program: walkthrough, parameters: {a: \(lists)]}}"
        let timeline = try Self.timeline()
        let failure = #expect(throws: PhrasedError.self) {
            try timeline.begin(try RoomRecord(text: text, programs: Self.programs), word: "open")
        }
        #expect(failure?.text.description.contains("more than 4 MiB") == true, "\(failure?.text.description ?? "")")
    }

    @Test(.timeLimit(.minutes(10))) func manyWrongNamesAreRefusedAtOnce() throws {
        let long = String(repeating: "a", count: 55)
        let events = (0..<6000).map { "  - {at: 1 s, remove: \(long)-x\($0)}" }.joined(separator: "\n")
        let text = "world: 1\ndevices:\n  - {id: \(long), count: 10000}\nevents:\n\(events)"
        #expect(throws: PhrasedError.self) { try RoomRecord(text: text, programs: Self.programs) }
    }

    @Test func changesWithoutAnEffectAreNotSaved() throws {
        let timeline = try Self.timeline()
        timeline.advance(to: Self.second)
        #expect(throws: PhrasedError.self) { try timeline.perform(.act(device: "d1", action: "fly", with: .null)) }
        _ = try timeline.perform(.power(device: "d2", isOn: false))
        timeline.advance(to: 2 * Self.second)
        #expect(timeline.record.entries.count == 2 && timeline.record.file.events.count == 1)
        try Self.expectSameRun(timeline, "")
    }

    @Test func theShippedWorldsRunInTheRoom() throws {
        let files = try FileManager.default.contentsOfDirectory(atPath: Self.worlds.path).filter {
            $0.hasSuffix(".world.yaml")
        }
        #expect(files.count >= 4)
        for file in files.sorted() {
            let path = Self.worlds.appending(path: file).path
            let record = try RoomRecord(path: path, programs: Self.programs)
            let timeline = try Self.timeline("empty")
            try timeline.begin(record, word: "open")
            timeline.advance(to: 3 * Self.second)
            #expect(timeline.state.devices.count >= 2 && timeline.state.title != nil, "\(file)")
            try Self.expectSameRun(timeline, "\(file)")
        }
    }

    @Test func eachKindOfDeviceAndEventRuns() throws {
        let timeline = try Self.opened(
            """
            world: 1
            name: Kinds
            seed: 3
            environment: {reference-loss: 41 dB}
            walls: [{id: door, from: [0, -2], to: [0, 2], loss: 1 dB}]
            devices:
              - {id: phone, program: walkthrough, at: [-1, 0]}
              - {id: d2, program: wristband, at: [1, 0, 1.5], loss: 5 %}
              - {id: chest, profile: heart-rate, at: [3, 0]}
              - {id: bare, at: [2, 2]}
              - {id: tag, count: 2, grid: {columns: 2, spacing: 3}, beacon: {name: "T${n}", power: -8 dBm}}
            events:
              - {at: 1 s, move: phone, to: [1, 0], over: 2050 ms}
              - {at: 1500 ms, power: bare, on: false}
              - {at: 2 s, restart: d2}
              - {at: 3 s, add: {id: late, program: wristband, at: [0, 1]}}
              - {at: 3 s, wall: door, from: [0, -2], to: [0, 2], loss: 2 dB}
              - {at: 3500 ms, rename: late, name: Late}
              - {at: 4 s, remove: late}
            """)
        let state = timeline.state
        #expect(state.devices.map(\.id) == ["d1", "d2", "d3", "d4", "d5", "d6"])
        #expect(
            state.devices.map(\.program) == [
                "walkthrough", "wristband", "profile:heart-rate", "bare", "beacon", "beacon",
            ])
        #expect(state.devices.map(\.hasHost) == [true, true, true, true, false, false] && state.title == "Kinds")
        timeline.advance(to: 2 * Self.second)
        // Ten steps of 2050 ms.
        let x = try #require(timeline.state.devices.first?.x)
        let expected = -1 + 2 / 2.05
        #expect(abs(x - expected) < 1e-9)
        #expect(timeline.state.devices[3].isOn == false && timeline.state.devices[3].state == .off)
        timeline.advance(to: 3_200_000_000)
        #expect(timeline.state.devices.first?.x == 1 && timeline.state.devices.count == 7)
        #expect(timeline.state.walls.map(\.attenuation) == [2])
        // A device of the user has an identifier that the world does not use, and the events of the world stay.
        timeline.advance(to: 3_300_000_000)
        _ = try timeline.perform(.add(program: "beacon", x: 5, y: 5))
        try timeline.restart()
        timeline.advance(to: 3_000_000)
        _ = try timeline.perform(.wall(x1: 5, y1: 5, x2: 6, y2: 6, attenuation: 1))
        #expect(timeline.record.entries.count == 8)
        timeline.advance(to: 5 * Self.second)
        #expect(timeline.state.devices.count == 6 && timeline.state.walls.count == 2)
        try Self.expectSameRun(timeline, "")
    }

    /// A world has the same packets in a room and in a test.
    @Test func theRoomRunsAsAWorldDoes() async throws {
        let text = """
            world: 1
            seed: 5
            devices:
              - {id: phone, program: walkthrough, at: [-1, 0]}
              - {id: band, program: wristband, at: [1, 0]}
              - {id: chest, profile: heart-rate, at: [3, 0]}
            events:
              - {at: 1234567.891 us, loss: band, share: 20 %}
              - {at: 2 s, move: phone, to: [4, 4], over: 1 s}
            """
        let timeline = try Self.opened(text)
        timeline.advance(to: 4 * Self.second)
        let world = try World(try WorldFile(text: text, file: "world"), fileName: "world")
        let collector = FrameCollector()
        collector.observe(world)
        await world.run(for: .seconds(4))
        let frames = collector.take()
        #expect(frames.count == timeline.packetCount && frames.count > 100)
        #expect(frames.map(\.start) == Rooms.frames(timeline).map(\.start))
        #expect(frames.map(\.octets) == Rooms.frames(timeline).map(\.octets))
    }

    @Test func aWorldThatCannotBeOpenedIsOneSentenceAndLeavesTheRoom() throws {
        let timeline = try Self.timeline()
        timeline.advance(to: Self.second)
        let before = timeline.record
        let head = "world: 1\ndevices:\n"
        for (text, part) in [
            ("", "The world cannot be opened"), ("{", "The world cannot be opened"), ("world: 9", "line 1"),
            (head + "  - {id: a, profile: secret.yaml}", "this world has no folder"),
            (head + "  - {id: a, profile: ../../etc/passwd.yaml}", "this world has no folder"),
            (head + "  - {id: a, script: /etc/passwd}", "this world has no folder"),
            (head + "  - {id: a, count: 501, beacon: {name: T}}", "at most 500 devices"),
            (head + "  - {id: a, count: 20000, beacon: {name: T}}", "line 3"),
            (head + "  - &a {id: a}\n  - *a", "line 3"),
        ] {
            let failure = #expect(throws: PhrasedError.self, "\(text)") {
                try timeline.begin(try RoomRecord(text: text, programs: Self.programs), word: "open")
            }
            #expect(failure?.text.description.contains(part) == true, "\(failure?.text.description ?? "")")
            #expect(timeline.record == before && timeline.state.undo == nil)
        }
    }

    @Test(arguments: [
        "", "{", "world: 2", "world: 1\nseed: x", "world: 1\nwals: []", "world: 1\ndevices: 7",
        "world: 1\ndevices: [7]",
        "world: 1\nwalls: [{id: w, from: [0], to: [1, 1], loss: 3 dB}]", "world: 1\nenvironment: {fading: 30 dB}",
        "world: 1\nwalls: [{id: w, from: [0, 0], to: [1, 1], loss: 3}]", "world: 1\ndevices: [{id: +}]",
        "world: 1\ndevices: [{id: a, program: nothing}]", "world: 1\ndevices: [{id: a}, {id: a}]",
        "world: 1\ndevices: [{id: a, profile: hart-rate}]", "world: 1\ndevices: [{id: a, profile: a.yaml}]",
        "world: 1\ndevices: [{id: a, count: 20000}]", "world: 1\ndevices: [{at: [1, 1]}]",
        "world: 1\ndevices: [{id: a, name: \"\"}]", "world: 1\ndevices: [{id: a, on: maybe}]",
        "world: 1\ndevices: [{id: a, program: phone, beacon: {name: x}}]", "world: 1\nevents: [{at: 1 s}]",
        "world: 1\nevents: [{at: 1 s, move: a, to: [1, 1]}]", "world: 1\nevents: [{at: 1, remove-wall: a}]",
        "world: 1\nevents: [{at: 1 s, remove-wall: a}]", "world: 1\nexpect: [{at: 1 s}]", "world: 1\nevents: [7]",
        "world: 1\ndevices: [{id: a}]\nevents: [{at: 1 s, press: a, action: go}]",
        "world: 1\ndevices: [{id: phone}]\nevents: [{at: 1 s, move: phon, to: [1, 1]}]",
        "world: 1\ndevices: [{id: a, beacon: {name: x}}]\nevents: [{at: 1 s, restart: a}]",
    ])
    func anErrorOfAWorldHasBothLanguages(text: String) throws {
        let failure = try #require(throws: PhrasedError.self) {
            try RoomRecord(text: text, programs: WorldProgramKind.standard)
        }
        let chinese = failure.text.inChinese
        let unquoted = chinese.replacing(#/"[^"]*"|“[^”]*”/#, with: "")
        #expect(!unquoted.contains(#/\b(a|an|the|of|is|to|in|and|or|with|expected|found|at|that) /#), "\(chinese)")
    }

    @Test func whatTheRoomDoesNotRunIsNamed() throws {
        let record = try RoomRecord(
            text: """
                world: 1
                devices:
                  - {id: app, script: [{connect: {device: Pulse, within: 5 s}}]}
                expect:
                  - {state: app, is: idle, at: 1 s}
                """, programs: Self.programs)
        #expect(record.notes.count == 2)
        #expect(record.notes.first?.description.contains("script of app") == true)
        #expect(record.notes.allSatisfy { $0.inChinese.contains("bluelab test") })
        // Both are saved again.
        #expect(record.file.yaml.contains("connect:") && record.file.yaml.contains("expect:"))
    }
}
