import BLEAdapter
import BLEWire
import DurableQueue
import MQTTClient
import Testing

@testable import CloudGateway

/// The second round of everything that the gateway counts, limits and resets, and sizes beyond the small ones.
@Suite struct CloudRoundsTests {
    private static let payload = Array("{\"a\":1}".utf8)

    private func take(_ outbox: inout Outbox<MemoryStore>) -> [UInt64] {
        defer { outbox.publications = [] }
        return outbox.publications.map(\.number)
    }

    // MARK: The outbox

    /// Messages under way when the connection ends count for nothing in the next one: the window opens whole, each time.
    @Test func eachConnectionHasTheWholeWindow() {
        var outbox = Outbox(MemoryStore(), queueName: "q")
        let large = Array("{\"a\":\"\(String(repeating: "x", count: 30_000))\"}".utf8)
        for _ in 0..<200 { outbox.append(topic: "t", large, at: .zero) }
        var counts: [Int] = []
        for _ in 0..<4 {
            outbox.connected(at: .zero)
            let numbers = take(&outbox)
            #expect(numbers.first == 0 && numbers == Array(0..<UInt64(numbers.count)))
            counts.append(numbers.count)
            outbox.disconnected()
            #expect(outbox.underWayCount == 0 && outbox.publications.isEmpty && outbox.deadline == nil)
        }
        // 30 kB each: the bound of octets, and the same in each round.
        #expect(Set(counts).count == 1 && (counts.first ?? 0) > 30 && (counts.first ?? 0) < 40, "\(counts)")
    }

    /// What was published and not taken by the driver when the connection ended is published once in the next one.
    @Test func publicationsOfALostConnectionDoNotComeTwice() {
        var outbox = Outbox(MemoryStore(), queueName: "q")
        outbox.connected(at: .zero)
        for _ in 0..<3 { outbox.append(topic: "t", Self.payload, at: .zero) }
        outbox.disconnected()
        for _ in 0..<2 { outbox.append(topic: "t", Self.payload, at: .zero) }
        outbox.connected(at: .zero)
        #expect(take(&outbox) == [0, 1, 2, 3, 4])
        // An answer for the connection before has no effect on the next.
        outbox.published(1, refusal: nil, at: .zero)
        outbox.disconnected()
        outbox.published(2, refusal: nil, at: .zero)
        #expect(outbox.count == 4)
        outbox.connected(at: .zero)
        #expect(take(&outbox) == [0, 2, 3, 4])
        // The same acknowledgement twice counts once.
        outbox.published(0, refusal: nil, at: .zero)
        outbox.published(0, refusal: nil, at: .zero)
        #expect(outbox.counts.acknowledged == 2 && outbox.count == 3)
        outbox.commit()
        outbox.commit()
        #expect(outbox.count == 3 && outbox.store.count == 3)
    }

    /// Each acknowledgement moves the time limit, also after a pause without messages.
    @Test func theTimeLimitOfAcknowledgementsBeginsAnew() {
        var outbox = Outbox(MemoryStore(), queueName: "q")
        let limit = Outbox<MemoryStore>.acknowledgementTimeout
        outbox.connected(at: .zero)
        outbox.append(topic: "t", Self.payload, at: .zero)
        outbox.append(topic: "t", Self.payload, at: .zero + .seconds(1))
        #expect(outbox.deadline == Instant.zero + limit)
        outbox.published(0, refusal: nil, at: .zero + .seconds(20))
        #expect(outbox.deadline == Instant.zero + .seconds(20) + limit)
        outbox.published(1, refusal: nil, at: .zero + .seconds(21))
        #expect(outbox.deadline == nil)
        outbox.append(topic: "t", Self.payload, at: .zero + .seconds(500))
        #expect(outbox.deadline == Instant.zero + .seconds(500) + limit)
        outbox.disconnected()
        outbox.connected(at: .zero + .seconds(900))
        #expect(outbox.deadline == Instant.zero + .seconds(900) + limit)
    }

    /// The limit of the rate gives a burst after each pause, not more after a longer one.
    @Test func aPauseOfAnyLengthGivesOneBurst() {
        var outbox = Outbox(MemoryStore(), queueName: "q", rate: 100)
        outbox.connected(at: .zero)
        var bursts: [Int] = []
        for second in [0, 10, 1000, 1001] {
            let now = Instant.zero + .seconds(second)
            for _ in 0..<50 { outbox.append(topic: "t", Self.payload, at: now) }
            let numbers = take(&outbox)
            bursts.append(numbers.count)
            for number in numbers { outbox.published(number, refusal: nil, at: now) }
            _ = take(&outbox)
            // The rest of this second.
            outbox.handleTimeout(at: now + .milliseconds(1))
            outbox.disconnected()
            outbox.connected(at: now + .milliseconds(1))
            for number in take(&outbox) { outbox.published(number, refusal: nil, at: now) }
        }
        #expect(bursts.allSatisfy { $0 >= 1 && $0 <= 12 }, "\(bursts)")
    }

