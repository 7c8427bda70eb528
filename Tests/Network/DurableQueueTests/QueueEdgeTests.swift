import Foundation
import TestConditions
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
    @Test(arguments: [FileSystemCalls.Step.syncPosition, .syncSegment])
    func whatCouldNotBeSynchronizedIsSynchronizedAgain(step: FileSystemCalls.Step) throws {
        let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: disk.calls)
        for round in 0..<3 as Range<UInt64> {
            try queue.append([1])
            try queue.acknowledge(round)
            disk.fail(step, 0..<1)
            #expect(throws: DurableQueueError.self) { try queue.synchronize() }
            _ = disk.takeSteps()
            try queue.synchronize()
            #expect(disk.takeSteps().contains(step), "round \(round)")
            try queue.synchronize()
            #expect(disk.takeSteps().isEmpty)
        }
    }

    /// A write that fails between two parts of a message leaves the file as it was, and the next message takes the place.
    @Test(arguments: [1, 8, 100, 500]) func aMessageThatIsHalfWrittenIsCutOff(partLength: Int) throws {
        var calls = disk.calls
        calls.writeLength = partLength
        let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: calls)
        for round in 0..<3 as Range<UInt64> {
            try queue.append([1, 2, 3])
            let before = disk.present
            // What is left of the message would be further messages.
            let long = (0..<100).flatMap { _ in [1, 0, 0, 0, 5, 5, 5, 5, 5] as [UInt8] }
            disk.fail(.writeSegment, 1..<2)
            #expect(throws: DurableQueueError.self) { _ = try queue.append(long) }
            #expect(disk.present == before, "round \(round)")
            #expect(queue.count == Int(2 * round) + 1)
            #expect(try queue.append([9]) == 2 * round + 1)
            try queue.synchronize()
            let image = try disk.open(disk.synchronized, limits: limits)
            for number in 0...round {
                #expect(try image.next() == .init(sequence: 2 * number, content: [1, 2, 3]))
                #expect(try image.next() == .init(sequence: 2 * number + 1, content: [9]))
            }
            #expect(try image.next() == nil)
            #expect(try image.append([7]) == 2 * round + 2 && image.losses == .init())
        }
    }

    /// A segment is closed when it is on the disk, also while its messages wait.
    @Test func endedSegmentsAreClosed() throws {
        let queue = try DurableQueue(folder: disk.folder, limits: limits)
        func descriptors() throws -> Int {
            try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count { name in
                let path = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + name)
                return path?.hasPrefix(disk.folder) == true
            }
        }
        for round in 1...3 {
            for _ in 0..<50 { try queue.append(message) }
            try queue.synchronize()
            #expect(segmentNames.count == 10 * round)
            // The folder, and the segment that is written.
            #expect(try descriptors() == 2, "round \(round)")
        }
        // A program that never asks to synchronize closes them as well.
        for _ in 0..<50 { try queue.append(message) }
        queue.disk.wait()
        try queue.append(message)
        for _ in 0..<5 { try queue.append(message) }
        #expect(try descriptors() <= 4)
    }

    /// Messages that were acknowledged behind a damaged part go with it, and the position passes both.
    @Test func thePositionPassesDamageAndWhatWasAcknowledgedBehindIt() throws {
        let queue = try DurableQueue(folder: disk.folder, limits: limits)
        for _ in 0..<15 { try queue.append(message) }
        for sequence in [5, 6, 9] as [UInt64] { try queue.acknowledge(sequence) }
        let path = "\(disk.folder)/\(try #require(segmentNames.first))"
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        // The length of message 2: the messages 2 to 4 cannot be found.
        try file.seek(toOffset: UInt64(Segment.headerSize + 2 * 1008 + 3))
        try file.write(contentsOf: Data([0x7F]))
        try file.close()
        for sequence in [0, 1] as [UInt64] {
            #expect(try queue.next()?.sequence == sequence)
            try queue.acknowledge(sequence)
        }
        #expect(try queue.next()?.sequence == 7)
        #expect(queue.losses == .init(overflowed: 0, damaged: 3) && queue.count == 7)
        queue.disk.wait()
        // The first segment is gone.
        #expect(segmentNames.first == "00000000000000000005.queue")
        for sequence in [7, 8] as [UInt64] { try queue.acknowledge(sequence) }
        queue.disk.wait()
        #expect(segmentNames.first == "00000000000000000010.queue" && queue.count == 5)
        queue.rewind()
        #expect(try queue.next()?.sequence == 10)
    }

    /// A segment without a message that is removed leaves its name to the next one.
    @Test func aRemovedSegmentDoesNotTakeTheNextOneOfItsNameAlong() async throws {
        var calls = disk.calls
        calls.writeLength = 600
        // One thread after the other uses it.
        nonisolated(unsafe) let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: calls)
        for _ in 0..<5 { try queue.append(message) }
        // The next segment has a header and no message.
        disk.fail(.writeSegment, 1..<2)
        #expect(throws: DurableQueueError.self) { _ = try queue.append(message) }
        #expect(segmentNames.count == 2)
        let path = "\(disk.folder)/\(try #require(segmentNames.first))"
        let file = try #require(FileHandle(forUpdatingAtPath: path))
        try file.seek(toOffset: UInt64(Segment.headerSize + 4 * 1008 + 3))
        try file.write(contentsOf: Data([0x7F]))
        try file.close()
        // The disk is busy when the last acknowledgement removes both segments.
        let gate = DispatchSemaphore(value: 0)
        for sequence in 0..<4 as Range<UInt64> { #expect(try queue.next()?.sequence == sequence) }
        #expect(try queue.next() == nil)
        queue.disk.run { gate.wait() }
        for sequence in 0..<4 as Range<UInt64> { try queue.acknowledge(sequence) }
        #expect(queue.count == 0)
        // The next segment has the name of the second one, and waits for its removal.
        let append = ThreadedCall { _ = try? queue.append([1]) }
        #expect(await append.waits())
        gate.signal()
        #expect(await append.end())
        try queue.synchronize()
        #expect(segmentNames == ["00000000000000000005.queue"])
        #expect(try queue.next() == .init(sequence: 5, content: [1]))
        let image = try disk.open(disk.present, limits: limits)
        #expect(try image.next() == .init(sequence: 5, content: [1]))
    }

    /// A file under the name of the next segment is kept for a person, again and again.
    @Test func aStrayFileUnderTheNameOfASegmentIsSetAside() throws {
        for round in 0..<3 as Range<UInt64> {
            let name = Segment(first: 5 * round, octets: 0).name
            try FileManager.default.createDirectory(atPath: disk.folder, withIntermediateDirectories: true)
            try? Data([UInt8(round)]).write(to: URL(fileURLWithPath: "\(disk.folder)/\(name)"))
            let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: disk.calls)
            _ = disk.takeSteps()
            try queue.append(message)
            #expect(disk.takeSteps().first == .setAside)
            #expect(disk.present[name + ".damaged"] == Data([UInt8(round)]))
            for _ in 0..<4 { try queue.append(message) }
            for sequence in 5 * round..<5 * round + 5 { try queue.acknowledge(sequence) }
            #expect(queue.count == 0)
        }
    }

    /// A failed append leaves the queue as it was, at each of its calls, and the next one has the same number.
    @Test(arguments: [FileSystemCalls.Step.createSegment, .writeSegment], [0, 1]) func aFailedAppendChangesNothing(
        step: FileSystemCalls.Step, place: Int
    ) throws {
        let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: disk.calls)
        for round in 0..<3 as Range<UInt64> {
            let first = 5 * round
            disk.fail(step, place..<place + 1)
            var failures = 0
            for _ in 0..<5 {
                while (try? queue.append(message)) == nil { failures += 1 }
            }
            // A segment is created once in each round.
            #expect(failures == (step == .createSegment && place == 1 ? 0 : 1), "round \(round)")
            #expect(queue.count == Int(first) + 5 && queue.octets == 5056 * Int(round + 1))
            disk.failNothing()
        }
        for sequence in 0..<15 as Range<UInt64> {
            #expect(try queue.next() == .init(sequence: sequence, content: message))
        }
        #expect(queue.losses == .init())
    }
}
