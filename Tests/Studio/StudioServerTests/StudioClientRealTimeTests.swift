import BLEAdapter
import Foundation
import Phrases
import Testing

@testable import StudioServer

@Suite(.timeLimit(.minutes(10))) struct StudioClientRealTimeTests {
    @Test func aPageGetsTheValueOfATopicAtOnceAndAfterEachChange() async throws {
        let hub = StudioHub()
        let value = Counter()
        hub.addTopic("time") { JSONText("\(value.value)") }
        let page = TestPage(hub)
        await page.watch("time")
        #expect(try await page.update(1).push == [.init(topic: "time", data: .number(0))])
        value.set(5)
        hub.touch("time")
        #expect(try await page.update(2).push == [.init(topic: "time", data: .number(5))])
    }

    @Test func aPageThatSleepsGetsThreeUpdatesAndThenTheLatestValueAlone() async throws {
        let hub = StudioHub()
        let value = Counter()
        hub.addTopic("time") { JSONText("\(value.value)") }
        let page = TestPage(hub)
        await page.watch("time")
        for number in 1...3 {
            _ = try await page.update(number)
            value.increment()
            hub.touch("time")
        }
        for _ in 0..<1000 {
            value.increment()
            hub.touch("time")
        }
        // The reply shows that the client is not held up.
        await page.do(1, "studio.ping")
        #expect(try await page.reply(1).failed == nil)
        #expect(page.all.compactMap(\.update).max() == 3)
        await page.acknowledge(3)
        #expect(try await page.update(4).push == [.init(topic: "time", data: .number(1003))])
    }

    @Test func noChangeIsLostBetweenUpdates() async throws {
        let hub = StudioHub()
        let value = Counter()
        hub.addTopic("time") { JSONText("\(value.value)") }
        let page = TestPage(hub)
        await page.watch("time")
        // Each change comes at another moment of the update before it: before, during and after the interval.
        for number in 1...20 {
            _ = try await page.update(number)
            await page.acknowledge(number)
            // check-tests: wait: another moment in each round; any moment is right, and none is waited for.
            try await Task.sleep(for: .milliseconds(number * 2))
            value.increment()
            hub.touch("time")
            let expected = value.value
            _ = try await page.message { $0.push?.contains { $0.data == .number(expected) } == true }
        }
    }

    @Test func anAcknowledgementOfTheFutureIsNoAcknowledgement() async throws {
        let hub = StudioHub()
        let value = Counter()
        hub.addTopic("time") { JSONText("\(value.value)") }
        let page = TestPage(hub)
        await page.acknowledge(1_000_000)
        await page.watch("time")
        for number in 1...3 {
            _ = try await page.update(number)
            value.increment()
            hub.touch("time")
        }
        await page.acknowledge(-7)
        await page.do(1, "studio.ping")
        _ = try await page.reply(1)
        #expect(page.all.compactMap(\.update).max() == 3)
    }

    @Test func aTopicThatIsReplacedIsSentAgain() async throws {
        let hub = StudioHub()
        hub.addTopic("explorer.d1") { JSONText("1") }
        let page = TestPage(hub)
        await page.watch("explorer.d1")
        _ = try await page.update(1)
        hub.removeTopic("explorer.d1")
        hub.addTopic("explorer.d1") { JSONText("2") }
        #expect(try await page.update(2).push == [.init(topic: "explorer.d1", data: .number(2))])
    }

    @Test func twoPagesHaveTheirOwnPositions() async throws {
        let hub = StudioHub()
        let numbers = Numbers(count: 3)
        hub.addStream("packets", numbers.items)
        let (one, other) = (TestPage(hub), TestPage(hub))
        await one.watch("packets")
        #expect(
            try await one.update(1).push == [
                .init(stream: "packets", data: .numbers([0, 1, 2]), next: 3, missed: 0, reset: 0)
            ])
        numbers.grow(to: 5)
        hub.touchStream("packets")
        #expect(try await one.update(2).push == [.init(stream: "packets", data: .numbers([3, 4]), next: 5, missed: 0)])
        await other.watch("packets")
        #expect(
            try await other.update(1).push
                == [.init(stream: "packets", data: .numbers([0, 1, 2, 3, 4]), next: 5, missed: 0, reset: 0)])
    }

    @Test func aResetReachesAPageThatReadsOnlyAfterTheStreamHasGrownAgain() async throws {
        let hub = StudioHub()
        let numbers = Numbers(count: 10)
        hub.addStream("packets", numbers.items)
        let page = TestPage(hub)
        await page.watch("packets")
        _ = try await page.update(1)
        // Back to 4, and beyond the page's position, before the page reads again.
        numbers.restart(at: 4, to: 12)
        hub.resetStream("packets", to: 4)
        let push = try #require(try await page.update(2).push?.first)
        #expect(
            push == .init(stream: "packets", data: .numbers((4..<12).map { $0 + 1000 }), next: 12, missed: 0, reset: 4))
    }

    @Test func aBusyStreamComesInSeveralUpdatesAndCountsWhatIsNoLongerKept() async throws {
        let hub = StudioHub()
        let numbers = Numbers(count: 5000, kept: 2500)
        hub.addStream("packets", numbers.items)
        let page = TestPage(hub)
        await page.watch("packets")
        var (next, got, missed) = (0, 0, 0)
        for number in 1...3 {
            let push = try #require(try await page.update(number).push?.first)
            await page.acknowledge(number)
            guard case .numbers(let items) = push.data else { throw TestError("no items") }
            #expect(items.count == [1000, 1000, 500][number - 1])
            got += items.count
            missed += push.missed ?? 0
            next = push.next ?? 0
        }
        #expect((next, got, missed) == (5000, 2500, 2500))
    }

    @Test func commandsOfAPartStartInTheirOrder() async throws {
        let hub = StudioHub()
        let order = Lock<[Int]>([])
        hub.on("room.move") { (number: Int) in
            // Without an order the first ones would end last.
            // check-tests: wait: the commands take times in the opposite order; the test waits for their replies.
            try await Task.sleep(for: .milliseconds(10 - number))
            order.withLock { $0.append(number) }
            return Nothing()
        }
        let page = TestPage(hub)
        for number in 0..<10 { await page.do(number, "room.move", "\(number)") }
        _ = try await page.reply(9)
        #expect(order.withLock { $0 } == Array(0..<10))
    }

    @Test func aLongCommandHoldsUpNeitherItsPartNorUpdates() async throws {
        let hub = StudioHub()
        let gate = Gate()
        hub.addTopic("time") { JSONText("1") }
        hub.on("time.seek") { (_: Nothing) in
            await gate.wait()
            return Nothing()
        }
        hub.on("time.pause") { (_: Nothing) in
            gate.open()
            return Nothing()
        }
        let page = TestPage(hub)
        await page.do(1, "time.seek")
        await page.watch("time")
        _ = try await page.update(1)
        await page.do(2, "time.pause")
        _ = try await page.reply(1)
        _ = try await page.reply(2)
    }

    @Test func aPageHasABoundedNumberOfCommands() async throws {
        let hub = StudioHub()
        let gate = Gate()
        hub.on("room.wait") { (_: Nothing) in
            await gate.wait()
            return Nothing()
        }
        let page = TestPage(hub)
        for number in 0...64 { await page.do(number, "room.wait") }
        #expect(try await page.reply(64).failed?.code == "busy")
        gate.open()
        for number in 0..<64 { #expect(try await page.reply(number).failed == nil) }
        await page.do(1000, "room.wait")
        #expect(try await page.reply(1000).failed == nil)
    }

    @Test func aPageWatchesABoundedNumberOfTopics() async throws {
        let hub = StudioHub()
        for number in 0..<100 { hub.addTopic("t\(number)") { JSONText("\(number)") } }
        let page = TestPage(hub)
        await page.send(#"{"watch":\#((0..<100).map { "t\($0)" })}"#)
        #expect(try await page.update(1).push?.count == 64)
    }

    @Test func aPageThatWatchesAgainGetsAllOfItAgain() async throws {
        let hub = StudioHub()
        hub.addTopic("time") { JSONText("1") }
        hub.addStream("packets", Numbers(count: 3).items)
        let page = TestPage(hub)
        for round in 0..<3 {
            await page.watch("time", "packets")
            let update = try await page.update(round + 1)
            #expect(
                update.push == [
                    .init(topic: "time", data: .number(1)),
                    .init(stream: "packets", data: .numbers([0, 1, 2]), next: 3, missed: 0, reset: 0),
                ], "round \(round)")
            await page.acknowledge(round + 1)
            await page.send(#"{"watch":[]}"#)
            // A change that nobody watches is no update.
            hub.touch("time")
            await page.do(round, "studio.ping")
            _ = try await page.reply(round)
        }
        // What stays watched is not sent again.
        await page.watch("time")
        _ = try await page.update(4)
        await page.acknowledge(4)
        await page.watch("time", "packets")
        #expect(try await page.update(5).push?.map(\.stream) == ["packets"])
        #expect(page.all.compactMap(\.update) == [1, 2, 3, 4, 5])
    }

    /// Names have 256 octets at most.
    @Test func aLongNameIsNotWatched() async throws {
        let hub = StudioHub()
        for count in [256, 257] { hub.addTopic(String(repeating: "x", count: count)) { JSONText("\(count)") } }
        let page = TestPage(hub)
        await page.watch(String(repeating: "x", count: 257), String(repeating: "x", count: 256))
        #expect(try await page.update(1).push?.map(\.data) == [.number(256)])
    }

    @Test(arguments: [
        "", "{", "null", "[]", "7", #"{"ack":"1"}"#, #"{"ack":1e400}"#, #"{"id":1,"do":7}"#,
        String(repeating: "[", count: 500_000),
        #"{"with":"# + String(repeating: #"{"a":"#, count: 100_000), "{\"id\":\u{0}}",
    ])
    func aMessageThatIsNotUnderstoodIsAnswered(_ text: String) async throws {
        let page = TestPage(StudioHub())
        await page.send(text)
        #expect(try await page.message { _ in true }.failed?.code == "message")
    }

    @Test func anErrorOfACommandReachesThePageWithItsWords() async throws {
        struct StubError: Error, CustomStringConvertible { var description: String { #"no "<script>" here"# } }
        let hub = StudioHub()
        hub.on("room.fail") { (_: Nothing) -> Nothing in throw StubError() }
        hub.on("room.refuse") { (_: Nothing) -> Nothing in
            throw PhrasedError("wall", Phrase(data: "The wall has no length."))
        }
        let page = TestPage(hub)
        await page.do(1, "room.fail")
        #expect(try await page.reply(1).failed?.text.description == #"room.fail failed: no "<script>" here"#)
        await page.do(2, "room.refuse")
        #expect(try await page.reply(2).failed == .init(code: "wall", text: Phrase(data: "The wall has no length.")))
        hub.on("room.count") { (count: Int) in count }
        await page.do(3, "room.count", #""<b>""#)
        #expect(try await page.reply(3).failed?.code == "arguments")
        await page.do(4, "nothing")
        #expect(try await page.reply(4).failed?.code == "unknown-command")
    }
}

/// A stream of the numbers from 0 on.
private final class Numbers: Sendable {
    private struct State {
        var values: [Int]
        var first: Int
    }

    private let state: Lock<State>

    /// - Parameter kept: The number of items that are kept.
    init(count: Int, kept: Int = .max) { state = Lock(State(values: Array(0..<count), first: max(0, count - kept))) }

    func grow(to count: Int) { state.withLock { $0.values += $0.values.count..<count } }

    func restart(at position: Int, to count: Int) {
        state.withLock { $0.values = Array($0.values[..<position]) + (position..<count).map { $0 + 1000 } }
    }

    @Sendable func items(_ position: Int, _ limit: Int) async -> StreamBatch {
        state.withLock { state in
            let start = min(max(position, state.first), state.values.count)
            let items = state.values[start...].prefix(limit)
            return StreamBatch(
                items: items.map { JSONText("\($0)") }, next: start + items.count, missed: start - min(position, start))
        }
    }
}
