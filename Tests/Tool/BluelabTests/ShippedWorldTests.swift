import Foundation
import TestConditions
import Testing
import WorldFiles

@testable import bluelab

/// The worlds of the folder `Worlds`, with their scripts, as `bluelab test` runs them.
@MainActor
@Suite struct ShippedWorldTests {
    nonisolated static let paths: [String] = {
        let folder = projectRoot.appending(path: "Worlds").path
        let names = FileManager.default.enumerator(atPath: folder)?.compactMap { $0 as? String } ?? []
        return names.filter { $0.hasSuffix(".world.yaml") }.sorted()
    }()

    @Test func eachQuestionHasAWorld() {
        let numbers = Self.paths.filter { $0.hasPrefix("questions/") }.map {
            String($0.dropFirst("questions/".count).prefix(2))
        }
        #expect(numbers == (101...114).map { String(String($0).dropFirst()) })
    }

    /// A shipped world names no file: profiles of this tool, and scripts of its own.
    @Test func theWorldsOfTheToolAreThoseOfTheFolder() throws {
        let files = Self.paths.filter { !$0.contains("/") }
        #expect(files == ShippedWorlds.all.map { "\($0.name).world.yaml" })
        let help = TestCommand.configuration.discussion
        for (name, text) in ShippedWorlds.all {
            #expect(try WorldChoice.read(name) == WorldFile(text: text, file: name))
            #expect(help.contains(name))
        }
        let failure = #expect(throws: ToolError.self) { try WorldChoice.read("corrido") }
        #expect(failure?.kind == .usage)
        #expect(
            failure?.lines.dropFirst().first
                == "Did you mean corridor? The worlds are corridor, factory, office, readme.")
        #expect(try WorldChoice.shipped("corridor.world.yaml") == nil && WorldChoice.shipped("./corridor") == nil)
    }

    @Test(arguments: paths) func allStepsAndExpectationsHold(name: String) async throws {
        let path = projectRoot.appending(path: "Worlds/\(name)").path
        let file = try WorldChoice.read(path)
        let world = try WorldChoice.make(file, path, seed: nil)
        let run = WorldTestRun(file: file, path: path, world: world, limit: WorldTestRun.longest)
        let result = try await run.run { _, _, _ in }
        #expect(result.all.count >= 2)
        for step in result.all { #expect(step.isPassed, "\(name):\(step.line): \(step.text): \(step.outcome)") }
    }

    /// What an expectation finds at the time of an event is what the event and the scripts after it have done, and not where the run happened to stop.
    @Test func anExpectationIsDecidedAfterTheEventsOfItsTime() async throws {
        let text = """
            world: 1
            devices:
              - {id: phone, on: false, script: [{scan: Pulse}, {sleep: 5 s}, {scan: {name: Pulse, within: 1 s}}]}
              - {id: sensor, profile: heart-rate, at: [3, 0]}
            events:
              - {at: 5 s, power: phone, on: true}
            expect:
              - {state: phone, is: scanning, after: 5 s, within: 1 s}
            """
        let file = try WorldFile(text: text, file: "w")
        for _ in 0..<30 {
            let run = WorldTestRun(
                file: file, path: "w", world: try WorldChoice.make(file, "w", seed: nil), limit: WorldTestRun.longest)
            let result = try await run.run { _, _, _ in }
            #expect(result.all.last?.duration == .seconds(5) && result.isPassed)
        }
    }

    /// Scripts whose waits end at the same time go on in the order in which the waits began.
    @Test func scriptsActInTheSameOrderInEachRun() async throws {
        let steps = "[{sleep: 1 s}, {scan: {absent: true, within: 1 s}}, {sleep: 1 s}]"
        let text = "world: 1\ndevices:\n" + (1...4).map { "  - {id: p\($0), script: \(steps)}\n" }.joined()
        let file = try WorldFile(text: text, file: "w")
        for _ in 0..<30 {
            var order: [String] = []
            let run = WorldTestRun(
                file: file, path: "w", world: try WorldChoice.make(file, "w", seed: nil), limit: WorldTestRun.longest)
            _ = try await run.run { device, _, result in order.append("\(device ?? "") \(result.number)") }
            #expect(order == (1...3).flatMap { step in (1...4).map { "p\($0) \(step)" } })
        }
    }
}
