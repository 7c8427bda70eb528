import BLEAdapter
import Foundation
import Testing

@testable import DurableQueue

/// The files of a queue: their permissions and descriptors, and damage that the file system does while the queue is open.
@Suite(.timeLimit(.minutes(10))) struct QueueFileTests {
    let folder = NSTemporaryDirectory() + "durable-queue-\(UUID().uuidString)"

    /// Five messages of 1,000 octets fill a segment.
    private let limits = DurableQueue.Limits(octets: 1 << 20, segmentOctets: 4096)

    private func fill(_ queue: DurableQueue, _ count: Int) throws {
        for octet in 0..<count { try queue.append([UInt8](repeating: UInt8(octet), count: 1000)) }
    }

    /// Makes the length of a message larger than the file.
    private func damage(_ message: Int, of segment: Int) throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".queue") }
        let file = URL(fileURLWithPath: folder + "/" + names.sorted()[segment])
        let handle = try FileHandle(forWritingTo: file)
        try handle.seek(toOffset: UInt64(Segment.headerSize + message * 1008 + 3))
        try handle.write(contentsOf: [0x7F])
        try handle.close()
    }

    /// The descriptors of this process for files in the folder.
    private func descriptors() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
        }.filter { $0.hasPrefix(folder) }
    }

    @Test func theOwnerAloneCanReadTheFiles() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let queue = try DurableQueue(folder: folder)
        try queue.append([1])
        try queue.synchronize()
        for name in ["", "/position", "/00000000000000000000.queue"] {
            let attributes = try FileManager.default.attributesOfItem(atPath: folder + name)
            let permissions = try #require(attributes[.posixPermissions] as? NSNumber)
            #expect(permissions.intValue == (name.isEmpty ? 0o700 : 0o600))
        }
    }

    /// Neither in the first run nor in one that finds the files.
    @Test func noDescriptorStaysOpen() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        for _ in 0..<2 {
            do {
                let queue = try DurableQueue(folder: folder, limits: limits)
                try fill(queue, 12)
                while let message = try queue.next() { try queue.acknowledge(message.sequence) }
                try queue.synchronize()
                // The folder, the segment that is written, and the one that is read.
                #expect(try descriptors().count <= 3)
            }
            #expect(try descriptors().isEmpty)
        }
    }

    /// A program that this one starts inherits no file of the queue.
    @Test func noProgramInheritsADescriptor() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var calls = FileSystemCalls()
        let folder = folder
        let seen = Lock<(files: Set<String>, inherited: Set<String>)>(([], []))
        let look: @Sendable () -> Void = {
            for number in (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? [] {
                let path = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)) ?? ""
                guard path.hasPrefix(folder), let descriptor = Int32(number) else { continue }
                let flags = fcntl(descriptor, F_GETFD)
                // Another thread may have closed the file, and opened another one under its number.
                guard (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)) == path
                else { continue }
                seen.withLock { seen in
                    seen.files.insert(String(path.dropFirst(folder.count)))
                    if flags >= 0, flags & FD_CLOEXEC == 0 { seen.inherited.insert(path) }
                }
            }
        }
        calls.didCall = { _, _ in look() }
        for _ in 0..<2 {
            let queue = try DurableQueue(folder: folder + "/queue", limits: limits, calls: calls)
            try fill(queue, 7)
            _ = try queue.next()
            look()
            try queue.acknowledge(0)
            try queue.synchronize()
        }
        let (files, inherited) = seen.withLock { $0 }
        // The first one is the parent of the queue's folder.
        let names = ["", "/position", "/00000000000000000000.queue", "/00000000000000000005.queue"]
        #expect(files.isSuperset(of: [""] + names.map { "/queue" + $0 }))
        #expect(inherited.isEmpty)
    }

    @Test func acknowledgedMessagesInADamagedPartAreNotLost() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let queue = try DurableQueue(folder: folder, limits: limits)
        try fill(queue, 12)
        try queue.acknowledge(6)
        try queue.acknowledge(7)
        // The messages 6 to 9 cannot be found any more.
        try damage(1, of: 1)
        var found: [UInt64] = []
        while let message = try queue.next() { found.append(message.sequence) }
        #expect(found == [0, 1, 2, 3, 4, 5, 10, 11])
        #expect(queue.losses == .init(overflowed: 0, damaged: 2))
        #expect(queue.count == 8)
    }

    /// Messages after the damage would not be found in the same segment.
    @Test func theQueueGoesOnInAnotherSegmentAfterADamagedEnd() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let queue = try DurableQueue(folder: folder, limits: limits)
        try fill(queue, 2)
        try damage(1, of: 0)
        #expect(try queue.next()?.sequence == 0)
        #expect(try queue.next() == nil)
        #expect(try queue.append([9]) == 2)
        #expect(try queue.next() == .init(sequence: 2, content: [9]))
        #expect(queue.losses == .init(overflowed: 0, damaged: 1))
    }

    /// Damage in an earlier segment leaves the newest one open.
    @Test func damageInAnEarlierSegmentLeavesTheNewestOneOpen() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let queue = try DurableQueue(folder: folder, limits: limits)
        try fill(queue, 7)
        try damage(1, of: 0)
        #expect(try [queue.next(), queue.next()].map { $0?.sequence } == [0, 5])
        #expect(try queue.append([9]) == 7)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(names.filter { $0.hasSuffix(".queue") }.count == 2)
    }

    /// A segment that another program removed counts as damaged, and nothing fails; one that cannot be opened is a failure.
    @Test func aSegmentThatVanishedIsDamaged() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let queue = try DurableQueue(folder: folder, limits: limits)
        try fill(queue, 12)
        let path = folder + "/00000000000000000000.queue"
        try FileManager.default.moveItem(atPath: path, toPath: path + ".aside")
        // A symbolic link to itself.
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: path)
        #expect(throws: DurableQueueError.system(operation: "The opening of", path: path, ELOOP)) {
            _ = try queue.next()
        }
        try FileManager.default.removeItem(atPath: path)
        #expect(try queue.next()?.sequence == 5)
        #expect(queue.losses == .init(overflowed: 0, damaged: 5) && queue.count == 7)
        for sequence in 5..<10 as Range<UInt64> {
            if sequence == 7 { try FileManager.default.removeItem(atPath: folder + "/00000000000000000005.queue") }
            try queue.acknowledge(sequence)
        }
        try queue.synchronize()
        #expect(try queue.next()?.sequence == 10 && queue.count == 2)
    }

    /// Entries with the name of a segment that are no files.
    @Test func aFolderOrALinkIsNoSegment() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try FileManager.default.createDirectory(
            atPath: folder + "/00000000000000000042.queue", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(
            atPath: folder + "/00000000000000000043.queue", withDestinationPath: folder + "/nothing")
        let queue = try DurableQueue(folder: folder, limits: limits)
        #expect(try queue.count == 0 && queue.next() == nil && queue.append([1]) == 0)
    }

    @Test func aFileInThePlaceOfAFolderIsAFailure() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try Data([1]).write(to: URL(fileURLWithPath: folder))
        for path in [folder, folder + "/a"] {
            #expect(throws: DurableQueueError.system(operation: "The creation of", path: folder, EEXIST)) {
                _ = try DurableQueue(folder: path)
            }
        }
    }
}
