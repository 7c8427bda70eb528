import Foundation
import Synchronization

/// A file of consecutive messages.
///
/// The header has the characters `DQ01`, the sequence number of the first message (8 octets), and the checksum of both (4 octets). A
/// message has its length (4 octets), a checksum of its sequence number and its content (4 octets), and the content. All numbers have the
/// least significant octet first.
struct Segment: Sendable {
    static let headerSize = 16
    static let magic: [UInt8] = Array("DQ01".utf8)

    let first: UInt64
    /// The size of the file.
    var octets: Int

    var name: String {
        let digits = String(first)
        return String(repeating: "0", count: 20 - digits.count) + digits + ".queue"
    }

    static func first(of name: String) -> UInt64? {
        guard name.hasSuffix(".queue"), name.utf8.count == 26 else { return nil }
        let digits = name.dropLast(6)
        return digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? UInt64(digits) : nil
    }

    var header: [UInt8] {
        var header = Self.magic
        header.append(integer: first)
        header.append(integer: Checksum.of(header))
        return header
    }
}

/// Appends messages to a new segment.
///
/// `@unchecked Sendable`: the disk's thread uses constants only.
final class SegmentWriter: @unchecked Sendable {
    private let descriptor: Int32
    let name: String
    private let path: String
    private let folder: QueueFolder
    private var size: Int
    private var isNew = true
    private var isDirty = true
    /// Whether the disk's thread has done what was requested last.
    private let isDone = Atomic(false)

    init(_ segment: Segment, _ folder: QueueFolder) throws(DurableQueueError) {
        self.folder = folder
        let name = segment.name
        let path = folder.file(name)
        (self.name, self.path) = (name, path)
        // A file of this name holds no message that can be read. It is kept for a person to look at.
        if access(path, F_OK) == 0 {
            _ = folder.calls.run(.setAside, name) { rename(path, path + ".damaged") == 0 }
        }
        var number: Int32 = -1
        let isCreated = folder.calls.run(.createSegment, name) {
            number = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
            return number >= 0
        }
        descriptor = number
        guard isCreated else { throw .system(operation: "The creation of", path: path, errno) }
        size = 0
        do {
            try write(segment.header)
        } catch {
            _ = folder.calls.run(.removeSegment, name) { unlink(path) == 0 }
            throw error
        }
    }

    deinit { close(descriptor) }

    /// Returns the octets that the message takes.
    func append(_ content: [UInt8], _ sequence: UInt64) throws(DurableQueueError) -> Int {
        var record: [UInt8] = []
        record.reserveCapacity(8 + content.count)
        record.append(integer: UInt32(content.count))
        record.append(integer: Checksum.of(content, sequence))
        record += content
        try write(record)
        return record.count
    }

    func setUnsynchronized() { (isNew, isDirty) = (true, true) }

    /// Whether the messages so far survive a power cut.
    var isSynchronized: Bool { !isDirty && isDone.load(ordering: .acquiring) }

    /// Makes the messages so far survive a power cut.
    func synchronize(on disk: DiskQueue) {
        guard isDirty else { return }
        let isNew = self.isNew
        (self.isNew, isDirty) = (false, false)
        isDone.store(false, ordering: .relaxed)
        disk.run { [self] () throws(DurableQueueError) in
            guard folder.calls.run(.syncSegment, name, { fsync(descriptor) == 0 }) else {
                throw .system(operation: "The synchronization of", path: path, errno)
            }
            if isNew { try folder.synchronize() }
            isDone.store(true, ordering: .releasing)
        }
    }

    /// A write that fails in the middle leaves the file as it was.
    private func write(_ octets: [UInt8]) throws(DurableQueueError) {
        var done = 0
        while done < octets.count {
            var count = -1
            let length = min(octets.count - done, folder.calls.writeLength)
            let isWritten = folder.calls.run(.writeSegment, name) {
                count = octets.withUnsafeBytes {
                    pwrite(descriptor, $0.baseAddress! + done, length, off_t(size + done))
                }
                return count > 0
            }
            if isWritten {
                done += count
            } else if errno != EINTR {
                let number = count == 0 ? ENOSPC : errno
                _ = folder.calls.run(.cutSegment, name) { ftruncate(descriptor, off_t(size)) == 0 }
                throw .system(operation: "A write to", path: path, number)
            }
        }
        size += octets.count
        isDirty = true
    }
}

/// Reads the messages of a segment in order. A damaged message is skipped if its length shows where the next one begins.
final class SegmentReader {
    private let descriptor: Int32
    private let path: String
    /// Of the first message of the segment.
    let first: UInt64
    /// Of the next message.
    private(set) var sequence: UInt64
    private var offset = Segment.headerSize
    let hasHeader: Bool

    init(_ segment: Segment, _ folder: QueueFolder) throws(DurableQueueError) {
        path = folder.file(segment.name)
        first = segment.first
        sequence = segment.first
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 || errno == ENOENT else { throw .system(operation: "The opening of", path: path, errno) }
        self.descriptor = descriptor
        hasHeader = descriptor >= 0 && Self.read(descriptor, Segment.headerSize, at: 0) == segment.header
    }

    deinit { if descriptor >= 0 { close(descriptor) } }

    /// The content of the next message that is not damaged; nil at the end. `sequence` is the number after it.
    func next() -> [UInt8]? {
        while let record = record() {
            if let content = record.content { return content }
        }
        return nil
    }

    private struct Record {
        let content: [UInt8]?
    }

    /// The next message, without a content if it is damaged; nil at the end, and where no message can begin.
    private func record() -> Record? {
        guard descriptor >= 0, let head = Self.read(descriptor, 8, at: offset) else { return nil }
        // A file system can leave zeros at the end of a file after a power cut.
        if head.allSatisfy({ $0 == 0 }) { return nil }
        let length = Int(UInt32(octets: head[0..<4]))
        var status = stat()
        // The length of a damaged record must not decide what is allocated.
        guard fstat(descriptor, &status) == 0, offset + 8 + length <= Int(status.st_size) else { return nil }
        guard let content = Self.read(descriptor, length, at: offset + 8) else { return nil }
        let isWhole = Checksum.of(content, sequence) == UInt32(octets: head[4..<8])
        offset += 8 + length
        sequence += 1
        return Record(content: isWhole ? content : nil)
    }

    func skip(to target: UInt64) {
        while sequence < target, record() != nil {}
    }

    /// The sequence number after the last message.
    func end() -> UInt64 {
        while record() != nil {}
        return sequence
    }

    private static func read(_ descriptor: Int32, _ count: Int, at offset: Int) -> [UInt8]? {
        var done = 0
        let octets = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
            while done < count {
                let result = pread(descriptor, buffer.baseAddress! + done, count - done, off_t(offset + done))
                if result > 0 { done += result } else if result == 0 || errno != EINTR { break }
            }
            initialized = done
        }
        return done == count ? octets : nil
    }
}
