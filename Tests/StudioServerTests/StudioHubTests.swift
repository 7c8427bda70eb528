import Foundation
import StudioPhrases
import Testing

@testable import StudioServer

@Suite struct StudioHubTests {
    @Test func aTopicHasANewVersionAfterATouch() async {
        let hub = StudioHub()
        hub.addTopic("time") { JSONText("1") }
        let before = hub.version(of: "time")
        hub.touch("time")
        #expect(hub.version(of: "time") != before)
        #expect(await hub.text(of: "time")?.text == JSONText("1"))
    }

    @Test func aTopicThatIsAddedAgainHasAnotherVersion() {
        let hub = StudioHub()
        hub.addTopic("explorer.d1") { JSONText("1") }
        let before = hub.version(of: "explorer.d1")
        hub.removeTopic("explorer.d1")
        #expect(hub.version(of: "explorer.d1") == nil)
        hub.addTopic("explorer.d1") { JSONText("2") }
        #expect(hub.version(of: "explorer.d1") != before)
    }

    @Test func aTextIsEncodedOnceForEachVersion() async {
        let hub = StudioHub()
        let count = Counter()
        hub.addTopic("room") { JSONText("\(count.increment())") }
        #expect(await hub.text(of: "room")?.text.text == "1")
        #expect(await hub.text(of: "room")?.text.text == "1")
        hub.touch("room")
        #expect(await hub.text(of: "room")?.text.text == "2")
    }

    @Test func aCommandOfTheProgramRunsAsOneOfThePage() async throws {
        struct Move: Codable, Sendable { var device: String }
        let hub = StudioHub()
        let moves = Counter()
        hub.on("room.move") { (move: Move) in
            if move.device == "d1" { moves.increment() }
            return Nothing()
        }
        try await hub.run("room.move", Move(device: "d1"))
        #expect(moves.value == 1)
        await #expect(throws: StudioFailure.unknownCommand("room.fly")) {
            try await hub.run("room.fly", Nothing())
        }
    }

    @Test(
        arguments: [([50], 0, 50), ([50, 80], 0, 50), ([50, 80], 1, 80), ([50, 80], 2, nil), ([80, 50], 0, 50)]
            as [([Int], Int, Int?)])
    func theLowestOfTheUnknownResetsCounts(_ resets: [Int], _ known: Int, _ expected: Int?) {
        var kept = StreamResets()
        for reset in resets { kept.append(reset) }
        #expect(kept.lowest(after: known) == expected)
    }

    @Test func aPageThatMissedMoreResetsThanAreKeptDropsAllItems() {
        var kept = StreamResets()
        for _ in 0...StreamResets.limit { kept.append(7) }
        #expect(kept.lowest(after: 0) == 0)
        #expect(kept.lowest(after: 1) == 7)
    }
}
