import BLEAdapter
import BLEPacketDecoding
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
    private static let end = 4 * second

    /// The scenes of the room and the lesson, and one with the shipped profiles, a client of them, and an explorer.
    private static let scenes = RoomScene.standard.map(\.id) + Lesson.scenes.map(\.id) + ["profiles"]

    // MARK: The rooms

    /// Runs a scene with its actions. Returns what the run determines.
    private static func run(_ scene: String, in studio: Studio) async throws -> String {
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
        return try await digest(engine)
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

    /// Each scene in a new studio of this process, made once for all tests: its digest, and that after a step back.
    private static let newRuns = Dictionary(
        uniqueKeysWithValues: scenes.map { scene in
            (
                scene,
                Task {
                    let studio = Studio()
                    let first = try await run(scene, in: studio)
                    for time in [2 * second, 1, end] { try await studio.room.engine.seek(to: time) }
                    return (first: first, again: try await digest(studio.room.engine))
                }
            )
        })

    /// Runs one scene after the other in one studio.
    private static func allDigests() async throws -> Digests {
        let studio = Studio()
        var digests: Digests = [:]
        // The first scene, too, has another room before it.
        _ = try await run("empty", in: studio)
        for scene in scenes { digests[scene] = try await run(scene, in: studio) }
        return digests
    }

    // MARK: Tests

    @Test(.timeLimit(.minutes(10)), arguments: scenes) func aStepBackRepeatsTheRun(scene: String) async throws {
        let run = try #require(try await Self.newRuns[scene]?.value)
        #expect(run.again == run.first)
    }

    /// The rooms of the other process are those of one studio, so each had other rooms before.
    @Test(.timeLimit(.minutes(10))) func anotherProcessHasTheSameRuns() async throws {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let text = try String(decoding: JSONEncoder().encode(await RepeatabilityTests.allDigests()), as: UTF8.self)
            print("\nDIGESTS \(text)")
        }
        let output = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
        let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("DIGESTS ") })
        let other = try JSONDecoder().decode(Digests.self, from: Data(line.dropFirst(8).utf8))
        #expect(other.count == Self.scenes.count)
        for scene in Self.scenes {
            let own = try #require(try await Self.newRuns[scene]?.value)
            #expect(other[scene] == own.first, "the scene \(scene)")
        }
        // Each scene but the empty one has packets.
        #expect(other.values.count { $0.hasPrefix("0 packets") } == 1)
    }
}
