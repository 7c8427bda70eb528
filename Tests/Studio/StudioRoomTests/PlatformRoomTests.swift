import BLESimulator
import Phrases
import Testing

@testable import StudioRoom

/// Platforms and faults of the devices of a room.
struct PlatformRoomTests {
    private static let second: Int64 = 1_000_000_000

    /// The room of a world file, at time zero.
    private static func opened(_ text: String) throws -> RoomTimeline {
        let timeline = try Rooms.timeline("empty")
        try timeline.begin(try RoomRecord(text: "world: 1\n" + text, programs: Rooms.programs), word: "open")
        return timeline
    }

    private static func notes(_ timeline: RoomTimeline) -> [Phrase] {
        timeline.happened(from: 0).events.filter { $0.kind == .note }.map(\.text)
    }

    /// Saves a room, opens it and runs it up to its present: all packets are equal.
    private static func expectSameRun(_ timeline: RoomTimeline) throws {
        let copy = try Rooms.timeline("empty")
        try copy.begin(try RoomRecord(text: timeline.record.file.yaml, programs: Rooms.programs), word: "open")
        copy.advance(to: timeline.now)
        #expect(timeline.packetCount > 0)
        #expect(Rooms.frames(copy) == Rooms.frames(timeline))
        #expect(copy.state.devices == timeline.state.devices)
        #expect(copy.record.file.yaml == timeline.record.file.yaml)
    }

    @Test func thePageHasTheNamesOfThePresets() throws {
        let timeline = try Rooms.timeline()
        #expect(timeline.state.platforms == Platform.presets.keys.sorted())
        #expect(timeline.state.devices.allSatisfy { $0.platform == nil && $0.takesPlatform })
    }

    @Test func aDeviceStartsAgainWithItsPlatform() throws {
        let timeline = try Rooms.timeline(seed: 5)
        timeline.advance(to: 3 * Self.second)
        let address = try #require(timeline.state.devices[0].address)
        #expect(timeline.state.links.map(\.timeout) == [2_000])
        _ = try timeline.perform(.platform(device: "d1", "windows"))
        #expect(timeline.state.devices[0].platform == "windows" && timeline.state.devices[0].isOn)
        timeline.advance(to: 12 * Self.second)
        #expect(timeline.state.links.map(\.timeout) == [9_600])
        #expect(timeline.state.devices[0].address == address)
        // Without power, it has the platform from the next start on.
        _ = try timeline.perform(.power(device: "d1", isOn: false))
        _ = try timeline.perform(.platform(device: "d1", nil))
        #expect(timeline.state.devices[0].platform == nil && !timeline.state.devices[0].isOn)
        _ = try timeline.perform(.power(device: "d1", isOn: true))
        timeline.advance(to: 30 * Self.second)
        #expect(timeline.state.links.map(\.timeout) == [2_000])
        try Self.expectSameRun(timeline)
    }

    @Test func aPlatformIsUndoneAndDoneAgain() throws {
        let timeline = try Rooms.timeline(seed: 5)
        timeline.advance(to: Self.second)
        _ = try timeline.perform(.platform(device: "d2", "pixel"))
        _ = try timeline.perform(.platform(device: "d2", "bluez"))
        timeline.advance(to: 3 * Self.second)
        let frames = Rooms.frames(timeline)
        func platform() -> String? { timeline.state.devices[1].platform }
        for expected in ["pixel", nil] {
            #expect(timeline.state.undo == "platform")
            timeline.advance(to: try timeline.undo().goal)
            #expect(platform() == expected)
        }
        for expected in ["pixel", "bluez"] {
            timeline.advance(to: try timeline.redo().goal)
            #expect(platform() == expected)
        }
        #expect(Rooms.frames(timeline) == frames)
    }

    @Test func wrongPlatformsAreRefused() throws {
        let timeline = try Self.opened(
            "devices: [{id: app}, {id: door, program: beacon}, {id: band, program: wristband}]")
        let state = timeline.state
        #expect(state.devices.map(\.takesPlatform) == [false, false, true])
        for (command, code): (RoomCommand, String) in [
            (.platform(device: "d1", "pixel"), "no-platform"), (.platform(device: "d2", "pixel"), "no-platform"),
            (.platform(device: "d3", "iphon"), "unknown-platform"), (.platform(device: "d3", ""), "unknown-platform"),
            (.platform(device: "d9", "pixel"), "unknown-device"),
        ] {
            let failure = #expect(throws: PhrasedError.self) { try timeline.perform(command) }
            #expect(failure?.code == code)
        }
        #expect(timeline.state == state)
    }

    // MARK: Faults

    private static let faults = """
        stress: 254
        devices:
          - {id: phone, program: walkthrough, at: [-1, 0]}
          - {id: band, program: wristband, at: [1, 0]}
        events:
          - {at: 0 s, fault: band, kind: slow-answers, by: 50 ms}
          - {at: 20 s, remove-faults: band}
          - {at: 21 s, platform: band, is: galaxy}

        """

    @Test func theFaultsOfAWorldHappenInTheRoom() throws {
        let timeline = try Self.opened(Self.faults)
        timeline.advance(to: 30 * Self.second)
        let texts = Self.notes(timeline).map(\.description)
        for entry in Stress(seed: 254, devices: ["phone", "band"]).entries {
            #expect(texts.contains(entry.fault.description), "\(entry)")
        }
        #expect(texts.contains("a fault: answers late by 0.050 s"))
        #expect(texts.contains("answers late by 0.050 s"))
        #expect(Self.notes(timeline).contains { $0.description == "no faults any more" && $0.inChinese == "不再有故障" })
        #expect(timeline.state.devices[1].platform == "galaxy")
        try Self.expectSameRun(timeline)
        // A run without the stress is another one.
        let plain = try Self.opened(Self.faults.replacing("stress: 254\n", with: ""))
        plain.advance(to: timeline.now)
        #expect(Rooms.frames(plain) != Rooms.frames(timeline))
    }

    /// A step back and forth repeats what the faults do.
    @Test func faultsHappenAgainAfterAStepBack() throws {
        let timeline = try Self.opened(Self.faults)
        timeline.advance(to: 10 * Self.second)
        let (frames, notes) = (Rooms.frames(timeline), Self.notes(timeline))
        try timeline.restart()
        timeline.advance(to: 10 * Self.second)
        #expect(Rooms.frames(timeline) == frames && Self.notes(timeline) == notes)
    }

    @Test func eachFaultHasChineseWords() {
        var kinds: Set<Fault.Kind> = []
        for seed in 0..<300 as Range<UInt64> {
            for entry in Stress(seed: seed, devices: ["a"]).entries {
                kinds.insert(entry.fault.kind)
                let phrase = FaultLines.phrase(entry.fault.description)
                #expect(phrase.description == entry.fault.description)
                #expect(phrase.inChinese != entry.fault.description, "\(entry.fault)")
            }
        }
        #expect(kinds == Set(Fault.Kind.allCases))
    }
}
