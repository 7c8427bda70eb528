import BLEAdapter
import BLEDissection
import Foundation
import StudioExplorer
import StudioRoom
import Testing

@testable import Studio
@testable import StudioServer

/// Equal seeds and equal commands give equal packets and events: in one process, after a step back, and in another process.
struct RepeatabilityTests {
    /// A number for each scene that all of its packets and events determine.
    private typealias Digests = [String: String]

    private static let second: Int64 = 1_000_000_000
    private static let end = 5 * second

    /// The scenes of the room and the lesson, and one with the shipped profiles, a client of them, and an explorer.
    private static let scenes = RoomScene.standard.map(\.id) + Lesson.scenes.map(\.id) + ["profiles"]

    // MARK: The rooms

    /// Runs a scene with its actions, and goes back and forth. Returns what the run determines.
    private static func run(_ scene: String, in studio: Studio, goesBack: Bool) async throws -> String {
        let engine = studio.room.engine
        if scene == "profiles" {
            try await addProfiles(to: studio)
        } else {
            try await engine.perform(waits: true) { try $0.begin(scene: scene, seed: 7, parameters: .null) }
        }
        // An action in each half second.
        var time = second
        for action in Lesson.scene(scene)?.actions ?? [] {
            try await engine.seek(to: time)
            time += second / 2
            for command in action.steps.compactMap(\.command) { _ = try? await studio.room.perform(command) }
        }
        try await engine.seek(to: end)
        guard goesBack else { return try await digest(engine) }
        let before = try await digest(engine)
        try await engine.seek(to: second * 2)
        try await engine.seek(to: 1)
        try await engine.seek(to: end)
        let after = try await digest(engine)
        #expect(after == before, "the scene \(scene) after a step back")
        return after
    }

    /// A scene whose programs publish, subscribe and explore.
    private static func addProfiles(to studio: Studio) async throws {
        let (engine, room) = (studio.room.engine, studio.room)
        try await engine.perform(waits: true) { try $0.begin(scene: "empty", seed: 7, parameters: .null) }
        for (index, program) in ProfilePrograms.all.map(\.id).filter({ $0 != "profile" }).enumerated() {
            _ = try await room.perform(.add(program: program, x: Double(index), y: 1))
        }
        let profile = """
            advertising: {name: Box}
            services:
              - uuid: FFE0
                characteristics:
                  - uuid: FFE1
                    properties: [notify, read]
                    format: u8
                    value: {counter: {minimum: 0, maximum: 200, every: 250 ms}}
                    notify: {every: 250 ms}
                  - {uuid: FFE2, properties: [notify], format: u8, value: {random-walk: {minimum: 0, maximum: 255, step: 9, seed: 4}}, notify: {every: 300 ms}}
            """
        _ = try await room.perform(.add(program: "profile", name: "Box", x: 0, y: 2, profile: profile))
        let added = try await room.perform(.add(program: "explorer", x: 0, y: 0))
        let explorer = try #require(added["id"]?.string)
        try await engine.seek(to: second / 2)
        _ = try await room.perform(.act(device: explorer, action: "scan", with: .null))
        try await engine.seek(to: second * 2)
        studio.hub.touch("explorer.\(explorer)")
        let state = try #require(await studio.hub.value(of: "explorer.\(explorer)", as: ExplorerState.self))
        let devices = state.rows.filter(\.isConnectable).map(\.id).sorted().prefix(4)
        #expect(devices.count > 2)
        for device in devices {
            _ = try await room.perform(.act(device: explorer, action: "connect", with: ["device": .string(device)]))
        }
        try await engine.seek(to: 3 * second)
        for device in devices {
            for place in ["0.0", "0.1", "1.0", "1.1"] {
                let arguments: RoomValue = ["device": .string(device), "attribute": .string(place)]
                // Devices differ in their attributes.
                _ = try? await room.perform(.act(device: explorer, action: "subscribe", with: arguments))
            }
        }
    }

    // MARK: Digests

    private static func digest(_ engine: RoomEngine) async throws -> String {
        try await engine.perform { driver in
            let timeline = driver.timeline
            var digest = Digest()
            timeline.packets.forEach(in: timeline.packets.range) { packet in
                digest.add(packet)
                return true
            }
            for event in timeline.happened(from: 0).events { digest.add("\(event)") }
            // Pages show it; the identifiers of links are those of packets.
            digest.add("\(timeline.state.devices) \(timeline.state.links)")
            return "\(timeline.packetCount) packets, \(timeline.happenedCount) events, \(digest.value)"
        }
    }

    /// FNV-1a with 64 bits.
    private struct Digest {
        private var state: UInt64 = 0xCBF2_9CE4_8422_2325
        var value: String { String(state, radix: 16) }

        mutating func add(_ octets: some Sequence<UInt8>) {
            for octet in octets { state = (state ^ UInt64(octet)) &* 0x0000_0100_0000_01B3 }
        }

        mutating func add(_ number: Int) {
            Swift.withUnsafeBytes(of: UInt64(bitPattern: Int64(number)).littleEndian) { add($0) }
        }

        mutating func add(_ text: String) { add(text.utf8) }

        mutating func add(_ packet: RoomPacket) {
            let (frame, summary) = (packet.frame, packet.summary)
            for number in [
                frame.number, Int(frame.start), Int(frame.airTime), Int(frame.channel), Int(frame.accessAddress),
                Int(frame.crcInit), frame.sender, frame.octets.count, summary.conversation ?? -1,
            ] { add(number) }
            add(frame.octets)
            add(frame.plaintext ?? [])
            for reception in frame.receptions {
                add(Int(reception.receiver))
                add(Int(reception.rssi))
                add([reception.outcome.rawValue])
            }
        }
    }

    /// The digests of this process, made once for all tests.
    private static let ownDigests = Task { try await allDigests() }

    /// Runs one scene after the other in one studio.
    private static func allDigests() async throws -> Digests {
        let studio = Studio()
        var digests: Digests = [:]
        // The first scene, too, has another room before it.
        _ = try await run("empty", in: studio, goesBack: false)
        for scene in scenes { digests[scene] = try await run(scene, in: studio, goesBack: false) }
        return digests
    }

    // MARK: Tests

    @Test(.timeLimit(.minutes(10)), arguments: scenes) func aStepBackRepeatsTheRun(scene: String) async throws {
        let digest = try await Self.run(scene, in: Studio(), goesBack: true)
        // A studio that had other rooms before has the same run.
        #expect(try await Self.ownDigests.value[scene] == digest)
    }

    @Test(.timeLimit(.minutes(10))) func anotherProcessHasTheSameRuns() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let text = try String(decoding: JSONEncoder().encode(await RepeatabilityTests.allDigests()), as: UTF8.self)
            print("\nDIGESTS \(text)")
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("DIGESTS ") })
        let other = try JSONDecoder().decode(Digests.self, from: Data(line.dropFirst(8).utf8))
        let own = try await Self.ownDigests.value
        #expect(own.count == Self.scenes.count)
        for scene in Self.scenes { #expect(other[scene] == own[scene], "the scene \(scene)") }
        // Each scene but the empty one has packets.
        #expect(own.values.count { $0.hasPrefix("0 packets") } == 1)
    }
}
