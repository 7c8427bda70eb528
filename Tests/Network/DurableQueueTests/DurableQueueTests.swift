import Foundation
import TestConditions
import Testing

@testable import DurableQueue

@Suite(.timeLimit(.minutes(10))) struct DurableQueueTests {
    let folder = NSTemporaryDirectory() + "durable-queue-\(UUID().uuidString)"

    /// Reads everything, and acknowledges nothing.
    private func contents(of path: String, limits: DurableQueue.Limits = .init()) throws -> [[UInt8]] {
        let queue = try DurableQueue(folder: path, limits: limits)
        var result: [[UInt8]] = []
        while let message = try queue.next() { result.append(message.content) }
        return result
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".queue") }.sorted()
    }

    @Test func messagesComeInOrderAndSurviveARestart() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var sequences: [UInt64] = []
        do {
            let queue = try DurableQueue(folder: folder)
            for octet in 0..<10 as Range<UInt8> {
                sequences.append(try queue.append([UInt8](repeating: octet, count: Int(octet))))
            }
            #expect(sequences == Array(0..<10))
            let first = try #require(try queue.next())
            #expect(first == .init(sequence: 0, content: []))
            try queue.acknowledge(0)
            _ = try queue.next()
            #expect(queue.count == 9)
        }
        let queue = try DurableQueue(folder: folder)
        #expect(queue.count == 9)
        for octet in 1..<10 as Range<UInt8> {
            let message = try #require(try queue.next())
            #expect(message == .init(sequence: UInt64(octet), content: [UInt8](repeating: octet, count: Int(octet))))
        }
        #expect(try queue.next() == nil)
        #expect(try queue.append([1]) == 10)
        #expect(try queue.next()?.sequence == 10)
    }

    @Test func acknowledgedMessagesAreNotReadAgain() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let queue = try DurableQueue(folder: folder)
        for octet in 0..<5 as Range<UInt8> { try queue.append([octet]) }
        // The numbers 5 and 99 are those of no message yet.
        for sequence in [4, 1, 1, 3, 5, 99] as [UInt64] { try queue.acknowledge(sequence) }
        try queue.append([5])
        #expect(queue.count == 3)
        #expect(try [queue.next(), queue.next(), queue.next(), queue.next()].map { $0?.sequence } == [0, 2, 5, nil])
        queue.rewind()
        try queue.acknowledge(0)
        #expect(try queue.next()?.sequence == 2)
        try queue.acknowledge(2)
        try queue.acknowledge(5)
        #expect(queue.count == 0)
        #expect(try queue.next() == nil)
    }

    @Test func aSegmentIsRemovedWithItsLastAcknowledgement() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let limits = DurableQueue.Limits(octets: 1 << 20, segmentOctets: 4096)
        do {
            let queue = try DurableQueue(folder: folder, limits: limits)
            for _ in 0..<100 { try queue.append([UInt8](repeating: 7, count: 1000)) }
            #expect(try files().count == 20)
            while let message = try queue.next() { try queue.acknowledge(message.sequence) }
            try queue.synchronize()
            #expect(try files().count == 1)
            #expect(queue.octets <= 4096 + 2000)
        }
        let opened = try DurableQueue(folder: folder, limits: limits)
        #expect(try files().isEmpty)
        #expect(try opened.append([1]) == 100)
    }

    /// Acknowledgements before the messages are read, as those of an earlier connection: nothing is lost by them.
    @Test func messagesAcknowledgedBeforeTheyAreReadAreNoLoss() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let limits = DurableQueue.Limits(octets: 1 << 20, segmentOctets: 4096)
        let queue = try DurableQueue(folder: folder, limits: limits)
        for _ in 0..<12 { try queue.append([UInt8](repeating: 7, count: 1000)) }
        for sequence in 0..<6 as Range<UInt64> { try queue.acknowledge(sequence) }
        #expect(try queue.next()?.sequence == 6)
        #expect(queue.losses == .init() && queue.count == 6)
    }

    @Test func aFailureOfTheDiskIsReportedAtTheNextSynchronization() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let limits = DurableQueue.Limits(octets: 1 << 20, segmentOctets: 4096)
        let queue = try DurableQueue(folder: folder, limits: limits)
        for _ in 0..<10 { try queue.append([UInt8](repeating: 7, count: 1000)) }
        // A segment that cannot be removed.
        let file = folder + "/" + (try #require(try files().first))
        try FileManager.default.removeItem(atPath: file)
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        for sequence in 0..<10 { try queue.acknowledge(UInt64(sequence)) }
        #expect(throws: DurableQueueError.self) { try queue.synchronize() }
        // The queue goes on.
        #expect(try queue.append([1]) == 10)
        try queue.synchronize()
        #expect(try queue.next()?.content == [1])
    }

    @Test func theLimitRemovesTheOldestAndCountsThem() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let limits = DurableQueue.Limits(octets: 1, segmentOctets: 4096, messageOctets: 1000)
        let queue = try DurableQueue(folder: folder, limits: limits)
        for _ in 0..<3 { try queue.append([UInt8](repeating: 1, count: 1000)) }
        _ = try queue.next()
        try queue.acknowledge(1)
        for _ in 3..<100 { try queue.append([UInt8](repeating: 1, count: 1000)) }
        #expect(queue.octets <= limits.octets)
        let next = try #require(try queue.next())
        #expect(next.sequence == 100 - UInt64(queue.count))
        // One of the removed messages was acknowledged.
        #expect(queue.losses == .init(overflowed: Int(next.sequence) - 1, damaged: 0))
        #expect(throws: DurableQueueError.tooLong(1001, limit: 1000)) { _ = try append(queue, 1001) }
    }

    private func append(_ queue: DurableQueue, _ count: Int) throws -> UInt64 {
        try queue.append([UInt8](repeating: 0, count: count))
    }

    @Test func oneProcessUsesTheFolder() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var queue: DurableQueue? = try DurableQueue(folder: folder)
        #expect(throws: DurableQueueError.inUse(folder: folder)) { _ = try contents(of: folder) }
        #expect(queue?.count == 0)
        queue = nil
        #expect(try contents(of: folder).isEmpty)
    }

    /// The file of a process that ended within a write, for each length that it can have.
    @Test func aCutAtAnyOctetLosesOnlyTheMessageThatIsCut() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let messages: [[UInt8]] = (0..<8).map { [UInt8](repeating: UInt8($0), count: 3 * $0) }
        var ends = [Segment.headerSize]
        do {
            let queue = try DurableQueue(folder: folder)
            for message in messages {
                try queue.append(message)
                ends.append(ends[ends.count - 1] + 8 + message.count)
            }
        }
        let file = folder + "/" + (try #require(try files().first))
        let whole = try #require(FileManager.default.contents(atPath: file))
        #expect(whole.count == ends.last)
        for length in stride(from: whole.count, through: 0, by: -1) {
            // The queue removes a file without a message.
            try whole.prefix(length).write(to: URL(fileURLWithPath: file))
            let survivors = ends.lastIndex { $0 <= length } ?? 0
            #expect(try contents(of: folder) == Array(messages[..<survivors]))
        }
        // The queue goes on after each of them.
        try whole.prefix(ends[5] - 1).write(to: URL(fileURLWithPath: file))
        do {
            let queue = try DurableQueue(folder: folder)
            #expect(try queue.append([42]) == 4)
        }
        #expect(try contents(of: folder) == Array(messages[..<4]) + [[42]])
    }

    @Test func aDamagedMessageIsSkippedWithItsSegmentAndCounted() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let limits = DurableQueue.Limits(octets: 1 << 20, segmentOctets: 4096)
        do {
            let queue = try DurableQueue(folder: folder, limits: limits)
            for octet in 0..<12 as Range<UInt8> { try queue.append([UInt8](repeating: octet, count: 1000)) }
        }
        let names = try files()
        #expect(names.count == 3)
        var damaged = try #require(FileManager.default.contents(atPath: folder + "/" + names[1]))
        damaged[Segment.headerSize + 1008 + 500] ^= 1
        try damaged.write(to: URL(fileURLWithPath: folder + "/" + names[1]))

        let queue = try DurableQueue(folder: folder, limits: limits)
        var found: [UInt64] = []
        while let message = try queue.next() {
            found.append(message.sequence)
            try queue.acknowledge(message.sequence)
        }
        // The length of the damaged message shows where the next one begins.
        #expect(found == [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11])
        #expect(queue.losses == .init(overflowed: 0, damaged: 1))
        #expect(queue.count == 0)
    }

    @Test func aDamagedMessageOfTheNewestSegmentKeepsTheNumbersOfTheOthers() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            let queue = try DurableQueue(folder: folder)
            for octet in 0..<4 as Range<UInt8> { try queue.append([octet]) }
        }
        let file = folder + "/" + (try #require(try files().first))
        var octets = try #require(FileManager.default.contents(atPath: file))
        // The header, and the contents of the messages 0 and 2.
        for index in [3, Segment.headerSize + 8, Segment.headerSize + 26] { octets[index] ^= 1 }
        try octets.write(to: URL(fileURLWithPath: file))
        do {
            let queue = try DurableQueue(folder: folder)
            #expect(try queue.append([9]) == 4)
        }
        octets[Segment.headerSize + 8] ^= 1
        try octets.write(to: URL(fileURLWithPath: file))
        let queue = try DurableQueue(folder: folder)
        let number = try queue.append([9])
        #expect(number == 5)
        var found: [UInt64] = []
        while let message = try queue.next() { found.append(message.sequence) }
        #expect(found == [0, 1, 3, 4, 5])
        #expect(queue.losses.damaged == 1)
    }

    @Test func aLostPositionLetsSegmentsEnd() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let limits = DurableQueue.Limits(octets: 1 << 20, segmentOctets: 4096)
        do {
            let queue = try DurableQueue(folder: folder, limits: limits)
            for octet in 0..<12 as Range<UInt8> { try queue.append([UInt8](repeating: octet, count: 1000)) }
            for sequence in 0..<6 as Range<UInt64> { try queue.acknowledge(sequence) }
        }
        try FileManager.default.removeItem(atPath: folder + "/position")
        do {
            let queue = try DurableQueue(folder: folder, limits: limits)
            while let message = try queue.next() { try queue.acknowledge(message.sequence) }
            #expect(queue.count == 0)
        }
        let queue = try DurableQueue(folder: folder, limits: limits)
        #expect(try files().isEmpty && queue.next() == nil)
        #expect(try queue.append([1]) == 12)
    }

    @Test func aStrayFileIsNoSegment() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        _ = try DurableQueue(folder: folder)
        for name in ["18446744073709551615.queue", "09999999999999999999.queue", "00000000000000000000.queue"] {
            #expect(FileManager.default.createFile(atPath: folder + "/" + name, contents: nil))
        }
        let queue = try DurableQueue(folder: folder)
        #expect(try queue.append([1]) == 0)
        #expect(try queue.next()?.content == [1])
    }

    @Test func aDamagedPositionRepeatsMessagesAndLosesNone() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            let queue = try DurableQueue(folder: folder)
            for octet in 0..<4 as Range<UInt8> { try queue.append([octet]) }
            try queue.acknowledge(0)
            try queue.acknowledge(1)
            try queue.synchronize()
        }
        let position = folder + "/position"
        var octets = try #require(FileManager.default.contents(atPath: position))
        // The second place is the newest; the first one still says that message 0 is acknowledged.
        octets[4096] ^= 1
        try octets.write(to: URL(fileURLWithPath: position))
        #expect(try contents(of: folder) == [[1], [2], [3]])
        octets[0] ^= 1
        try octets.write(to: URL(fileURLWithPath: position))
        #expect(try contents(of: folder) == [[0], [1], [2], [3]])
    }

    /// Random operations beside a model in memory, with restarts.
    @Test(arguments: 0..<8 as Range<UInt64>) func itBehavesAsItsModel(seed: UInt64) throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var random = Seeded(seed)
        let limits = DurableQueue.Limits(octets: 1 << 20, segmentOctets: 4096)
        var model: [(sequence: UInt64, content: [UInt8], isAcknowledged: Bool)] = []
        var position = 0
        var queue: DurableQueue! = try DurableQueue(folder: folder, limits: limits)
        for _ in 0..<600 {
            switch random.next(10) {
            case 0...3:
                let content = (0..<random.next(300)).map { UInt8(truncatingIfNeeded: $0) }
                model.append((try queue.append(content), content, false))
            case 4...6:
                while position < model.count, model[position].isAcknowledged { position += 1 }
                let message = try queue.next()
                #expect(message?.sequence == (position < model.count ? model[position].sequence : nil))
                #expect(message?.content == (position < model.count ? model[position].content : nil))
                if message != nil { position += 1 }
            case 7...8:
                guard !model.isEmpty else { continue }
                let index = random.next(model.count)
                try queue.acknowledge(model[index].sequence)
                model[index].isAcknowledged = true
            default:
                if random.next(2) == 0 {
                    queue.rewind()
                } else {
                    queue = nil
                    queue = try DurableQueue(folder: folder, limits: limits)
                    // Acknowledgements beyond the first gap are not kept.
                    let gap = model.firstIndex { !$0.isAcknowledged } ?? model.count
                    for index in model.indices where index > gap { model[index].isAcknowledged = false }
                }
                position = model.firstIndex { !$0.isAcknowledged } ?? model.count
            }
            #expect(queue.count == model.count { !$0.isAcknowledged })
        }
    }
}
