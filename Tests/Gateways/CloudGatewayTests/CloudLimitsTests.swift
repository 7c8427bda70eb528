import BLEAdapter
import BLEWire
import DurableQueue
import MQTTClient
import Testing

@testable import CloudGateway

/// Values at the limits and beside them.
@Suite struct CloudLimitsTests {
    private static let payload = Array("{\"a\":1}".utf8)

    private func take(_ outbox: inout Outbox<MemoryStore>) -> [UInt64] {
        defer { outbox.publications = [] }
        return outbox.publications.map(\.number)
    }

    /// A JSON object of this many octets.
    private func object(_ count: Int) -> [UInt8] {
        Array("{\"a\":\"\(String(repeating: "x", count: count - 8))\"}".utf8)
    }

    // MARK: The outbox

    /// The window has room while fewer than 100 messages and fewer than 2^20 octets are under way.
    @Test func theWindowIsCountedInOctetsOfPayloads() {
        // What the outbox adds to a message: `"queue":"q","seq":0,`.
        let added = 20
        for (count, expected) in [(1 << 18, 4), (1 << 18 - 1, 5), (1 << 19, 2), (1 << 20, 1), (1 << 21, 1)] {
            var outbox = Outbox(MemoryStore(), queueName: "q")
            for _ in 0..<6 { outbox.append(topic: "topic", object(count - added), at: .zero) }
            outbox.connected(at: .zero)
            #expect(outbox.publications.allSatisfy { $0.message.payload.count == count })
            #expect(outbox.underWayCount == expected, "\(count)")
            // Each acknowledgement gives its octets back, in any order.
            for number in take(&outbox).reversed() { outbox.published(number, refusal: nil, at: .zero) }
            #expect(outbox.underWayCount == min(expected, 6 - expected))
        }
    }

    /// Messages that wait in memory, at most 2^20 octets, are not read from the store.
    @Test func messagesOfAMomentAgoAreNotReadFromTheStore() {
        var outbox = Outbox(MemoryStore(), queueName: "q")
        outbox.connected(at: .zero)
        let reads = outbox.store.reads
        var seen: [UInt64] = []
        // 150 wait at any time, so that the memory never becomes empty, and more pass than it has room for.
        for _ in 0..<250 { outbox.append(topic: "t", object(3000), at: .zero) }
        for _ in 0..<4000 {
            guard let number = outbox.publications.first?.number else { break }
            outbox.publications.removeFirst()
            seen.append(number)
            outbox.published(number, refusal: nil, at: .zero)
            outbox.append(topic: "t", object(3000), at: .zero)
        }
        #expect(seen == Array(0..<4000))
        #expect(outbox.store.reads == reads)
    }

    @Test func moreThanTheMemoryTakesIsReadFromTheStore() {
        // A message in memory has two octets for the length of its topic, and the topic.
        for (last, isRead) in [(1 << 19, false), (1 << 19 + 1, true)] {
            var outbox = Outbox(MemoryStore(), queueName: "q")
            outbox.connected(at: .zero)
            for _ in 0..<100 { outbox.append(topic: "t", Self.payload, at: .zero) }
            let reads = outbox.store.reads
            outbox.append(topic: "t", object(1 << 19 - 3), at: .zero)
            outbox.append(topic: "t", object(last - 3), at: .zero)
            for number in take(&outbox) { outbox.published(number, refusal: nil, at: .zero) }
            #expect((outbox.store.reads > reads) == isRead)
            #expect(take(&outbox) == [100, 101])
        }
    }

    /// A burst is what the rate gives in 100 ms, and the next message follows in time.
    @Test(arguments: [
        (100, 10, 10_000_000), (10, 1, 100_000_000), (1, 1, 1_000_000_000), (20, 2, 50_000_000), (3, 1, 333_333_333),
        (0, 1, 1_000_000_000), (1000, 100, 1_000_000),
    ]) func aBurstHasTheMessagesOfATenthOfASecond(rate: Int, burst: Int, spacing: Int64) {
        var outbox = Outbox(MemoryStore(), queueName: "q", rate: rate)
        for _ in 0..<300 { outbox.append(topic: "t", Self.payload, at: .zero) }
        let start = Instant.zero + .seconds(5)
        outbox.connected(at: start)
        let first = take(&outbox)
        #expect(first.count == burst)
        for number in first { outbox.published(number, refusal: nil, at: start) }
        #expect(take(&outbox) == [])
        for index in 1...3 {
            let next = start + TimeSpan(nanoseconds: Int64(index) * spacing)
            #expect(outbox.nextPublication == next)
            outbox.handleTimeout(at: next - TimeSpan(nanoseconds: 1))
            #expect(take(&outbox) == [])
            outbox.handleTimeout(at: next)
            #expect(take(&outbox).count == 1)
        }
    }