    @Test func topicsOfEachLengthComeBackWhole() {
        for length in [1, 127, 128, 254, 255, 256] {
            var outbox = Outbox(MemoryStore(), queueName: "q")
            let topic = String(repeating: "t", count: length)
            outbox.append(topic: topic, Self.payload, at: .zero)
            outbox.connected(at: .zero)
            #expect(outbox.publications.map(\.message.topic) == [topic])
            #expect(outbox.publications.first?.message.payload == Array("{\"queue\":\"q\",\"seq\":0,\"a\":1}".utf8))
        }
    }

    /// More than the memory takes, again and again, while the broker is slow: in order, each once.
    @Test func theMemoryOfRecentMessagesOverflowsManyTimes() {
        var outbox = Outbox(MemoryStore(), queueName: "q")
        outbox.connected(at: .zero)
        let large = Array("{\"a\":\"\(String(repeating: "x", count: 5000))\"}".utf8)
        var seen: [UInt64] = []
        for round in 0..<4 {
            for _ in 0..<700 { outbox.append(topic: "t", large, at: .zero) }
            // All of this round but a few, which are under way at the next overflow.
            while seen.count < (round + 1) * 700 - (round == 3 ? 0 : 5), let number = outbox.publications.first?.number
            {
                outbox.publications.removeFirst()
                seen.append(number)
                outbox.published(number, refusal: nil, at: .zero)
            }
            outbox.commit()
        }
        #expect(seen == Array(UInt64(0)..<2800))
        #expect(outbox.count == 0 && outbox.deadline == nil)
        // Small ones go through the memory alone.
        for number in 2800..<9000 as Range<UInt64> {
            outbox.append(topic: "t", Self.payload, at: .zero)
            #expect(take(&outbox) == [number])
            outbox.published(number, refusal: nil, at: .zero)
            outbox.commit()
        }
    }

    // MARK: The cache of replies

    /// A client whose replies all went has its whole room again, and the octets are counted down.
    @Test func theCacheIsAsNewAfterItWasFull() {
        var cache = ReplyCache(.init(commands: 8, commandsOfClient: 4, octets: 100))
        for round in 0..<6 {
            for client in ["a", "b", "c"] {
                for id in 0..<4 {
                    let command = ReplyDestination(client: client, id: "\(round) \(id)")
                    #expect(cache.begin(command) == true, "round \(round)")
                    if id == 3 { cache.forget(command) } else { cache.end(command, [UInt8](repeating: 1, count: 9)) }
                }
            }
            #expect(cache.octets == 9 * cache.count && cache.octets <= 100)
            #expect(cache.count <= 8)
        }
        // One large reply displaces as many as it needs.
        let large = ReplyDestination(client: "d", id: "large")
        #expect(cache.begin(large) == true)
        cache.end(large, [UInt8](repeating: 1, count: 95))
        #expect(cache.octets <= 100)
        // The end and the loss of a command that is done change nothing.
        let before = (cache.count, cache.octets)
        cache.end(large, [1])
        cache.forget(large)
        #expect(cache.count == before.0 && cache.octets == before.1)
    }

    // MARK: The session

    private func reconnect(_ bench: inout CloudBench) throws -> TimeSpan {
        bench.session.brokerDisconnected("ended", at: bench.now)
        let deadline = try #require(bench.session.deadline)
        let pause = deadline - bench.now
        bench.now = deadline
        bench.session.handleTimeout(at: bench.now, time: 0)
        bench.session.brokerConnected(at: bench.now)
        return pause
    }

    /// Numbers of publications are never used twice, also after many and after another connection.
    @Test func publicationsHaveNumbersOfTheirOwn() throws {
        var bench = try CloudBench.ready()
        var numbers: Set<UInt64> = []
        var count = 0
        for round in 0..<700 {
            bench.session.adapterStateChanged(round.isMultiple(of: 2) ? .poweredOff : .poweredOn, time: 0)
            let new = bench.take().numbers
            count += new.count
            numbers.formUnion(new)
            for number in new { bench.session.brokerPublished(number) }
        }
        #expect(count == 700 && numbers.count == count)
        #expect(numbers.allSatisfy { $0 & CloudSession.numberBit != 0 })
        #expect(bench.session.counts.droppedPublications == 0, "an acknowledged publication takes no room")
    }

    /// A full list of replies is empty after their acknowledgements, by number and by octets, any number of times.
    @Test func acknowledgedRepliesMakeRoom() throws {
        var bench = try CloudBench.ready()
        for round in 0..<3 {
            var numbers: [UInt64] = []
            for index in 0..<256 {
                numbers += bench.command("\(round)-\(index)", "explode").numbers
            }
            #expect(numbers.count == 256, "round \(round)")
            for number in numbers.reversed() {
                bench.session.brokerPublished(number)
                bench.session.brokerPublished(number)
            }
        }
        #expect(bench.session.counts.droppedReplies == 0)
    }

