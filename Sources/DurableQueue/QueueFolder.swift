import Foundation

/// The folder of a queue, locked for this process.
final class QueueFolder: Sendable {
    let path: String
    let calls: QueueCalls
    /// The descriptor that holds the lock, and that synchronizes the folder's entries.
    private let descriptor: Int32

    init(_ path: String, _ calls: QueueCalls) throws(DurableQueueFailure) {
        self.path = path
        self.calls = calls
        do {
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        } catch {
            throw .system(operation: "The creation of", path: path, errno == 0 ? ENOENT : errno)
        }
        descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw .system(operation: "The opening of", path: path, errno) }
        // A child process holds the inherited lock until exec closes the descriptor.
        var attempts = 0
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            attempts += 1
            guard attempts < 100 else { throw .inUse(folder: path) }
            usleep(10_000)
        }
    }

    deinit { close(descriptor) }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The segments in the order of their messages. Other files are not touched.
    func segments() throws(DurableQueueFailure) -> [Segment] {
        let names: [String]
        do { names = try FileManager.default.contentsOfDirectory(atPath: path) } catch {
            throw .system(operation: "The listing of", path: path, errno)
        }
        var result: [Segment] = []
        for name in names {
            guard let first = Segment.first(of: name) else { continue }
            var status = stat()
            guard stat(file(name), &status) == 0 else { continue }
            let segment = Segment(first: first, octets: Int(status.st_size))
            // A damaged header does not matter, because the checksum of a message covers its number.
            let reader = try SegmentReader(segment, self)
            if reader.hasHeader || reader.next() != nil { result.append(segment) }
        }
        return result.sorted { $0.first < $1.first }
    }

    func remove(_ segment: Segment) throws(DurableQueueFailure) {
        let path = file(segment.name)
        guard calls.run(.removeSegment, segment.name, { unlink(path) == 0 || errno == ENOENT }) else {
            throw .system(operation: "The removal of", path: path, errno)
        }
    }

    /// Makes the messages of a segment survive a power cut.
    func synchronize(_ segment: Segment) throws(DurableQueueFailure) {
        try synchronize(segment.name, .syncSegment)
    }

    /// Makes what was written to a file survive a power cut.
    func synchronize(_ name: String, _ step: QueueCalls.Step) throws(DurableQueueFailure) {
        let path = file(name)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, calls.run(step, name, { fsync(descriptor) == 0 }) else {
            throw .system(operation: "The synchronization of", path: path, errno)
        }
    }

    /// Makes new and removed entries survive a power cut.
    func synchronize() throws(DurableQueueFailure) {
        guard calls.run(.syncFolder, "", { fsync(descriptor) == 0 }) else {
            throw .system(operation: "The synchronization of", path: path, errno)
        }
    }
}
