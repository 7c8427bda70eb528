import Testing

@testable import StudioRoom

/// The room at the start goes on: the phone stays with the wristband, and finds it again after a loss.
struct LivingRoomTests {
    private let timeline: RoomTimeline

    init() throws { timeline = try Rooms.timeline() }

    private func events(of device: String, from time: Int64 = 0) -> [RoomEvent] {
        timeline.happened(from: 0).events.filter { $0.device == device && $0.time >= time }
    }

    @Test func thePulseGoesOnAndIsReadableBesideItsOctets() throws {
        timeline.advance(to: 60_000_000_000)
        let pulses = events(of: "d1", from: 30_000_000_000)
        #expect(pulses.count >= 29)
        for event in pulses {
            let match = try #require(
                event.text.description.wholeMatch(of: /Heart Rate Measurement: (\d+) bpm \(00 ([0-9a-f]{2})\)/),
                "\(event.text)")
            #expect(Int(match.1) == Int(match.2, radix: 16))
            #expect(event.swift == "peripheral(_:didUpdateValueFor:error:)")
        }
        #expect(timeline.state.devices.allSatisfy { $0.state == .connected })
    }

    @Test func theCardsActionsEndTheWalkthroughAndBeginItAgain() throws {
        timeline.advance(to: 3_000_000_000)
        let kind = try #require(timeline.state.programs.first { $0.id == "walkthrough" })
        #expect(kind.actions.filter { $0.states.contains(.connected) }.map(\.id) == ["finish", "stop"])
        _ = try timeline.perform(.act(device: "d1", action: "finish", with: .null))
        timeline.advance(to: 5_000_000_000)
        #expect(events(of: "d1").compactMap(\.step).max() == 23)
        #expect(timeline.state.devices[0].state == .idle)
        #expect(kind.actions.filter { $0.states.contains(.idle) }.map(\.id) == ["start"])
        _ = try timeline.perform(.act(device: "d1", action: "start", with: .null))
        timeline.advance(to: 8_000_000_000)
        #expect(timeline.state.devices[0].state == .connected)
        #expect(
            events(of: "d1", from: 5_000_000_000).contains { $0.text.description.hasPrefix("Heart Rate Measurement: ") }
        )
        _ = try timeline.perform(.act(device: "d1", action: "stop", with: .null))
        timeline.advance(to: 9_000_000_000)
        // A phone that was told to leave does not come back by itself.
        timeline.advance(to: 20_000_000_000)
        #expect(timeline.state.devices[0].state == .idle)
    }

    @Test func aLostWristbandIsFoundAgain() throws {
        timeline.advance(to: 3_000_000_000)
        _ = try timeline.perform(.power(device: "d2", isOn: false))
        timeline.advance(to: 10_000_000_000)
        #expect(events(of: "d1").contains { $0.kind == .error && $0.text.description.hasPrefix("disconnected: ") })
        #expect(timeline.state.devices[0].state == .scanning)
        _ = try timeline.perform(.power(device: "d2", isOn: true))
        timeline.advance(to: 14_000_000_000)
        #expect(timeline.state.devices[0].state == .connected)
        #expect(
            events(of: "d1", from: 12_000_000_000).contains {
                $0.text.description.hasPrefix("Heart Rate Measurement: ")
            })
    }

    @Test func eachStepOfBothSidesHasItsSwift() throws {
        timeline.advance(to: 3_000_000_000)
        _ = try timeline.perform(.act(device: "d1", action: "finish", with: .null))
        timeline.advance(to: 5_000_000_000)
        let steps = timeline.happened(from: 0).events.filter { $0.step != nil }
        #expect(Set(steps.filter { $0.device == "d1" }.compactMap(\.step)) == Set(1...23))
        #expect(steps.allSatisfy { $0.swift != nil })
        #expect(WristbandStep.swift(15) == nil && WristbandStep.swift(0) == nil)
    }

    /// A button that the program does not know would only fail when a person presses it.
    @Test func everyOfferedActionIsPossible() throws {
        let kinds = (WorldProgramKind.standard + Lesson.programs).filter { !$0.actions.isEmpty }
        #expect(kinds.count >= 5)
        for kind in kinds {
            let scene = RoomScene("one") { _ in WorldFile(devices: [WorldFile.Device(running: kind.id, x: 0, y: 0)]) }
            let timeline = try RoomTimeline(programs: [kind], scenes: [scene], scene: "one", seed: 1)
            timeline.advance(to: 100_000_000)
            for action in kind.actions {
                _ = try timeline.perform(.act(device: "d1", action: action.id, with: .null))
                timeline.advance(to: timeline.now + 100_000_000)
            }
        }
    }
}