    @Test func aPostponementOfAnUnknownMessageHasNoEffect() {
        var outbox = Outbox(MemoryStore(), queueName: "q")
        outbox.connected(at: .zero)
        outbox.append(topic: "t", Self.payload, at: .zero)
        outbox.postponed(1, reason: "Later.")
        #expect(outbox.counts == .init(stored: 1) && outbox.refusal == nil)
        for count in 1...2 {
            outbox.postponed(0, reason: "Later \(count).")
            #expect(outbox.counts.postponed == count && outbox.refusal == "Later \(count).")
        }
        outbox.published(0, refusal: nil, at: .zero)
        outbox.postponed(0, reason: "No.")
        #expect(outbox.counts.postponed == 2 && outbox.counts.acknowledged == 1)
    }

    @Test func theSmallestMessageOfTheStoreIsPublished() throws {
        var store = MemoryStore()
        // One octet of topic; an object needs three. And what is no object.
        for content in [[1, 0, 0x74, 0x7B, 0x7D], [1, 0, 0x74, 0x7B, 0x78, 0x7D], [1, 0, 0x74, 0x5B, 0x78, 0x5D]]
            as [[UInt8]]
        {
            _ = try store.append(content)
        }
        // A topic of 300 octets: the length has two octets, the lower first.
        _ = try store.append([0x2C, 1] + [UInt8](repeating: 0x74, count: 300) + [0x7B, 0x78, 0x7D])
        var outbox = Outbox(store, queueName: "q")
        outbox.connected(at: .zero)
        #expect(outbox.publications.map(\.number) == [1, 3])
        #expect(
            outbox.publications.map { String(decoding: $0.message.payload, as: UTF8.self) }
                == [#"{"queue":"q","seq":1,x}"#, #"{"queue":"q","seq":3,x}"#])
        #expect(outbox.publications.map(\.message.topic) == ["t", String(repeating: "t", count: 300)])
        #expect(outbox.count == 2, "what is no message leaves the queue")
    }

    @Test func aStoreThatCannotBeReadIsReportedAndReadAgain() throws {
        var store = MemoryStore()
        store.failsToRead = true
        _ = try store.append([1, 0, 0x74, 0x7B, 0x78, 0x7D])
        var outbox = Outbox(store, queueName: "q")
        outbox.connected(at: .zero)
        #expect(outbox.publications.isEmpty)
        #expect(outbox.failure == .system(operation: "A read from", path: "memory", 5))
        #expect(outbox.count == 1)
        // Not the messages of the memory before those of the store.
        outbox.append(topic: "t", Self.payload, at: .zero)
        #expect(outbox.publications.isEmpty && outbox.counts == .init(stored: 1) && outbox.count == 2)
    }

    // MARK: The cache of replies

    private func command(_ id: Int, _ client: String) -> ReplyDestination {
        ReplyDestination(client: client, id: "\(id)")
    }

    /// 256 commands of a client and 1024 of all.
    @Test func theCacheKeepsTheLastCommandsOfEachClient() {
        var cache = ReplyCache()
        for client in ["a", "b", "c", "d"] {
            for id in 0..<256 {
                #expect(cache.begin(command(id, client)) == true)
                cache.end(command(id, client), [1])
            }
        }
        #expect(cache.count == 1024)
        // One more of a client that has its most displaces the client's oldest.
        #expect(cache.begin(command(256, "a")) == true)
        cache.end(command(256, "a"), [1])
        #expect(cache.count == 1024 && cache[command(0, "a")] == nil && cache[command(1, "a")] != nil)
        #expect(cache[command(0, "b")] != nil)
        // One of another client displaces the oldest of the clients with the most, and then of those that have more than the first now.
        #expect(cache.begin(command(0, "e")) == true)
        #expect(cache.count == 1024 && cache[command(1, "a")] == nil && cache[command(0, "b")] != nil)
        #expect(cache.begin(command(1, "e")) == true)
        #expect(cache.count == 1024 && cache[command(2, "a")] != nil && cache[command(0, "b")] == nil)
        // Commands that are being carried out are never displaced, up to 256 of a client.
        var other = ReplyCache()
        for client in ["a", "b", "c", "d"] {
            for id in 0..<256 { #expect(other.begin(command(id, client)) == true) }
            #expect(other.begin(command(256, client)) == false)
        }
        #expect(other.begin(command(0, "e")) == false)
        other.forget(command(7, "c"))
        #expect(other.begin(command(0, "e")) == true)
        #expect(other.count == 1024)
    }

    /// All replies together have at most 4 MiB.
    @Test func theCacheKeepsFourMebibytes() {
        var cache = ReplyCache()
        let megabyte = [UInt8](repeating: 1, count: 1 << 20)
        for round in 0..<2 {
            for id in 0..<4 {
                #expect(cache.begin(command(4 * round + id, "a")) == true)
                cache.end(command(4 * round + id, "a"), megabyte)
            }
            #expect(cache.octets == 4 << 20 && cache.count == 4)
        }
        #expect(cache.begin(command(0, "b")) == true)
        cache.end(command(0, "b"), [1])
        #expect(cache.octets == 3 << 20 + 1)
        #expect(cache[command(4, "a")] == nil && cache[command(5, "a")] != nil && cache[command(0, "b")] != nil)
    }

    /// Clients choose their names: those without a command take no memory.
    @Test func theCacheForgetsClientsWithoutCommands() {
        var cache = ReplyCache(.init(commands: 4))
        for id in 0..<100 {
            #expect(cache.begin(command(id, "client \(id)")) == true)
            if id.isMultiple(of: 3) {
                cache.forget(command(id, "client \(id)"))
            } else {
                cache.end(command(id, "client \(id)"), [1])
            }
            #expect(cache.clientCount == cache.count && cache.count <= 4)
        }
    }

    // MARK: The limits of advertisements

    @Test func aDeviceMayAdvertiseWhenItsIntervalIsOver() {
        var limiter = AdvertisementLimiter(interval: .milliseconds(1000), rate: 1000)
        let device = DeviceAddress(kind: .random, value: 1)
        for round in 0..<3 {
            let start = Instant.zero + .seconds(round)
            #expect(limiter.accepts(device, at: start) == true)
            #expect(limiter.accepts(device, at: start + .milliseconds(999)) == false)
        }
        // The type is that of the last advertisement that was accepted.
        #expect(limiter.devices[1]?.kind == .random)
        #expect(limiter.accepts(DeviceAddress(kind: .public, value: 1), at: .zero + .seconds(3)) == true)
        #expect(limiter.devices[1]?.kind == .public && limiter.devices.count == 1)
    }

    /// One second's worth at once, and then one after another.
    @Test(arguments: [(1, 1, 1_000_000_000), (4, 4, 250_000_000), (0, 1, 1_000_000_000), (1000, 1000, 1_000_000)])
    func allDevicesTogetherHaveARate(rate: Int, burst: Int, spacing: Int64) {
        var limiter = AdvertisementLimiter(interval: .zero, rate: rate)
        var number: UInt64 = 0
        func accepts(_ now: Instant) -> Bool {
            number += 1
            return limiter.accepts(DeviceAddress(kind: .random, value: number), at: now)
        }
        let start = Instant.zero + .seconds(7)
        #expect((0..<burst + 3).count { _ in accepts(start) } == burst)
        for index in 1...3 {
            let next = start + TimeSpan(nanoseconds: Int64(index) * spacing)
            #expect(!accepts(next - TimeSpan(nanoseconds: 1)))
            #expect(accepts(next))
            #expect(!accepts(next))
        }
        // An advertisement that was refused takes no room of the memory.
        #expect(limiter.devices.count == burst + 3)
    }

    /// Half of 4,096 devices, those that were silent the longest, give way to another.
    @Test func theDevicesThatWereSilentTheLongestAreForgotten() {
        var limiter = AdvertisementLimiter(interval: .zero, rate: 1_000_000)
        let limit: UInt64 = 4096
        for number in 0..<limit {
            #expect(
                limiter.accepts(DeviceAddress(kind: .random, value: number), at: .zero + .seconds(Int(number))) == true)
        }
        // One that is known needs no room.
        let now = Instant.zero + .seconds(Int(limit))
        #expect(limiter.accepts(DeviceAddress(kind: .random, value: 0), at: now) == true)
        #expect(limiter.devices.count == 4096)
        #expect(limiter.accepts(DeviceAddress(kind: .random, value: limit), at: now) == true)
        #expect(limiter.devices.count == 2048)
        #expect(limiter.devices[0] != nil && limiter.devices[limit] != nil)
        #expect(limiter.devices.keys.filter { $0 != 0 }.min() == limit / 2 + 2)
    }

    // MARK: The session

    /// Replies that wait for the broker have at most 4 MiB. While it is away, the oldest give way.
    @Test func repliesThatWaitAreBoundedInOctets() throws {
        func reply(_ count: Int, _ session: inout CloudSession) {
            session.reply([UInt8](repeating: 0x78, count: count), to: "me")
        }
        var bench = try CloudBench.ready()
        for _ in 0..<4 { reply(1 << 20, &bench.session) }
        reply(1, &bench.session)
        #expect(bench.session.counts.droppedReplies == 1)
        let numbers = bench.take().numbers
        #expect(numbers.count == 4)
        bench.session.brokerPublished(try #require(numbers.first))
        reply(1 << 20, &bench.session)
        #expect(bench.session.counts.droppedReplies == 1)
        bench.session.brokerDisconnected("ended", at: bench.now)
        _ = bench.take()
        for count in 2...3 {
            reply(1 << 20, &bench.session)
            #expect(bench.session.counts.droppedReplies == count)
        }
        // One that has no room at all displaces the others and is dropped itself.
        reply(4 << 20, &bench.session)
        #expect(bench.session.counts.droppedReplies == 7)
        reply(4 << 20 + 1, &bench.session)
        #expect(bench.session.counts.droppedReplies == 9)
        reply(7, &bench.session)
        bench.now = try #require(bench.session.deadline)
        bench.session.handleTimeout(at: bench.now, time: 0)
        bench.session.brokerConnected(at: bench.now)
        let replies = bench.take().publications.filter { $0.topic.contains("/reply/") }
        #expect(replies.map(\.payload.count) == [7])
    }

    /// The earliest deadline of the links counts, in each order.
    @Test(arguments: [[1, 2, 3], [3, 2, 1], [2, 1, 3]]) func theEarliestDeadlineOfTheLinksCounts(seconds: [Int]) {
        var links = CloudLinks()
        #expect(links.deadline == nil)
        links.add(CloudLinks.Link(address: 9, state: .up), PeerIdentifier(high: 0, low: 9))
        #expect(links.deadline == nil)
        for (number, second) in seconds.enumerated() {
            links.add(
                CloudLinks.Link(address: UInt64(number), state: .connecting(deadline: .zero + .seconds(second))),
                PeerIdentifier(high: 0, low: UInt64(number)))
        }
        #expect(links.deadline == .zero + .seconds(1))
    }

    @Test func repliesThatWaitAreBoundedInNumber() throws {
        var bench = try CloudBench.ready()
        bench.session.brokerDisconnected("ended", at: bench.now)
        for index in 0..<258 { bench.session.reply(Array("\(index)".utf8), to: "me") }
        #expect(bench.session.counts.droppedReplies == 2)
        bench.now = try #require(bench.session.deadline)
        bench.session.handleTimeout(at: bench.now, time: 0)
        bench.session.brokerConnected(at: bench.now)
        let replies = bench.take().publications.filter { $0.topic.contains("/reply/") }
        #expect(replies.map { String(decoding: $0.payload, as: UTF8.self) } == (2..<258).map { "\($0)" })
    }

    /// A reply of 128 KiB is published, and one octet more is too long.
    @Test func aReplyHasAtMost128KiB() throws {
        for (count, isPublished) in [(128 << 10, true), (128 << 10 + 1, false)] {
            var bench = try CloudBench.ready()
            let origin = ReplyDestination(client: "me", id: "1")
            #expect(bench.session.commandReplies.cache.begin(origin) == true)
            // {"id":"1","result":{"x":""}}
            let reply = bench.session.commandReplies.succeed(origin) {
                $0.add("x", String(repeating: "y", count: count - 28))
            }
            bench.session.reply(reply, to: origin.client)
            let payload = try #require(bench.take().publications.first?.payload)
            #expect((payload.count == count) == isPublished)
            if !isPublished {
                #expect(
                    String(decoding: payload, as: UTF8.self)
                        == #"{"id":"1","error":{"code":"too-large","message":"The command was carried out, and its reply has more than 128 KiB."}}"#
                )
            }
        }
    }

    /// 256 publications without an acknowledgement, and each acknowledgement makes room for one.
    @Test func publicationsThatAreNotAcknowledgedAreBounded() throws {
        var bench = try CloudBench.ready()
        var number: UInt64?
        // One was the status of the connection, and one that of the adapter.
        for index in 0..<254 {
            bench.session.adapterStateChanged(index.isMultiple(of: 2) ? .poweredOff : .poweredOn, time: 0)
            number = bench.take().numbers.first ?? number
        }
        #expect(bench.session.counts.droppedPublications == 0)
        for round in 1...2 {
            bench.session.adapterStateChanged(.poweredOff, time: 0)
            #expect(bench.session.counts.droppedPublications == round && bench.take().publications == [])
            bench.session.brokerPublished(try #require(number))
            bench.session.adapterStateChanged(.poweredOn, time: 0)
            #expect(bench.session.counts.droppedPublications == round)
            number = bench.take().numbers.first
        }
    }

    @Test func aConnectionIsStableAfterTenSeconds() throws {
        for (span, isStable) in [(TimeSpan.milliseconds(9999), false), (.milliseconds(10_000), true)] {
            var bench = try CloudBench()
            bench.session.start(at: bench.now)
            for _ in 0..<8 {
                bench.session.brokerDisconnected("refused", at: bench.now)
                bench.now = try #require(bench.session.deadline)
                bench.session.handleTimeout(at: bench.now, time: 0)
            }
            bench.session.brokerConnected(at: bench.now)
            bench.advance(span)
            bench.session.brokerDisconnected("ended", at: bench.now)
            #expect((try #require(bench.session.deadline) - bench.now <= .seconds(1)) == isStable)
            #expect(bench.session.counts.connections == 1 && bench.session.counts.failedConnections == 8)
        }
    }

    /// Events that belong to no attempt have no effect.
    @Test func eventsOfTheBrokerInAnotherStateHaveNoEffect() throws {
        var bench = try CloudBench()
        bench.session.brokerConnected(at: bench.now)
        bench.session.brokerDisconnected("ended", at: bench.now)
        bench.session.handleTimeout(at: bench.now, time: 0)
        #expect(bench.session.broker == .idle && bench.take() == [] && bench.session.deadline == nil)
        bench.session.start(at: bench.now)
        bench.session.start(at: bench.now)
        #expect(bench.take() == [.connectBroker])
        bench.session.brokerDisconnected("refused", at: bench.now)
        let deadline = try #require(bench.session.deadline)
        bench.session.brokerDisconnected("refused", at: bench.now + .seconds(1))
        bench.session.brokerConnected(at: bench.now)
        #expect(bench.session.deadline == deadline && bench.session.counts.failedConnections == 1)
        #expect(bench.session.brokerFailure == "refused")
        bench.session.handleTimeout(at: deadline - TimeSpan(nanoseconds: 1), time: 0)
        #expect(bench.take() == [])
        bench.session.handleTimeout(at: deadline, time: 0)
        #expect(bench.take() == [.connectBroker])
        bench.session.brokerConnected(at: deadline)
        #expect(bench.session.brokerFailure == nil)
        // A command of a connection that ended is not carried out.
        bench.session.adapterStateChanged(.poweredOn, time: 0)
        bench.session.brokerDisconnected("ended", at: deadline)
        _ = bench.take()
        #expect(bench.command("1", "connect") == [])
        #expect(bench.session.counts.commands == 0)
    }

    @Test func aSessionThatStoppedDoesNothingMore() throws {
        var bench = try CloudBench.ready()
        bench.session.stop(at: bench.now, time: 0)
        let number = try #require(bench.take().numbers.last)
        // Another publication's acknowledgement is not that of the end.
        bench.session.brokerPublished(number - 1)
        #expect(bench.take() == [])
        #expect(bench.session.deadline == bench.now + .seconds(2))
        bench.session.brokerPublished(number)
        #expect(bench.take() == [.disconnectBroker, .finish])
        bench.session.stop(at: bench.now, time: 0)
        bench.session.brokerDisconnected("ended", at: bench.now)
        bench.session.brokerConnected(at: bench.now)
        bench.session.discovered(CloudBench.advertisement(), at: bench.now, time: 0)
        bench.session.handleTimeout(at: bench.now + .seconds(100), time: 0)
        #expect(bench.take().filter { $0 != .adapter(.stopScan) } == [])
        #expect(bench.session.deadline == nil && bench.session.broker == .stopped)
        // A connection that ends before the acknowledgement ends the session as well, once.
        var other = try CloudBench.ready()
        other.session.stop(at: other.now, time: 0)
        _ = other.take()
        other.session.brokerDisconnected("ended", at: other.now)
        other.session.brokerDisconnected("ended", at: other.now)
        #expect(other.take() == [.finish])
    }
}

/// The generator of the pauses: SplitMix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, 2014).
@Suite struct SplitMixTests {
    /// The first numbers of the published implementation (splitmix64.c of Sebastiano Vigna) for these seeds.
    @Test(
        arguments: [
            (0, [0xE220_A839_7B1D_CDAF, 0x6E78_9E6A_A1B9_65F4, 0x06C4_5D18_8009_454F]),
            (1_234_567, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]),
        ] as [(UInt64, [UInt64])])
    func theNumbersAreThoseOfThePublication(seed: UInt64, expected: [UInt64]) {
        var random = SplitMix(state: seed)
        #expect(expected.map { _ in random.next() } == expected)
    }
}

/// Commands at their limits, and the second of each kind.
@Suite struct CloudCommandLimitsTests {
    private func code(_ actions: [CloudAction]) throws -> String? {
        let reply = try #require(actions.publications.last)
        return (try json(reply.payload)["error"] as? [String: Any])?["code"] as? String
    }

