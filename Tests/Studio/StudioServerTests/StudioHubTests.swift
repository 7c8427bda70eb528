import Foundation
import Phrases
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
        await #expect(throws: PhrasedError.unknownCommand("room.fly")) {
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

    /// 64 resets are kept.
    @Test func theLastResetsAreKept() {
        var kept = StreamResets()
        #expect(kept.count == 0 && kept.lowest(after: 0) == nil)
        for number in 1...200 {
            kept.append(1_000 - number)
            #expect(kept.count == number && kept.lowest(after: number) == nil)
            #expect(kept.lowest(after: number - 1) == 1_000 - number)
            let missed = min(number, StreamResets.limit)
            #expect(kept.lowest(after: number - missed) == 1_000 - number)
            if number > StreamResets.limit { #expect(kept.lowest(after: number - StreamResets.limit - 1) == 0) }
        }
        // A position before the beginning is the beginning.
        kept.append(-5)
        #expect(kept.lowest(after: 200) == 0)
    }

    /// A stream whose items are the positions, up to 100 of them.
    private func numbers(reset: Int? = nil) -> StudioHub.Items {
        { position, limit in
            let end = min(100, position + limit)
            return StreamBatch(
                items: (position..<max(position, end)).map { JSONText("\($0)") }, next: max(position, end), reset: reset
            )
        }
    }

    @Test func aPageContinuesAtItsPositionAndDropsWhatBeganAgain() async throws {
        let hub = StudioHub()
        #expect(await hub.items(of: "packets", after: nil, limit: 10) == nil)
        hub.addStream("packets", numbers())
        // The first batch drops what the page had.
        let first = try #require(await hub.items(of: "packets", after: nil, limit: 10))
        #expect(first.batch.items.map(\.text) == (0..<10).map(String.init) && first.batch.reset == 0)
        #expect(first.position == StreamPosition(next: 10, resets: 0))
        let second = try #require(await hub.items(of: "packets", after: first.position, limit: 10))
        #expect(second.batch.items.first?.text == "10" && second.batch.reset == nil)
        #expect(second.position == StreamPosition(next: 20, resets: 0))
        // Two resets: one before the position of the page, and one after it.
        hub.resetStream("packets", to: 7)
        hub.resetStream("packets", to: 50)
        hub.resetStream("nothing", to: 0)
        let third = try #require(await hub.items(of: "packets", after: second.position, limit: 10))
        #expect(third.batch.items.first?.text == "7" && third.batch.reset == 7)
        #expect(third.position == StreamPosition(next: 17, resets: 2))
        let fourth = try #require(await hub.items(of: "packets", after: third.position, limit: 10))
        #expect(fourth.batch.items.first?.text == "17" && fourth.batch.reset == nil)
        // A reset beyond the position leaves the position.
        hub.resetStream("packets", to: 90)
        let fifth = try #require(await hub.items(of: "packets", after: fourth.position, limit: 10))
        #expect(fifth.batch.items.first?.text == "27" && fifth.batch.reset == 90)
        // The stream's own reset counts as well, if it is lower.
        hub.addStream("packets", numbers(reset: 3))
        let sixth = try #require(await hub.items(of: "packets", after: fifth.position, limit: 10))
        #expect(sixth.batch.items.first?.text == "0" && sixth.batch.reset == 0)
        let seventh = try #require(await hub.items(of: "packets", after: sixth.position, limit: 10))
        #expect(seventh.batch.items.first?.text == "10" && seventh.batch.reset == 3)
    }

    @Test func aChangeWakesEachOpenPageOnce() {
        let hub = StudioHub()
        final class Client {}
        let (one, other) = (Client(), Client())
        let (first, second) = (Counter(), Counter())
        #expect(hub.pageCount == 0)
        hub.attach(one) { first.increment() }
        hub.attach(other) { second.increment() }
        #expect(hub.pageCount == 2)
        let changes: [(StudioHub) -> Void] = [
            { $0.addTopic("time") { JSONText("1") } }, { $0.touch("time") },
            { $0.addStream("packets", self.numbers()) },
            { $0.touchStream("packets") }, { $0.resetStream("packets", to: 1) },
        ]
        for (number, change) in changes.enumerated() {
            change(hub)
            #expect(first.value == number + 1 && second.value == number + 1)
        }
        // Nothing has changed.
        hub.touch("nothing")
        hub.removeTopic("time")
        hub.touch("time")
        #expect(first.value == changes.count)
        hub.detach(one)
        hub.detach(one)
        #expect(hub.pageCount == 1)
        hub.touchStream("packets")
        #expect(first.value == changes.count && second.value == changes.count + 1)
    }

    @Test func theProgramReadsATopic() async throws {
        struct Room: Codable, Hashable { var devices: Int }
        let hub = StudioHub()
        hub.addTopic("room") { JSONText(#"{"devices":3}"#) }
        #expect(await hub.value(of: "room", as: Room.self) == Room(devices: 3))
        #expect(await hub.value(of: "room", as: Int.self) == nil)
        #expect(await hub.value(of: "nothing", as: Room.self) == nil)
        hub.on("room.add") { (room: Room) in room }
        try await hub.run("room.add", Room(devices: 1))
        let error = await #expect(throws: PhrasedError.self) { try await hub.run("room.add", Nothing()) }
        #expect(error?.code == "arguments")
        hub.addFile("a-b_c.9") { StudioFile(name: "a", content: Data([1])) }
        #expect(hub.file("a-b_c.9") != nil)
        hub.removeFile("a-b_c.9")
        #expect(hub.file("a-b_c.9") == nil)
    }

    /// A text that was encoded late does not take the place of a newer one.
    @Test func anOlderTextDoesNotReplaceANewerOne() async {
        let hub = StudioHub()
        let (started, gate, count) = (Gate(), Gate(), Counter())
        hub.addTopic("room") {
            let number = count.increment()
            // The first snapshot takes longer than the second.
            if number == 1 {
                started.open()
                await gate.wait()
            }
            return JSONText("\(number)")
        }
        async let late = hub.text(of: "room")
        await started.wait()
        hub.touch("room")
        #expect(await hub.text(of: "room")?.text.text == "2")
        gate.open()
        #expect(await late?.text.text == "1")
        #expect(await hub.text(of: "room")?.text.text == "2" && count.value == 2)
    }

    @Test func theNamesOfFilesHaveFewOctets() {
        let allowed = Set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_".utf8)
        for octet in UInt8.min...UInt8.max {
            #expect(StudioHub.isFileNameOctet(octet) == allowed.contains(octet), "\(octet)")
        }
    }

    @Test func theWordsOfFailures() {
        let name = String(repeating: "x", count: 100)
        let unknown = PhrasedError.unknownCommand(name)
        #expect(unknown.description == "The studio has no command \(name.prefix(64)).")
        #expect(unknown.code == "unknown-command" && unknown.next?.description == "Load the page again.")
    }
}
