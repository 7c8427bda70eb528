import Foundation

/// The folder of a queue, locked for this process.
final class QueueFolder: Sendable {
    let path: String
    let calls: FileSystemCalls
    /// The descriptor that holds the lock, and that synchronizes the folder's entries.
    private let descriptor: Int32

    init(_ path: String, _ calls: FileSystemCalls) throws(DurableQueueError) {
        self.path = path
        self.calls = calls
        try Self.create(path, calls)
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

    /// Creates the folder and its parents, so that they survive a power cut.
    private static func create(_ path: String, _ calls: FileSystemCalls) throws(DurableQueueError) {
        var parent = path.hasPrefix("/") ? "/" : "."
        var end = path.startIndex
        while end != path.endIndex {
            end = path[path.index(after: end)...].firstIndex(of: "/") ?? path.endIndex
            let part = String(path[..<end])
            defer { parent = part }
            guard calls.run(.makeFolder, part, { mkdir(part, 0o700) == 0 }) else {
                let number = errno
                var status = stat()
                if stat(part, &status) == 0, status.st_mode & S_IFMT == S_IFDIR { continue }
                throw .system(operation: "The creation of", path: part, number)
            }
            let descriptor = open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
            defer { if descriptor >= 0 { close(descriptor) } }
            // A folder in which the user may make entries but not list them cannot be opened.
            if descriptor < 0, errno == EACCES { continue }
            guard descriptor >= 0, calls.run(.syncParent, part, { fsync(descriptor) == 0 }) else {
                let number = errno
                // Else the next attempt would find it and leave it so.
                rmdir(part)
                throw .system(operation: "The synchronization of", path: parent, number)
            }
        }
    }

    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// The segments in the order of their messages. Other files are not touched.
    func segments() throws(DurableQueueError) -> [Segment] {
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

    func remove(_ segment: Segment) throws(DurableQueueError) {
        let path = file(segment.name)
        guard calls.run(.removeSegment, segment.name, { unlink(path) == 0 || errno == ENOENT }) else {
            throw .system(operation: "The removal of", path: path, errno)
        }
    }

    /// Makes the messages of a segment survive a power cut.
    func synchronize(_ segment: Segment) throws(DurableQueueError) {
        try synchronize(segment.name, .syncSegment)
    }

    /// Makes what was written to a file survive a power cut.
    func synchronize(_ name: String, _ step: FileSystemCalls.Step) throws(DurableQueueError) {
        let path = file(name)
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        defer { if descriptor >= 0 { close(descriptor) } }
        guard descriptor >= 0, calls.run(step, name, { fsync(descriptor) == 0 }) else {
            throw .system(operation: "The synchronization of", path: path, errno)
        }
    }

    /// Makes new and removed entries survive a power cut.
    func synchronize() throws(DurableQueueError) {
        guard calls.run(.syncFolder, "", { fsync(descriptor) == 0 }) else {
            throw .system(operation: "The synchronization of", path: path, errno)
        }
    }
}
