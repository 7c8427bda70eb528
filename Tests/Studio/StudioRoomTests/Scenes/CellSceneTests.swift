import Phrases
import Testing

@testable import StudioRoom

/// The claims of the texts about the tours and the cells to try.
@Suite struct CellSceneTests {
    @Test(arguments: [("FF00", true), ("180F", false), ("none", true)])
    func aFilterThatDoesNotMatchHearsNothing(filter: String, finds: Bool) async throws {
        let stage = try SceneStage("try-filter", ["filter": .string(filter)])
        await stage.run(for: .seconds(5))
        #expect(stage.lines(of: "d1").contains { $0.hasPrefix("didDiscover Gadget") } == finds)
    }

    @Test func aTextThatIsNoUUIDIsRefused() throws {
        #expect(throws: PhrasedError.self) { try SceneStage("try-filter", ["filter": "heart"]) }
    }

    @Test(arguments: [
        ("read", ["1", "Writing is not permitted.", "The request is not supported."]),
        ("read write notify", ["1", "written", "on"]),
        ("write", ["Reading is not permitted.", "written", "The request is not supported."]),
    ])
    func thePropertiesDecideWhatTheDelegateHears(properties: String, heard: [String]) async throws {
        let stage = try SceneStage("try-properties", ["properties": .string(properties)])
        await stage.run(for: .seconds(5))
        let prefixes = ["didUpdateValueFor: ", "didWriteValueFor: ", "didUpdateNotificationStateFor: "]
        let lines = prefixes.map { prefix in
            stage.lines(of: "d1").first { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) } ?? "nothing"
        }
        #expect(lines == heard)
    }

    @Test(arguments: [(23, 23), (185, 185), (517, 498)])
    func theSmallerOfferIsTheMTU(offer: Int, mtu: Int) async throws {
        let stage = try SceneStage("try-mtu", ["mtu": .integer(offer)])
        await stage.run(for: .seconds(4))
        #expect(stage.lines(of: "d1").contains { $0.hasSuffix("the ATT_MTU is \(mtu)") }, "\(stage.lines(of: "d1"))")
        #expect(stage.lines(of: "d1").contains { $0.hasPrefix("didUpdateValueFor: 150 octets") })
    }

    @Test func aLongConnectionIntervalMakesReadsSlow() async throws {
        func slowest(_ latency: String) async throws -> Int {
            let stage = try SceneStage("try-interval", ["latency": .string(latency)])
            await stage.run(for: .seconds(12))
            let reads = stage.lines(of: "d1").filter { $0.hasPrefix("didUpdateValueFor: 20 octets after") }
            #expect(reads.count == 5)
            return reads.compactMap { Int($0.split(separator: " ")[4]) }.max() ?? 0
        }
        let (low, medium, high) = (try await slowest("low"), try await slowest("medium"), try await slowest("high"))
        #expect(low < 100 && low < medium && medium < high && high > 200, "\(low), \(medium) and \(high) ms")
    }

    @Test(arguments: ["wall", "walk", "off"]) func aLostLinkIsReportedAfterTheSupervisionTimeout(loss: String)
        async throws
    {
        let stage = try SceneStage("try-drop")
        #expect(await stage.run(until: "didUpdateNotificationStateFor", on: "d1"))
        await stage.run(for: .seconds(2))
        let start = stage.world.now
        try await stage.perform(loss)
        #expect(await stage.run(until: "didDisconnectPeripheral: The connection has timed out", on: "d1"))
        let end = try #require(stage.time(of: "didDisconnectPeripheral", on: "d1"))
        #expect(end - start > .seconds(1.8) && end - start < .seconds(2.2))
    }

    @Test func aDeviceThatComesBackConnectsByItself() async throws {
        let stage = try SceneStage("try-drop")
        #expect(await stage.run(until: "didUpdateNotificationStateFor", on: "d1"))
        try await stage.perform("walk")
        #expect(await stage.run(until: "didDisconnectPeripheral", on: "d1"))
        try await stage.perform("back")
        #expect(await stage.run(until: "didConnect", on: "d1", within: .seconds(2)))
    }

    @Test func theTourOfTheCentralHasTwentyThreeSteps() async throws {
        let stage = try SceneStage("tour-central")
        await stage.run(for: .seconds(20))
        #expect(stage.steps(of: "d1") == Set(1...23))
    }

    @Test func theTourOfThePeripheralHasFourteenSteps() async throws {
        let stage = try SceneStage("tour-peripheral")
        await stage.run(for: .seconds(20))
        #expect(stage.steps(of: "d2") == Set(1...14))
    }

    @Test func scenesAndProgramsHaveTheirOwnNames() {
        #expect(Set(Lesson.scenes.map(\.id)).count == Lesson.scenes.count)
        #expect(Set(Lesson.programs.map(\.id)).count == Lesson.programs.count)
        #expect(Lesson.questions.map(\.id) == (1...14).map { "q\($0)" })
    }

    @Test func linesOfProgramsBecomeCallsAndCallbacks() {
        #expect(SceneRoomProgram.happening("connect").kind == .call)
        #expect(SceneRoomProgram.happening("didConnect: yes").swift == "didConnect")
        #expect(SceneRoomProgram.happening("peripheralDidUpdateName").kind == .callback)
        #expect(SceneRoomProgram.happening("didactic").kind == .note)
        #expect(SceneRoomProgram.happening("paired devices: 1").kind == .note)
    }
}
