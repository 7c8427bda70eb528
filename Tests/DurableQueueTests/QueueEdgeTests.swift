import Foundation
import Testing

@testable import DurableQueue

/// Places and numbers at the edges of segments.
@Suite(.timeLimit(.minutes(10))) struct QueueEdgeTests {
    private let disk = QueueDisk()
    private let limits = DurableQueue.Limits(octets: 1 << 20, segmentOctets: 4096, messageOctets: 1000)
    private let message = [UInt8](repeating: 5, count: 1000)

    private var segmentNames: [String] { disk.present.keys.filter { $0.hasSuffix(".queue") }.sorted() }

    /// The number of a message is part of its checksum: a segment under the name of another one has no messages.
    @Test func aSegmentUnderAnotherNumberHasNoMessages() throws {
        do {
            let queue = try DurableQueue(folder: disk.folder, limits: limits)
            for _ in 0..<3 { try queue.append([1, 2, 3]) }
        }
        let name = try #require(segmentNames.first)
        let content = try #require(disk.present[name])
        let queue = try disk.open(["00000000000000000007.queue": content], limits: limits)
        #expect(queue.count == 0)
        #expect(try queue.next() == nil)
        #expect(try queue.append([1]) == 0)
    }

    @Test func aPlaceBeyondTheEndIsTheEnd() throws {
        let queue = try DurableQueue(folder: disk.folder, limits: limits)
        for octet in 0..<3 as Range<UInt8> { try queue.append([octet]) }
        queue.seek(to: 100)
        #expect(try queue.next() == nil)
        try queue.append([3])
        #expect(try queue.next()?.content == [3])
        try queue.acknowledge(0)
        queue.seek(to: 0)
        #expect(try queue.next()?.content == [1])
        queue.seek(to: 2)
        #expect(try queue.next()?.content == [2])
    }

    /// Messages that were acknowledged before an overflow reached them do not stop the position for good.
    @Test func thePositionPassesWhatWasAcknowledgedBeforeAnOverflow() throws {
        let limits = DurableQueue.Limits(octets: 1, segmentOctets: 4096, messageOctets: 1000)
        let queue = try DurableQueue(folder: disk.folder, limits: limits)
        for _ in 0..<10 { try queue.append(message) }
        for sequence in 5..<8 as Range<UInt64> { try queue.acknowledge(sequence) }
        var count: UInt64 = 10
        while queue.losses.overflowed == 0 {
            try queue.append(message)
            count += 1
        }
        #expect(queue.losses.overflowed == 5)
        for sequence in 8..<count { try queue.acknowledge(sequence) }
        queue.disk.wait()
        #expect(queue.count == 0 && segmentNames.count == 1)
        #expect(try queue.next() == nil)
    }

    /// A segment whose end is damaged while the queue writes to it takes no more messages, which could not be read behind the damage.
    @Test func messagesAfterDamageGoIntoAnotherSegment() throws {
        let queue = try DurableQueue(folder: disk.folder, limits: limits)
        for round in 0..<2 as Range<UInt64> {
            let first = round * 4
            for octet in 0..<3 as Range<UInt8> { try queue.append([octet]) }
            let path = "\(disk.folder)/\(try #require(segmentNames.last))"
            let file = try #require(FileHandle(forUpdatingAtPath: path))
            // The length of the last message but one: the next one cannot be found. Before it are a head and, in the second round, a message.
            try file.seek(toOffset: UInt64(Segment.headerSize + 9 + (round == 0 ? 0 : 9)))
            try file.write(contentsOf: Data([0xFF, 0xFF]))
            try file.close()
            #expect(try queue.next()?.sequence == first)
            #expect(try queue.next() == nil)
            #expect(queue.losses.damaged == 2 * Int(round + 1))
            #expect(try queue.append([9]) == first + 3)
            #expect(try queue.next() == .init(sequence: first + 3, content: [9]), "round \(round)")
        }
    }

    /// A position that could not be synchronized is synchronized again, in each round.
    @Test(arguments: [QueueCalls.Step.syncPosition, .syncSegment])
    func whatCouldNotBeSynchronizedIsSynchronizedAgain(step: QueueCalls.Step) throws {
        let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: disk.calls)
        for round in 0..<3 as Range<UInt64> {
            try queue.append([1])
            try queue.acknowledge(round)
            disk.fail(step, 0..<1)
            #expect(throws: DurableQueueFailure.self) { try queue.synchronize() }
            _ = disk.takeSteps()
            try queue.synchronize()
            #expect(disk.takeSteps().contains(step), "round \(round)")
            try queue.synchronize()
            #expect(disk.takeSteps().isEmpty)
        }
    }
}