    /// Notify is bit 4 of the properties, and Indicate bit 5 (Vol 3, Part G, 3.3.1.1).
    @Test(
        arguments: [
            (0x10, GATTOperation.NotifyMode.notification), (0x20, .indication), (0x30, .notification),
            (0x2F, .indication),
            (0xDF, .notification), (0x0F, .indication),
        ] as [(UInt8, GATTOperation.NotifyMode)])
    func aSubscriptionUsesWhatTheCharacteristicOffers(properties: UInt8, mode: GATTOperation.NotifyMode) throws {
        var bench = try CloudBench.ready()
        bench.connect()
        bench.session.commands.links[CloudBench.peer]?.services[0].characteristics = [
            DiscoveredCharacteristic(
                uuid: BluetoothUUID(0x2A19 as UInt16), properties: properties, declarationHandle: 2, valueHandle: 3,
                end: 9)
        ]
        _ = bench.take()
        for round in 0..<2 {
            for (op, expected) in [("subscribe", mode), ("unsubscribe", .off)] {
                #expect(
                    bench.command("\(op)\(round)", op, #"{"characteristic":"2A19"}"#).commands
                        == [.submit(.setNotify(valueHandle: 3, end: 9, mode: expected), CloudBench.peer)])
                bench.session.completed(CloudBench.peer, at: bench.now, .success(.done))
                #expect(try code(bench.take()) == nil)
                bench.session.received([1], handle: 3, from: CloudBench.peer, time: 0)
                #expect(bench.take().stored.count == (op == "subscribe" ? 1 : 0))
            }
        }
        #expect(bench.session.counts.values == 2)
    }

