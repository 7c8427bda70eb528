import Foundation

/// The sequence number before which every message is acknowledged, in a file of two places that are written in turn: a write that is cut
/// leaves the other place valid.
struct Watermark {
    var sequence: UInt64
    private let path: String
    private let folder: QueueFolder
    /// The place that is written next, 0 or 1.
    private var place = 0
    private var isSynchronized = true
    private var storedSequence: UInt64

    static let name = "position"
    private static let size = 12
    /// The places are in different sectors of a disk.
    private static let distance = 4096

    init(_ folder: QueueFolder) throws(DurableQueueError) {
        self.folder = folder
        path = folder.file(Self.name)
        var best: (sequence: UInt64, place: Int)?
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        if descriptor >= 0 {
            defer { close(descriptor) }
            for place in 0...1 {
                var octets = [UInt8](repeating: 0, count: Self.size)
                guard pread(descriptor, &octets, Self.size, off_t(place * Self.distance)) == Self.size,
                    Checksum.of(octets[0..<8]) == UInt32(octets: octets[8..<12])
                else { continue }
                let sequence = UInt64(octets: octets[0..<8])
                if best == nil || sequence > best!.sequence { best = (sequence, place) }
            }
        } else if errno != ENOENT {
            throw .system(operation: "The opening of", path: path, errno)
        }
        sequence = best?.sequence ?? 0
        storedSequence = sequence
        place = best.map { 1 - $0.place } ?? 0
        guard best == nil else { return }
        // Both places take their room now, so that a full disk does not prevent the removal of messages.
        isSynchronized = false
        for _ in 0...1 { try write() }
    }

    private mutating func write() throws(DurableQueueError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw .system(operation: "The opening of", path: path, errno) }
        defer { close(descriptor) }
        var octets: [UInt8] = []
        octets.append(integer: sequence)
        octets.append(integer: Checksum.of(octets))
        let offset = off_t(place * Self.distance)
        guard
            folder.calls.run(
                .writePosition, Self.name, { pwrite(descriptor, octets, octets.count, offset) == octets.count })
        else {
            throw .system(operation: "A write to", path: path, errno)
        }
        place = 1 - place
        storedSequence = sequence
        isSynchronized = false
    }

    /// Writes the position if it has changed.
    mutating func store() throws(DurableQueueError) {
        guard sequence != storedSequence else { return }
        try write()
    }

    mutating func setUnsynchronized() { isSynchronized = false }

    /// Writes the position, and makes it survive a power cut.
    mutating func synchronize(on disk: DiskQueue) throws(DurableQueueError) {
        try store()
        guard !isSynchronized else { return }
        isSynchronized = true
        disk.run { [folder] () throws(DurableQueueError) in try folder.synchronize(Self.name, .syncPosition) }
    }
}
