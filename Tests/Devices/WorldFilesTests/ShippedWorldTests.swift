import BLESimulator
import Foundation
import TestConditions
import Testing

@testable import WorldFiles

/// The worlds of the folder `Worlds`. Those of `questions` consist of scripts, which a test of the tool runs.
struct ShippedWorldTests {
    static let paths = worlds("Worlds")
    static let questions = worlds("Worlds/questions")

    private static func worlds(_ path: String) -> [String] {
        let folder = projectRoot.appending(path: path).path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.filter { $0.hasSuffix(".world.yaml") }.sorted().map { "\(folder)/\($0)" }
    }

    @Test func theFoldersHaveWorlds() { #expect(Self.paths.count >= 4 && Self.questions.count == 14) }

    /// Expectations that no script of the world has a part in; `bluelab test` runs the scripts.
    @Test(arguments: paths) func whatItExpectsHappens(path: String) async throws {
        let scripts = try WorldFile(path: path).devices.compactMap { device in
            if case .scripts = device.body { device.id } else { nil }
        }
        let world = try World(contentsOf: URL(filePath: path))
        let broken = await world.brokenExpectations().filter { line in
            !scripts.contains { line.contains("[\($0),") || line.contains(", \($0)]") }
        }
        #expect(broken == [])
        #expect(world.scene?.failures.isEmpty == true)
    }

    @Test(arguments: paths + questions) func whatIsWrittenReadsBack(path: String) throws {
        let world = try WorldFile(path: path)
        #expect(try WorldFile(text: world.yaml, file: path) == world)
    }

    /// The devices are those that the commands of a shared radio list.
    @Test func usersOfARadioSeeTheDevices() async throws {
        let world = try World(contentsOf: projectRoot.appending(path: "Worlds/readme.world.yaml"))
        await world.run(for: .milliseconds(10))
        #expect(world.radio.inspect { $0.devices.map(\.name) } == ["wristband", "laptop", "mobike", "beacon"])
    }

    /// A million virtual device-seconds of beacons: 10,000 devices are a world that runs.
    @Test func tenThousandDevicesRun() async throws {
        let text = """
            devices:
              - {id: a, count: 10000, grid: {columns: 100, spacing: 3}, beacon: {name: "N${n}", interval: 10 s}}
            """
        let world = try WorldFilesTests.world(text)
        await world.run(for: .milliseconds(100))
        #expect(world.scene?.devices.count == 10_000)
    }
}
