import BLEWire
import DurableQueue
import Foundation
import MQTTClient
import Testing

@testable import CloudGateway

@Suite struct OutboxTests {
    private static let payload = Array("{\"a\":1}".utf8)

    private func take(_ outbox: inout Outbox<MemoryStore>) -> [UInt64] {
        defer { outbox.publications = [] }
        return outbox.publications.map(\.number)
    }

    @Test func aMessageCarriesTheNameOfTheQueueAndItsNumber() {
        var outbox = Outbox(MemoryStore(), queueName: "0123abcd")
        outbox.connected(at: .zero)
        outbox.append(topic: "b/hall/x", Self.payload, at: .zero)
        let message = outbox.publications[0].message
        #expect(String(decoding: message.payload, as: UTF8.self) == #"{"queue":"0123abcd","seq":0,"a":1}"#)
        #expect(message.topic == "b/hall/x")
        #expect(message.isAcknowledged && !message.isRetained)
    }

    @Test func messagesWaitForTheBrokerInOrder() {
        var outbox = Outbox(MemoryStore(), queueName: "q")
        for _ in 0..<3 { outbox.append(topic: "t", Self.payload, at: .zero) }
        #expect(take(&outbox) == [])
        outbox.connected(at: .zero)
        #expect(take(&outbox) == [0, 1, 2])
    }

    @Test func messagesThatAreNotAcknowledgedComeAgainAfterADisconnection() {
        var outbox = Outbox(MemoryStore(), queueName: "q")
        outbox.connected(at: .zero)
        for _ in 0..<4 { outbox.append(topic: "t", Self.payload, at: .zero) }
        _ = take(&outbox)
        outbox.published(0, refusal: nil, at: .zero)
        outbox.published(2, refusal: nil, at: .zero)
        outbox.disconnected()
        #expect(outbox.count == 2)
        outbox.append(topic: "t", Self.payload, at: .zero)
        #expect(take(&outbox) == [], "there is no broker")
        outbox.connected(at: .zero)
        #expect(take(&outbox) == [1, 3, 4])
    }

    @Test func acknowledgementsOfUnknownMessagesHaveNoEffect() {
        var outbox = Outbox(MemoryStore(), queueName: "q")
        outbox.append(topic: "t", Self.payload, at: .zero)
        outbox.published(0, refusal: nil, at: .zero)
        outbox.published(99, refusal: nil, at: .zero)
        outbox.commit()
        #expect(outbox.count == 1)
        #expect(outbox.counts.acknowledged == 0)
    }

    @Test func theMessagesUnderWayAreBounded() {
        var outbox = Outbox(MemoryStore(), queueName: "q")
        outbox.connected(at: .zero)
        for _ in 0..<1000 { outbox.append(topic: "t", Self.payload, at: .zero) }
        #expect(outbox.underWayCount == 100)
        let first = take(&outbox)
        for number in first { outbox.published(number, refusal: nil, at: .zero) }
        #expect(take(&outbox) == Array(UInt64(100)..<200))
    }

