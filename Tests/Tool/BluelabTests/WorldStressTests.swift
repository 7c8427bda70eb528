import BLESimulator
import DeviceFiles
import Testing
import WorldFiles

@testable import bluelab

/// `bluelab test --stress`.
@MainActor
struct WorldStressTests {
    private func command(_ arguments: String...) throws -> TestCommand { try TestCommand.parse(["w"] + arguments) }

    private func file(_ expectation: String, stress: UInt64?) throws -> WorldFile {
        let text = """
            world: 1
            devices:
              - {id: phone, program: walkthrough, at: [-1, 0]}
              - {id: band, program: wristband, at: [1, 0]}
            expect: [\(expectation)]
            """
        var file = try WorldFile(text: text, file: "w")
        file.stress = stress
        return file
    }

    private func isPassed(_ file: WorldFile, _ stress: Stress? = nil) async throws -> Bool {
        let world = try WorldChoice.make(file, "w", seed: nil, stress: stress)
        return try await WorldTestRun(file: file, path: "w", world: world, limit: .seconds(60)).run { _, _, _ in }
            .isPassed
    }

    /// A seed with one late start of more than a second, and other faults that do not delay a link.
    private func lateSeed() throws -> (seed: UInt64, late: Stress.Entry) {
        for seed in 0..<10_000 as Range<UInt64> {
            let entries = Stress(seed: seed, devices: ["phone", "band"]).entries
            let late = entries.filter { $0.fault.kind == .lateStart }
            if entries.count >= 3, late.count == 1, case .lateStart(let delay) = late[0].fault, delay > .seconds(1) {
                return (seed, late[0])
            }
        }
        throw ToolError(.failed, "no seed has these faults.")
    }

    @Test func theSmallestSetOfFaultsIsFound() async throws {
        let (seed, late) = try lateSeed()
        let file = try file("{link: [phone, band], within: 900 ms}", stress: seed)
        #expect(try await !isPassed(file))
        #expect(try await isPassed(file, Stress([])))
        let command = try command("--stress", "\(seed)")
        #expect(command.stress == seed)
        let world = try WorldChoice.make(file, "w", seed: nil)
        let smallest = try await command.smallestFaults(file, "w", world)
        #expect(smallest == Stress([late]))
        #expect(
            command.repetition(file, "w", world, smallest) == [
                "Repeat this run: bluelab test w --seed 0 --stress \(seed)", "These faults are enough: \(late)",
            ])
        #expect(file.stressLine(in: world) == "stress \(seed): \(Stress(seed: seed, devices: ["phone", "band"]))")
        let record = WorldRecord(file, "w", world, WorldTestRun.Result(), smallest)
        #expect(record.stress == seed && record.faults?.count == world.scene?.stress?.entries.count)
        #expect(record.smallestFaults == [late.description])
    }

    @Test func aWorldThatIsBrokenAnywaySaysSo() async throws {
        let file = try file("{no-link: [phone, band], at: 5 s}", stress: 1)
        let command = try command("--stress", "1", "--seed", "7", "--until", "9")
        let world = try WorldChoice.make(file, "w", seed: 7)
        let smallest = try await command.smallestFaults(file, "w", world)
        #expect(smallest == Stress([]))
        #expect(
            command.repetition(file, "w", world, smallest) == [
                "Repeat this run: bluelab test w --seed 7 --stress 1 --until 9",
                "A check is broken without these faults, too.",
            ])
    }

    @Test func aWorldWithoutAStressHasNoFaults() async throws {
        let file = try file("{no-link: [phone, band], at: 5 s}", stress: nil)
        let world = try WorldChoice.make(file, "w", seed: nil)
        #expect(try await command().smallestFaults(file, "w", world) == nil)
        #expect(try command().repetition(file, "w", world, nil) == [])
        #expect(file.stressLine(in: world) == nil)
        let record = WorldRecord(file, "w", world, WorldTestRun.Result(), nil)
        #expect(record.stress == nil && record.faults == nil && record.smallestFaults == nil)
        // Without a device that could have one, a stress has no faults.
        let empty = try WorldFile(text: "world: 1\nstress: 3\ndevices: [{id: door, program: beacon}]", file: "w")
        let emptyWorld = try WorldChoice.make(empty, "w", seed: 7)
        #expect(empty.stressLine(in: emptyWorld) == "stress 3: no faults")
        let smallest = try await command().smallestFaults(empty, "w", emptyWorld)
        #expect(smallest == nil)
        #expect(
            try command().repetition(empty, "w", emptyWorld, smallest)
                == ["Repeat this run: bluelab test w --seed 7 --stress 3"])
        #expect(throws: (any Error).self) { try command("--stress", "-1") }
    }
}
