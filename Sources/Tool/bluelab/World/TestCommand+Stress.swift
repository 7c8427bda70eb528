import BLERuntime
import BLESimulator
import WorldFiles

extension WorldFile {
    /// The faults that the devices have from the start, as a line; nil for a world without a stress.
    func stressLine(in world: World) -> String? {
        guard let stress else { return nil }
        let faults = world.scene?.stress?.description ?? ""
        return faults.isEmpty ? say("stress \(stress): no faults") : say("stress \(stress): \(faults)")
    }
}

extension TestCommand {
    /// The smallest set of the faults of a world with which a check is broken, by further runs; nil for a world without such faults.
    @MainActor
    func smallestFaults(_ file: WorldFile, _ path: String, _ world: World) async throws -> Stress? {
        guard file.stress != nil, let faults = world.scene?.stress, !faults.entries.isEmpty else { return nil }
        return try await faults.shrunk { stress in
            let run = WorldTestRun(
                file: file, path: path, world: try WorldChoice.make(file, path, seed: seed, stress: stress),
                limit: until ?? WorldTestRun.longest)
            return try await !run.run { _, _, _ in }.isPassed
        }
    }

    /// What helps with a world that has a broken check and a stress.
    func repetition(_ file: WorldFile, _ path: String, _ world: World, _ smallest: Stress?) -> [String] {
        guard let stress = file.stress else { return [] }
        let limit = until.map { " --until \(number($0 / .seconds(1)))" } ?? ""
        let repetition = "bluelab test \(ShellWord.quoted(path)) --seed \(world.seed) --stress \(stress)\(limit)"
        var lines = [say("Repeat this run: \(repetition)")]
        if let smallest {
            lines.append(
                smallest.entries.isEmpty
                    ? say("A check is broken without these faults, too.")
                    : say("These faults are enough: \(smallest)"))
        }
        return lines
    }
}