    /// A value has at most 512 octets (Vol 3, Part F, 3.2.9), and its text at most 2048 characters.
    @Test func aValueHasAtMost512Octets() throws {
        let separated = Array(repeating: "a5", count: 512).joined(separator: " : ")
        let cases: [(text: String, value: [UInt8]?)] = [
            ("", []), ("00", [0]), ("fF", [255]), ("Aa:9 0", [0xAA, 0x90]), ("g0", nil), ("0G", nil), ("0", nil),
            ("000", nil), ("-1", nil), (String(repeating: "a5", count: 512), [UInt8](repeating: 0xA5, count: 512)),
            (String(repeating: "a5", count: 513), nil), (separated, nil),
            (
                separated.replacing(" : ", with: ": ") + String(repeating: " ", count: 2),
                [UInt8](repeating: 0xA5, count: 512)
            ),
            (separated.replacing(" : ", with: ": ") + String(repeating: " ", count: 3), nil),
        ]
        for (index, (text, value)) in cases.enumerated() {
            for hasResponse in [true, false] {
                var bench = try CloudBench.ready()
                bench.connect()
                _ = bench.take()
                let actions = bench.command(
                    "\(index)", "write", #"{"handle":3,"value":"\#(text)","response":\#(hasResponse)}"#)
                if let value {
                    #expect(
                        actions.commands == [
                            hasResponse
                                ? .submit(.write(handle: 3, value: value), CloudBench.peer)
                                : .writeCommand(value, handle: 3, CloudBench.peer, number: 1)
                        ])
                } else {
                    #expect(try code(actions) == "invalid", "\(text)")
                    #expect(actions.commands == [])
                }
            }
        }
    }

