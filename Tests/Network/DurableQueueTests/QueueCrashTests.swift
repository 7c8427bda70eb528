import BLEAdapter
import Foundation
import TestConditions
import Testing

@testable import DurableQueue

/// Processes that end, and power that fails, after any system call of a queue; and calls that fail.
@Suite(.timeLimit(.minutes(10))) struct QueueCrashTests {
    private let disk = QueueDisk()
    /// Five messages of 1,000 octets fill a segment.
    private let limits = DurableQueue.Limits(octets: 1 << 20, segmentOctets: 4096, messageOctets: 1000)

    /// What the program knows of its messages.
    private struct Model {
        var contents: [[UInt8]] = []
        var acknowledged: Set<UInt64> = []
        /// The number of messages at the last synchronization that succeeded.
        var synchronizedCount = 0
        /// The message whose `append` has not returned.
        var pending: [UInt8]?

        /// The messages before it are acknowledged.
        var prefix: UInt64 { (0...UInt64(contents.count)).first { !acknowledged.contains($0) } ?? 0 }
    }

    /// An image of the folder after a call, and what was promised before it.
    private struct Moment: Sendable {
        let step: FileSystemCalls.Step?
        let files: QueueDisk.Files
        let isPowerCut: Bool
        let model: Model
        /// Whether a file that could not be synchronized can be missing between others.
        var canHaveGaps = false
    }

    private static func content(_ number: Int, _ count: Int = 1000) -> [UInt8] {
        [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: max(0, count - 2)) + [
            UInt8(number >> 8 & 0xFF), 7,
        ]
    }

    /// Opens the image, and compares it with the promises.
    private func check(_ moment: Moment) throws {
        let model = moment.model
        let queue = try disk.open(moment.files, limits: limits)
        var found: [DurableQueue.Message] = []
        while let message = try queue.next() { found.append(message) }
        let place = "after \(moment.step?.rawValue ?? "all"), \(moment.isPowerCut ? "power cut" : "end of the process")"
        let numbers = found.map(\.sequence)
        #expect(numbers == numbers.sorted() && Set(numbers).count == numbers.count, "\(place): order")
        var isRight = true
        for message in found {
            let number = Int(message.sequence)
            let content = number < model.contents.count ? model.contents[number] : model.pending
            if message.content != content { isRight = false }
        }
        #expect(isRight, "\(place): contents")
        let promised = moment.isPowerCut ? model.synchronizedCount : model.contents.count
        let missing = (0..<UInt64(promised)).filter { !model.acknowledged.contains($0) && !numbers.contains($0) }
        #expect(missing.isEmpty, "\(place): lost \(missing)")
        if !moment.isPowerCut {
            #expect(numbers.first ?? .max >= model.prefix, "\(place): repeated")
        }
        if !moment.canHaveGaps { #expect(queue.losses == .init(), "\(place): losses") }
        let next = try queue.append([1])
        #expect(next >= UInt64(promised), "\(place): the number \(next) was used before")
    }

    /// A new folder is on the disk, with each of its parents, before anything is promised; one that cannot be synchronized is made again.
    @Test func aNewFolderIsSynchronizedWithItsParents() throws {
        let folder = disk.folder + "/a/b"
        try FileManager.default.createDirectory(atPath: disk.root, withIntermediateDirectories: true)
        for failing in 0..<3 {
            disk.fail(.syncParent, failing..<failing + 1)
            #expect(throws: DurableQueueError.self) { try DurableQueue(folder: folder, calls: disk.calls) }
            #expect(!FileManager.default.fileExists(atPath: folder))
            disk.failNothing()
            _ = disk.takeSteps()
            _ = try DurableQueue(folder: folder, calls: disk.calls)
            let made = disk.takeSteps().filter { $0 == .makeFolder || $0 == .syncParent }
            // The folders before the one that failed are on the disk already.
            #expect(made == (failing..<3).flatMap { _ in [.makeFolder, .syncParent] })
            try FileManager.default.removeItem(atPath: disk.folder)
        }
        disk.fail(.makeFolder, 0..<100)
        #expect(throws: DurableQueueError.self) { try DurableQueue(folder: folder, calls: disk.calls) }
        #expect(throws: DurableQueueError.self) { try DurableQueue(folder: "") }
    }

    /// Random operations, with an image after each system call.
    @Test(arguments: 0..<3 as Range<UInt64>) func aCrashAfterAnyCallKeepsWhatWasPromised(seed: UInt64) throws {
        var random = Seeded(seed)
        let moments = Lock<[Moment]>([])
        let model = Lock(Model())
        var queue: DurableQueue! = try DurableQueue(folder: disk.folder, limits: limits, calls: disk.calls)
        disk.onCall { [unowned disk = self.disk] step in
            let now = model.withLock { $0 }
            let (present, synchronized) = (disk.present, disk.synchronized)
            moments.withLock { list in
                list.append(Moment(step: step, files: present, isPowerCut: false, model: now))
                list.append(Moment(step: step, files: synchronized, isPowerCut: true, model: now))
            }
        }
        for number in 0..<70 {
            let count = model.withLock { $0.contents.count }
            switch random.next(10) {
            case 0...4:
                let content = Self.content(number, 900 + random.next(100))
                model.withLock { $0.pending = content }
                #expect(try queue.append(content) == UInt64(count))
                model.withLock { model in
                    model.contents.append(content)
                    model.pending = nil
                }
            case 5...7:
                // Mostly the oldest, so that segments end.
                let first = model.withLock { $0.prefix }
                let sequence = random.next(4) == 0 ? UInt64(random.next(max(1, count))) : first
                guard sequence < UInt64(count) else { break }
                // The acknowledgement may be on the disk before the call returns.
                model.withLock { _ = $0.acknowledged.insert(sequence) }
                try queue.acknowledge(sequence)
            case 8:
                try queue.synchronize()
                model.withLock { $0.synchronizedCount = $0.contents.count }
            default:
                if random.next(3) == 0 {
                    queue = nil
                    queue = try DurableQueue(folder: disk.folder, limits: limits, calls: disk.calls)
                    // Acknowledgements beyond the first gap are not kept.
                    model.withLock { model in
                        let prefix = model.prefix
                        model.acknowledged = model.acknowledged.filter { $0 < prefix }
                    }
                }
            }
            // The calls of the disk's thread belong to this operation.
            queue.disk.wait()
        }
        disk.onCall(nil)
        let all = moments.withLock { $0 }
        #expect(
            Set(all.compactMap(\.step)).isSuperset(of: [.removeSegment, .syncFolder, .syncPosition, .writePosition]))
        for moment in all { try check(moment) }
    }

    /// A disk without room takes messages again as soon as those of the last segment are acknowledged, without another call of the owner.
    @Test(arguments: [ENOSPC, EDQUOT, EIO]) func aFullDiskGivesTheRoomOfAcknowledgedMessagesBack(number: Int32) throws {
        let disk = disk
        var calls = disk.calls
        let fails = calls.failure
        calls.failure = { step, name in
            let octets = disk.present.reduce(0) { $0 + ($1.key.hasSuffix(".queue") ? $1.value.count : 0) }
            return step == .writeSegment && octets > 2000 ? number : fails?(step, name)
        }
        let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: calls)
        var next: UInt64 = 0
        for round in 0..<3 {
            for _ in 0..<2 {
                #expect(try queue.append(Self.content(round)) == next)
                next += 1
            }
            // One message is not acknowledged: it stays, and the new one is refused.
            try queue.acknowledge(next - 1)
            let path = try #require(disk.present.keys.filter { $0.hasSuffix(".queue") }.max())
            let failure = DurableQueueError.system(
                operation: "A write to", path: "\(disk.folder)/\(path)", number)
            #expect(throws: failure) { try queue.append(Self.content(9)) }
            queue.rewind()
            #expect(try queue.next()?.sequence == next - 2 && queue.count == 1)
            try queue.acknowledge(next - 2)
            #expect(queue.count == 0)
        }
        #expect(try queue.append(Self.content(7)) == next)
        try queue.synchronize()
        let reopened = try disk.open(disk.synchronized, limits: limits)
        #expect(try reopened.next()?.content == Self.content(7))
    }

    @Test func callsComeInTheOrderThatAPowerCutNeeds() throws {
        let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: disk.calls)
        #expect(
            disk.takeSteps() == [.makeFolder, .syncParent, .makeFolder, .syncParent, .writePosition, .writePosition])
        for number in 0..<4 { try queue.append(Self.content(number)) }
        #expect(
            disk.takeSteps() == [.createSegment, .writeSegment] + [
                .writeSegment, .writeSegment, .writeSegment, .writeSegment,
            ])
        try queue.synchronize()
        #expect(disk.takeSteps() == [.syncSegment, .syncFolder, .syncPosition])
        try queue.synchronize()
        #expect(disk.takeSteps().isEmpty, "nothing has changed")
        try queue.append(Self.content(4))
        try queue.synchronize()
        #expect(disk.takeSteps() == [.writeSegment, .syncSegment], "the entry of the segment is on the disk")
        // The next segment.
        try queue.append(Self.content(5))
        queue.disk.wait()
        #expect(
            disk.takeSteps() == [.createSegment, .writeSegment, .writeSegment], "the segment before was on the disk")
        for sequence in 0..<5 { try queue.acknowledge(UInt64(sequence)) }
        queue.disk.wait()
        let position = [FileSystemCalls.Step](repeating: .writePosition, count: 5)
        #expect(disk.takeSteps() == position + [.syncPosition, .removeSegment])
        try queue.synchronize()
        #expect(disk.takeSteps() == [.syncSegment, .syncFolder, .syncPosition])
    }

    @Test func anEndedSegmentIsSynchronizedBeforeTheProgramAsks() throws {
        let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: disk.calls)
        for number in 0..<6 { try queue.append(Self.content(number)) }
        queue.disk.wait()
        #expect(disk.takeSteps().filter { [.syncSegment, .syncFolder].contains($0) } == [.syncSegment, .syncFolder])
    }

    /// The segment that a process left is not on the disk, whatever it has.
    @Test func theSegmentOfAnEarlierRunIsSynchronizedAtTheStart() throws {
        do {
            let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: disk.calls)
            try queue.append([1])
        }
        _ = disk.takeSteps()
        let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: disk.calls)
        #expect(disk.takeSteps() == [.syncSegment])
        #expect(queue.count == 1)
        try queue.synchronize()
        #expect(disk.takeSteps().isEmpty, "nothing has changed")
    }

    /// The start removes segments that an earlier run left, and throws what fails there.
    @Test(arguments: [FileSystemCalls.Step.syncSegment, .syncPosition, .removeSegment])
    func aFailureAtTheStartIsThrown(step: FileSystemCalls.Step) throws {
        do {
            let queue = try DurableQueue(folder: disk.folder, limits: limits)
            for number in 0..<3 { try queue.append(Self.content(number)) }
            for sequence in 0..<3 as Range<UInt64> { try queue.acknowledge(sequence) }
        }
        disk.fail(step, 0..<1)
        #expect(throws: DurableQueueError.self) {
            _ = try DurableQueue(folder: disk.folder, limits: limits, calls: disk.calls)
        }
        let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: disk.calls)
        #expect(try queue.append([1]) == 3)
    }

    /// A write that a signal interrupts is repeated.
    @Test func anInterruptedWriteIsRepeated() throws {
        var calls = disk.calls
        let count = Lock(0)
        calls.failure = { step, _ in
            guard step == .writeSegment else { return nil }
            return count.withLock { count in
                count += 1
                return count % 3 == 0 ? nil : EINTR
            }
        }
        calls.writeLength = 100
        let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: calls)
        for number in 0..<7 { #expect(try queue.append(Self.content(number)) == UInt64(number)) }
        let image = try disk.open(disk.present, limits: limits)
        for number in 0..<7 { #expect(try image.next()?.content == Self.content(number)) }
        #expect(!disk.takeSteps().contains(.cutSegment))
    }

    /// A segment whose second synchronization failed is synchronized again, although others have ended since.
    @Test func aSegmentThatFailedBeforeOthersEndedIsSynchronizedAgain() throws {
        let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: disk.calls)
        for number in 0..<2 { try queue.append(Self.content(number)) }
        try queue.synchronize()
        disk.fail(.syncSegment, 0..<1)
        for number in 2..<12 {
            try queue.append(Self.content(number))
            queue.disk.wait()
        }
        #expect(throws: DurableQueueError.self) { try queue.synchronize() }
        try queue.synchronize()
        let image = try disk.open(disk.synchronized, limits: limits)
        for number in 0..<12 { #expect(try image.next()?.content == Self.content(number)) }
    }

    /// A queue ends after the operations that it requested, so that the next one finds them done.
    @Test func theEndOfAQueueWaitsForTheDisk() async throws {
        // One thread after the other uses it.
        nonisolated(unsafe) var queue: DurableQueue? = try DurableQueue(
            folder: disk.folder, limits: limits, calls: disk.calls)
        let gate = DispatchSemaphore(value: 0)
        queue?.disk.run { gate.wait() }
        let end = ThreadedCall { queue = nil }
        #expect(await end.waits())
        gate.signal()
        #expect(await end.end())
    }

    /// The oldest segment makes room: its number is on the disk before the segment is gone.
    @Test func aFullQueueStoresItsPositionBeforeItRemovesASegment() throws {
        let limits = DurableQueue.Limits(octets: 1, segmentOctets: 4096, messageOctets: 1000)
        let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: disk.calls)
        var number = 0
        while queue.losses.overflowed == 0 {
            _ = disk.takeSteps()
            try queue.append(Self.content(number))
            number += 1
        }
        queue.disk.wait()
        let steps = disk.takeSteps().filter { [.writePosition, .syncPosition, .removeSegment].contains($0) }
        #expect(steps == [.writePosition, .syncPosition, .removeSegment])
        // Three times the capacity later, the newest messages are there, in order.
        for _ in 0..<60 {
            try queue.append(Self.content(number))
            number += 1
        }
        #expect(queue.octets <= limits.octets)
        var numbers: [UInt64] = []
        while let message = try queue.next() {
            numbers.append(message.sequence)
            #expect(message.content == Self.content(Int(message.sequence)))
        }
        #expect(numbers == Array(UInt64(queue.losses.overflowed)..<UInt64(number)))
        #expect(queue.count == numbers.count)
    }

    /// Each call fails once or twice, at each of its first places: what the queue accepted survives a power cut after the next synchronization that succeeds.
    @Test(arguments: FileSystemCalls.Step.allCases.filter { $0 != .setAside }, [1, 2])
    func aFailedCallIsMadeGood(step: FileSystemCalls.Step, times: Int) throws {
        for place in 0..<5 {
            let disk = QueueDisk()
            let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: disk.calls)
            var model = Model()
            disk.fail(step, place..<place + times)
            // Without a write that fails, nothing is cut.
            if step == .cutSegment { disk.fail(.writeSegment, 3..<5) }
            for number in 0..<30 {
                let content = Self.content(number)
                // check-tests: exit: an append may fail here, and the model then does not have the message.
                if let sequence = try? queue.append(content) {
                    #expect(sequence == UInt64(model.contents.count))
                    model.contents.append(content)
                }
                if number % 7 == 6, (try? queue.synchronize()) != nil { model.synchronizedCount = model.contents.count }
                if number % 7 == 3 { try? queue.beginToSynchronize() }
                // Acknowledgements hide what a segment lost, so that every other time there are few.
                if number % (place.isMultiple(of: 2) ? 3 : 10) == 2 {
                    let next = model.prefix
                    guard next < UInt64(model.contents.count) else { continue }
                    model.acknowledged.insert(next)
                    // A failure leaves the message acknowledged in memory.
                    try? queue.acknowledge(next)
                }
            }
            queue.disk.wait()
            try check(
                Moment(step: step, files: disk.synchronized, isPowerCut: true, model: model, canHaveGaps: true))
            disk.failNothing()
            // The first one reports what has failed.
            if (try? queue.synchronize()) == nil { try queue.synchronize() }
            model.synchronizedCount = model.contents.count
            try check(Moment(step: step, files: disk.synchronized, isPowerCut: true, model: model))
            try check(Moment(step: step, files: disk.present, isPowerCut: false, model: model))
            #expect(queue.count == model.contents.count - model.acknowledged.count)
        }
    }

    @Test func aFailureIsReportedOnce() throws {
        let queue = try DurableQueue(folder: disk.folder, limits: limits, calls: disk.calls)
        for round in 0..<3 {
            try queue.append([UInt8(round)])
            disk.fail(.syncSegment, 0..<1)
            #expect(throws: DurableQueueError.self) { try queue.synchronize() }
            _ = disk.takeSteps()
            try queue.synchronize()
            #expect(disk.takeSteps().contains(.syncSegment), "the next synchronization does it again")
            try queue.synchronize()
            #expect(disk.takeSteps().isEmpty)
        }
    }

    /// A power cut can leave zeros at the end of a file. They are no messages, so the next ones get their numbers.
    @Test func zerosAtTheEndAreNoMessages() throws {
        do {
            let queue = try DurableQueue(folder: disk.folder, limits: limits)
            for number in 0..<3 { try queue.append(Self.content(number, 100)) }
        }
        let name = try #require(disk.present.keys.first { $0.hasSuffix(".queue") })
        let content = try #require(disk.present[name])
        let path = "\(disk.folder)/\(name)"
        for count in [1, 7, 8, 9, 16, 4096] {
            try (content + Data(count: count)).write(to: URL(fileURLWithPath: path))
            let queue = try disk.open(disk.present, limits: limits)
            #expect(try queue.append([9]) == 3, "\(count) zeros")
            var numbers: [UInt64] = []
            while let message = try queue.next() { numbers.append(message.sequence) }
            #expect(numbers == [0, 1, 2, 3] && queue.losses.damaged == 0, "\(count) zeros")
        }
    }

    /// Nothing counts segments: a queue of many is read in order, also by the next run.
    @Test(arguments: [1, 7, 8, 9, 16, 17, 33]) func aQueueOfManySegmentsKeepsItsOrder(segments: Int) throws {
        let count = segments * 5
        do {
            let queue = try DurableQueue(folder: disk.folder, limits: limits)
            for number in 0..<count { try queue.append(Self.content(number)) }
            #expect(disk.present.keys.count { $0.hasSuffix(".queue") } == segments)
        }
        let queue = try DurableQueue(folder: disk.folder, limits: limits)
        for number in 0..<count {
            #expect(try queue.next() == .init(sequence: UInt64(number), content: Self.content(number)))
        }
        for number in 0..<count { try queue.acknowledge(UInt64(number)) }
        queue.disk.wait()
        #expect(disk.present.keys.count { $0.hasSuffix(".queue") } == 0 && queue.count == 0)
    }
}