    /// A connection that does not last leaves the long pause, and one that lasts makes it short: again and again.
    @Test func thePauseIsShortAfterEachConnectionThatLasted() throws {
        var bench = try CloudBench.ready()
        for _ in 0..<3 {
            var last = TimeSpan.zero
            for _ in 0..<8 { last = try reconnect(&bench) }
            #expect(last >= .seconds(30))
            bench.advance(.seconds(10))
            #expect(try reconnect(&bench) <= .seconds(1))
        }
    }

    /// A message of Home Assistant of the connection before causes no announcement, and each connection has its publications.
    @Test func anAnnouncementBelongsToItsConnection() throws {
        var bench = try CloudBench.ready { $0.homeAssistantPrefix = "ha" }
        func births() -> Int {
            bench.take().publications.count { $0.topic.hasPrefix("ha/") && $0.topic.contains("connection") }
        }
        let online = MQTTMessage(topic: "ha/status", payload: Array("online".utf8))
        for _ in 0..<2 {
            bench.session.brokerReceived(online, at: bench.now)
            bench.session.brokerReceived(online, at: bench.now)
            _ = births()
            _ = try reconnect(&bench)
            #expect(births() == 1, "the new connection announces once")
            bench.advance(.seconds(60))
            bench.session.handleTimeout(at: bench.now, time: 0)
            #expect(births() == 0)
        }
        // Statistics come each minute, not once.
        for minute in 0..<3 {
            bench.advance(.seconds(60))
            bench.session.handleTimeout(at: bench.now, time: 0)
            #expect(bench.take().publications.count { $0.topic == bench.session.topics.statistics } == 1, "\(minute)")
        }
    }

    /// The end that the adapter never reports is given up each time.
    @Test func eachEndHasItsOwnTimeLimit() throws {
        var bench = try CloudBench.ready()
        for round in 0..<3 {
            _ = bench.command("c\(round)", "connect")
            bench.session.linkConnected(CloudBench.peer, at: bench.now, time: 0)
            _ = bench.command("d\(round)", "disconnect")
            bench.advance(DeviceCommands.endTimeout - .milliseconds(1))
            bench.session.handleTimeout(at: bench.now, time: 0)
            #expect(bench.session.linkCount == 1, "round \(round)")
            bench.advance(.milliseconds(1))
            bench.session.handleTimeout(at: bench.now, time: 0)
            #expect(bench.take().publications.contains { $0.topic.contains("/reply/") }, "round \(round)")
            #expect(bench.session.linkCount == 0)
        }
    }

    /// The devices that were heard last stay when the memory is full, and the limit of a device holds from its last advertisement on.
    @Test func theLatestDevicesAreRemembered() {
        var limiter = AdvertisementLimiter(interval: .seconds(10), rate: 1_000_000)
        var now = Instant.zero
        for number in 0..<8192 as Range<UInt64> {
            now += .milliseconds(1)
            let isAccepted = limiter.accepts(DeviceAddress(kind: .random, value: number), at: now)
            #expect(isAccepted)
            #expect(limiter.devices[number] != nil)
        }
        #expect(limiter.devices.count <= 4096)
        #expect(limiter.devices.keys.min() ?? 0 >= 4096)
        let device = DeviceAddress(kind: .public, value: 7)
        var accepted: [Int] = []
        for second in 0..<40 {
            if limiter.accepts(device, at: now + .seconds(second)) { accepted.append(second) }
        }
        #expect(accepted == [0, 10, 20, 30])
    }

    /// After a pause of any length one second's worth may come at once, and no more.
    @Test func theRateOfAllDevicesHoldsAfterEachPause() {
        var limiter = AdvertisementLimiter(interval: .seconds(1), rate: 10)
        var number: UInt64 = 0
        for second in [0, 5, 1000, 1010] {
            var count = 0
            for _ in 0..<100 {
                number += 1
                let address = DeviceAddress(kind: .random, value: number)
                if limiter.accepts(address, at: .zero + .seconds(second)) { count += 1 }
            }
            #expect(count == 10, "at \(second) s")
        }
    }

    @Test func valuesThatWereTakenLeaveRoomForOthers() {
        let inbox = CloudInbox { _ in }
        let peer = PeerIdentifier(high: 1, low: 2)
        for _ in 0..<3 {
            for _ in 0..<5000 { inbox.received([1, 2].span, handle: 3, from: peer) }
            let content = inbox.take()
            #expect(content.events.count == 4096 && content.droppedValues == 5000 - 4096)
        }
    }
}