    /// 32 commands of each kind wait for one link, and each that ends makes room.
    @Test func thirtyTwoCommandsOfEachKindWait() throws {
        var bench = try CloudBench.ready()
        for index in 0..<32 { #expect(bench.command("c\(index)", "connect").publications == []) }
        #expect(try code(bench.command("c32", "connect")) == "busy")
        bench.session.linkConnected(CloudBench.peer, at: bench.now, time: 0)
        _ = bench.take()
        bench.session.completed(CloudBench.peer, at: bench.now, .success(.services([])))
        #expect(bench.take().publications.count == 32)
        for round in 0..<2 {
            for index in 0..<32 {
                let write = #"{"handle":3,"value":"01","response":false}"#
                #expect(
                    bench.command("w\(round)-\(index)", "write", write).commands
                        == [.writeCommand([1], handle: 3, CloudBench.peer, number: 32 * round + index + 1)])
            }
            for index in 0..<32 {
                #expect(bench.command("r\(round)-\(index)", "read", #"{"handle":3}"#).commands.count == 1)
            }
            #expect(try code(bench.command("r\(round)-x", "read", #"{"handle":3}"#)) == "busy")
            for index in 0..<32 {
                bench.session.completed(CloudBench.peer, at: bench.now, .success(.value([1])))
                if index == 0 {
                    // The writes without response have a bound of their own.
                    #expect(
                        try code(bench.command("w\(round)-x", "write", #"{"handle":3,"value":"01","response":false}"#))
                            == "busy")
                }
            }
            for index in 0..<32 { bench.session.wroteCommand(32 * round + index + 1, isAccepted: true) }
            // An unknown number has no reply.
            _ = bench.take()
            bench.session.wroteCommand(32 * round + 1, isAccepted: true)
            #expect(bench.take() == [])
        }
        for index in 0..<32 {
            let actions = bench.command("d\(index)", "disconnect")
            #expect(actions.publications == [] && actions.commands.count == (index == 0 ? 1 : 0))
        }
        #expect(try code(bench.command("d32", "disconnect")) == "busy")
        bench.session.linkEnded(CloudBench.peer, "the gateway ended it", time: 0)
        #expect(bench.take().publications.count == 32)
    }

    /// A command that waits for the connection is answered with the others, and one after it at once.
    @Test func aConnectionAnswersAllThatWaitForIt() throws {
        var bench = try CloudBench.ready()
        for round in 0..<2 {
            #expect(bench.command("a\(round)", "connect").commands == [.connect(CloudBench.peer)])
            #expect(bench.command("b\(round)", "connect") == [])
            bench.session.linkConnected(CloudBench.peer, at: bench.now, time: 0)
            // A second report of the same link has no effect.
            _ = bench.take()
            bench.session.linkConnected(CloudBench.peer, at: bench.now, time: 0)
            #expect(bench.take() == [])
            #expect(bench.command("c\(round)", "connect") == [])
            #expect(try code(bench.command("r\(round)", "read", #"{"handle":3}"#)) == "not-connected")
            bench.session.completed(CloudBench.peer, at: bench.now, .success(.services([])))
            let ids = try bench.take().publications.map { try json($0.payload)["id"] as? String }
            #expect(ids == ["a\(round)", "b\(round)", "c\(round)"])
            let again = bench.command("d\(round)", "connect")
            #expect(again.commands == [] && again.publications.count == 1)
            bench.session.linkEnded(CloudBench.peer, "the device ended it", time: 0)
            bench.session.linkEnded(CloudBench.peer, "the device ended it", time: 0)
            #expect(bench.take().stored.count == 1, "one end has one report")
            // Without a link there is nothing to end.
            let actions = bench.command("e\(round)", "disconnect")
            #expect(actions.commands == [] && actions.publications.count == 1)
            #expect(try code(actions) == nil)
        }
    }

    /// The type of an address is that of the last advertisement, public without one, or what the command says.
    @Test(
        arguments: [
            (nil, "", "public"), (DeviceAddress.Kind.random, "", "random"), (.random, "public", "public"),
            (nil, "random", "random"), (nil, "static", "random"), (nil, "resolvable", "random"),
            (nil, "nonresolvable", "random"), (.public, "random", "random"), (.randomIdentity, "", "random"),
        ] as [(DeviceAddress.Kind?, String, String)])
    func aConnectionNeedsTheTypeOfTheAddress(heard: DeviceAddress.Kind?, said: String, expected: String) throws {
        var configuration = CloudConfiguration(name: "hall", version: "1.0")
        configuration.allowsCommands = true
        var session = CloudSession(
            configuration, topics: try CloudTopics(prefix: "bluetooth", name: "hall"), queueName: "0", seed: 1,
            identify: { PeerIdentifier(high: UInt64($0.kind.rawValue), low: $0.value) })
        session.start(at: .zero)
        session.brokerConnected(at: .zero)
        session.adapterStateChanged(.poweredOn, time: 0)
        if let heard { session.discovered(CloudBench.advertisement(kind: heard), at: .zero, time: 0) }
        session.actions = []
        let type = said.isEmpty ? "" : #","args":{"addressType":"\#(said)"}"#
        let command = #"{"id":"1","op":"connect","target":"\#(CloudBench.target)"\#(type)}"#
        session.brokerReceived(
            MQTTMessage(topic: "bluetooth/hall/command/me", payload: Array(command.utf8)), at: .zero)
        let peer = PeerIdentifier(high: expected == "random" ? 1 : 0, low: CloudBench.address)
        #expect(session.actions == [.adapter(.connect(peer))])
        #expect(session.deadline == Instant.zero, "the statistics are due first")
    }

    /// The services are discovered one after another, and the first characteristic of a UUID is the one that is meant.
    @Test func theServicesOfADeviceAreDiscoveredInOrder() throws {
        var bench = try CloudBench.ready()
        _ = bench.command("1", "connect")
        bench.session.linkConnected(CloudBench.peer, at: bench.now, time: 0)
        _ = bench.take()
        func service(_ uuid: UInt16, _ start: UInt16, _ end: UInt16) -> DiscoveredService {
            DiscoveredService(
                uuid: BluetoothUUID(uuid), range: HandleRange(start: start, end: end), isPrimary: true)
        }
        func characteristic(_ uuid: UInt16, _ handle: UInt16, _ end: UInt16) -> DiscoveredCharacteristic {
            DiscoveredCharacteristic(
                uuid: BluetoothUUID(uuid), properties: 0x10, declarationHandle: handle - 1, valueHandle: handle,
                end: end)
        }
        let services = [service(0x1800, 1, 9), service(0x180F, 10, 19), service(0x180D, 20, 0xFFFF)]
        let results = [
            [characteristic(0x2A00, 3, 9)], [characteristic(0x2A19, 12, 13), characteristic(0x2A1A, 15, 19)],
            [characteristic(0x2A19, 22, 23), characteristic(0x2A37, 25, 0xFFFF)],
        ]
        bench.session.completed(CloudBench.peer, at: bench.now, .success(.services(services)))
        for (service, result) in zip(services, results) {
            #expect(
                bench.take() == [
                    .adapter(.submit(.discoverCharacteristics(service: service.range, nil), CloudBench.peer))
                ])
            bench.session.completed(CloudBench.peer, at: bench.now, .success(.characteristics(result)))
        }
        let reply = try #require(bench.take().publications.first)
        #expect(
            String(decoding: reply.payload, as: UTF8.self).hasPrefix(
                #"{"id":"1","result":{"services":[{"uuid":"1800","characteristics":[{"uuid":"2A00","handle":3,"properties":16}]},{"uuid":"180F","characteristics":[{"uuid":"2A19","handle":12,"properties":16},{"#
            ))
        let cases: [(arguments: String, handle: UInt16)] = [
            (#"{"characteristic":"2A19"}"#, 12), (#"{"characteristic":"2A19","service":"180D"}"#, 22),
            (#"{"characteristic":"2a37"}"#, 25), (#"{"handle":22}"#, 22), (#"{"handle":65535}"#, 65_535),
            (#"{"characteristic":"00002A1A-0000-1000-8000-00805F9B34FB","service":"180F"}"#, 15),
        ]
        for (index, (arguments, handle)) in cases.enumerated() {
            #expect(
                bench.command("r\(index)", "read", arguments).commands
                    == [.submit(.read(handle: handle), CloudBench.peer)])
            bench.session.completed(CloudBench.peer, at: bench.now, .success(.value([handle == 12 ? 87 : 1])))
            let text = try #require(bench.take().publications.first.map { String(decoding: $0.payload, as: UTF8.self) })
            // Only a characteristic that is known has a meaning.
            if index == 0 { #expect(text == #"{"id":"r0","result":{"value":"57","text":"87 %"}}"#) }
            if handle == 65_535 { #expect(text.contains(#""text":"01  u8 1""#)) }
        }
        #expect(try code(bench.command("x", "read", #"{"characteristic":"2A00","service":"180F"}"#)) == "not-found")
    }

    /// An identifier is that of its client: `a` + `b/c` is not `a/b` + `c`, and counts add up.
    @Test func commandsAreCountedByKind() throws {
        var bench = try CloudBench.ready()
        for round in 1...2 {
            for client in ["a", "b"] {
                bench.send(#"{"id":"\#(round)","op":"connect","target":"\#(CloudBench.target)"}"#, client: client)
                bench.send(#"{"id":"\#(round)","op":"connect","target":"\#(CloudBench.target)"}"#, client: client)
                bench.send("{", client: client)
            }
            #expect(bench.session.counts.commands == 2 * round)
            #expect(bench.session.counts.repeatedCommands == 2 * round)
            #expect(bench.session.counts.invalidCommands == 2 * round)
        }
    }

    @Test func tooManyCommandsOfAClientAreRefused() throws {
        var bench = try CloudBench.ready { $0.linkLimit = 100 }
        for index in 0..<256 {
            let target = "00:00:00:00:00:" + hexadecimal(UInt8(index / 32), digits: 2)
            bench.send(#"{"id":"\#(index)","op":"connect","target":"\#(target)"}"#)
        }
        #expect(bench.session.linkCount == 8 && bench.take().publications == [])
        bench.send(#"{"id":"256","op":"explode"}"#)
        let actions = bench.take()
        #expect(
            String(decoding: try #require(actions.publications.first).payload, as: UTF8.self)
                == #"{"id":"256","error":{"code":"busy","message":"Too many commands are being carried out. Try again."}}"#
        )
        #expect(bench.session.counts.commands == 256)
    }
}