    @Test func aRateHoldsAlsoForTheMessagesThatWaited() throws {
        var outbox = Outbox(MemoryStore(), queueName: "q", rate: 20)
        for _ in 0..<200 { outbox.append(topic: "t", Self.payload, at: .zero) }
        var now = Instant.zero + .seconds(100)
        var times: [Instant] = []
        var hasReconnected = false
        outbox.connected(at: now)
        while times.count < 200 {
            for number in take(&outbox) {
                times.append(now)
                outbox.published(number, refusal: nil, at: now)
            }
            guard times.count < 200 else { break }
            now = max(now, try #require(outbox.nextPublication))
            outbox.handleTimeout(at: now)
            if times.count >= 100, !hasReconnected {
                hasReconnected = true
                outbox.disconnected()
                #expect(outbox.nextPublication == nil)
                outbox.connected(at: now)
            }
        }
        #expect(times.count == 200)
        for (index, time) in times.enumerated() {
            #expect(times.count { $0 >= time && $0 < time + .seconds(1) } <= 22, "from \(index)")
        }
        let length = try #require(times.last) - #require(times.first)
        #expect(length >= .seconds(9) && length <= .seconds(11))
    }

    /// More than the memory holds is read from the store again.
    @Test func manyMessagesAllArriveOnceInOrder() {
        var outbox = Outbox(MemoryStore(), queueName: "q")
        outbox.connected(at: .zero)
        let large = Array("{\"a\":\"\(String(repeating: "x", count: 1000))\"}".utf8)
        var seen: [UInt64] = []
        for round in 0..<3000 {
            outbox.append(topic: "t", large, at: .zero)
            if round % 3 == 0, let number = outbox.publications.first?.number {
                outbox.publications.removeFirst()
                seen.append(number)
                outbox.published(number, refusal: nil, at: .zero)
            }
        }
        for _ in 0..<10_000 where !outbox.publications.isEmpty {
            for number in take(&outbox) {
                seen.append(number)
                outbox.published(number, refusal: nil, at: .zero)
            }
            outbox.commit()
        }
        #expect(seen == Array(UInt64(0)..<3000))
        #expect(outbox.count == 0)
    }

    @Test func aRefusedMessageLeavesTheQueueAndIsCounted() {
        var outbox = Outbox(MemoryStore(), queueName: "q")
        outbox.connected(at: .zero)
        outbox.append(topic: "t", Self.payload, at: .zero)
        outbox.published(0, refusal: "Not authorized.", at: .zero)
        outbox.commit()
        #expect(outbox.count == 0)
        #expect(outbox.counts.refused == 1)
        #expect(outbox.refusal == "Not authorized.")
    }

    @Test func aPostponedMessageStaysAndComesAgainWithTheNextConnection() {
        var outbox = Outbox(MemoryStore(), queueName: "q")
        outbox.connected(at: .zero)
        outbox.append(topic: "t", Self.payload, at: .zero)
        #expect(take(&outbox) == [0])
        outbox.postponed(0, reason: "Quota exceeded.")
        outbox.commit()
        #expect(outbox.count == 1)
        #expect(outbox.counts.postponed == 1 && outbox.counts.refused == 0)
        #expect(outbox.deadline == Instant.zero + Outbox<MemoryStore>.acknowledgementTimeout)
        outbox.disconnected()
        outbox.connected(at: .zero)
        #expect(take(&outbox) == [0])
    }

    @Test func aFullDiskIsCountedAndReported() {
        var store = MemoryStore()
        store.isFull = true
        var outbox = Outbox(store, queueName: "q")
        outbox.append(topic: "t", Self.payload, at: .zero)
        #expect(outbox.counts.unstored == 1)
        #expect(outbox.failure != nil && !outbox.isStoring)
    }

    /// The outbox says whether the disk takes messages now: a message that is too long says nothing about it.
    @Test func theFailureOfTheDiskEndsWithTheNextMessage() {
        let full = DurableQueueError.system(operation: "A write to", path: "memory", ENOSPC)
        let failures: [DurableQueueError] = [.tooLong(9, limit: 8), full, .tooLong(9, limit: 8)]
        var store = MemoryStore()
        store.failures = failures
        var outbox = Outbox(store, queueName: "q")
        for (failure, isStoring) in zip(failures, [true, false, false]) {
            outbox.append(topic: "t", Self.payload, at: .zero)
            #expect(outbox.failure == failure && outbox.isStoring == isStoring)
        }
        outbox.append(topic: "t", Self.payload, at: .zero)
        #expect(outbox.failure == nil && outbox.isStoring)
        #expect(outbox.counts.unstored == 3 && outbox.counts.stored == 1)
    }

    @Test func aBrokerThatAcknowledgesNothingHasADeadline() {
        var outbox = Outbox(MemoryStore(), queueName: "q")
        #expect(outbox.deadline == nil)
        let now = Instant(nanoseconds: 5)
        outbox.connected(at: now)
        outbox.append(topic: "t", Self.payload, at: now)
        #expect(outbox.deadline == now + .seconds(30))
        outbox.published(0, refusal: nil, at: now)
        #expect(outbox.deadline == nil)
    }

    /// The folder's content is hostile: it holds what another program wrote.
    @Test func aForeignMessageOfTheStoreIsDropped() throws {
        var store = MemoryStore()
        for content in [[], [0], [255, 255, 1], [1, 0, 0x74], [0, 0, 0x7B, 0x7D], [1, 0, 0xFF, 0x7B, 0x7D]] as [[UInt8]]
        {
            _ = try store.append(content)
        }
        var outbox = Outbox(store, queueName: "q")
        outbox.connected(at: .zero)
        outbox.commit()
        #expect(outbox.publications.isEmpty)
        #expect(outbox.count == 0)
    }

    @Test func aQueueOnTheDiskKeepsWhatTheBrokerDidNotAcknowledge() throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var seen: Set<UInt64> = []
        var written = 0
        for run in 0..<6 {
            // A process that was killed: nothing is closed in order but the lock.
            var outbox = Outbox(try DurableQueue(folder: folder), queueName: "q")
            outbox.connected(at: .zero)
            for _ in 0..<300 { outbox.append(topic: "t", Self.payload, at: .zero) }
            written += 300
            for (index, publication) in outbox.publications.enumerated() where index % 3 != run % 3 {
                seen.insert(publication.number)
                outbox.published(publication.number, refusal: nil, at: .zero)
            }
            if run % 2 == 0 { outbox.commit() }
        }
        var outbox = Outbox(try DurableQueue(folder: folder), queueName: "q")
        outbox.connected(at: .zero)
        for _ in 0..<10_000 where !outbox.publications.isEmpty {
            let publications = outbox.publications
            outbox.publications = []
            for publication in publications {
                seen.insert(publication.number)
                outbox.published(publication.number, refusal: nil, at: .zero)
            }
            outbox.commit()
        }
        #expect(seen == Set((0..<written).map { UInt64($0) }))
        #expect(outbox.count == 0)
    }
}
