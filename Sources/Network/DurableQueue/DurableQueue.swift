import Foundation

/// A queue of messages in a folder, in the order of their sequence numbers. A message leaves the queue when it is acknowledged.
///
/// A message that `append` has accepted survives the end of the process at any moment. After `synchronize` it survives a power cut.
/// Acknowledgements can be lost in both cases, so a message can be read again after a restart: the receiver removes duplicates.
///
/// The folder holds segments, files of many messages. A segment is removed when all its messages are acknowledged, and the oldest one is
/// removed when the queue exceeds its limit. One process uses the folder at a time.
///
/// A thread waits for the disk. The next synchronization reports a failure there.
package final class DurableQueue {
    package struct Limits: Sendable {
        /// The octets of all segments, at least four segments.
        package var octets: Int
        /// The size at which a new segment begins.
        package var segmentOctets: Int
        /// The largest message, in octets.
        package var messageOctets: Int

        package init(octets: Int = 64 << 20, segmentOctets: Int = 1 << 20, messageOctets: Int = 256 << 10) {
            self.segmentOctets = max(4096, segmentOctets)
            self.messageOctets = max(1, messageOctets)
            self.octets = max(octets, 4 * (self.segmentOctets + self.messageOctets))
        }
    }

    package struct Message: Equatable, Sendable {
        /// Larger than the number of every earlier message, also after a restart.
        package let sequence: UInt64
        package let content: [UInt8]

        package init(sequence: UInt64, content: [UInt8]) { (self.sequence, self.content) = (sequence, content) }
    }

    /// What the queue lost since it was opened.
    package struct Losses: Equatable, Sendable {
        /// Messages that the limit removed before their acknowledgement.
        package var overflowed = 0
        /// Messages that the file system did not return as they were written.
        package var damaged = 0
    }

    private let folder: QueueFolder
    let disk = DiskQueue()
    private let limits: Limits
    /// From the oldest to the newest. `append` writes to the last one, if `tail` is open.
    private var segments: [Segment]
    private var tail: SegmentWriter?
    /// The writers of earlier segments whose messages may not be on the disk yet.
    private var ended: [SegmentWriter] = []
    private var watermark: Watermark
    /// Acknowledged messages beyond the watermark.
    private var acknowledged: Set<UInt64> = []
    private var cursor: SegmentReader?
    /// The first message of the segment that the disk's thread removed last, or is about to remove.
    private var lastRemoved: UInt64?
    /// The sequence number from which `next` continues.
    private var nextToRead: UInt64
    private var nextToWrite: UInt64
    package private(set) var losses = Losses()

    /// Opens the queue in a folder, and creates the folder if necessary.
    package init(
        folder path: String, limits: Limits = Limits(), calls: FileSystemCalls = FileSystemCalls()
    ) throws(DurableQueueError) {
        self.limits = limits
        folder = try QueueFolder(path, calls)
        watermark = try Watermark(folder)
        segments = try folder.segments()
        // The messages before the first segment are gone, whatever the position says.
        watermark.sequence = max(watermark.sequence, segments.first?.first ?? 0)
        nextToWrite = watermark.sequence
        if let last = segments.last {
            // The process can have ended within a write: the messages before it count. They may not be on the disk yet.
            nextToWrite = max(nextToWrite, try SegmentReader(last, folder).end())
            try folder.synchronize(last)
        }
        nextToRead = watermark.sequence
        try removeAcknowledgedSegments()
        disk.wait()
        try disk.check()
    }

    /// Waits for the disk, so that another queue can use the folder at once.
    deinit { disk.wait() }

    /// The number of messages that are not acknowledged. Damaged ones count until the queue has tried to read them.
    package var count: Int {
        let oldest = max(watermark.sequence, segments.first?.first ?? nextToWrite)
        return Int(clamping: nextToWrite - min(oldest, nextToWrite)) - acknowledged.count
    }

    /// The size of all segments in octets. A short segment counts as a block of the file system.
    package var octets: Int { segments.reduce(0) { $0 + max(4096, $1.octets) } }

    /// Appends a message and returns its sequence number. The oldest segment makes room if the queue is full, and the last one, once all of its messages are
    /// acknowledged, if the disk is.
    ///
    /// - Throws: `tooLong`, or the failure of the file system; the queue is then as it was.
    @discardableResult package func append(_ content: [UInt8]) throws(DurableQueueError) -> UInt64 {
        guard content.count <= limits.messageOctets else {
            throw .tooLong(content.count, limit: limits.messageOctets)
        }
        do throws(DurableQueueError) { return try write(content) } catch {
            guard watermark.sequence == nextToWrite, tail != nil, segments.last?.octets ?? 0 > Segment.headerSize else {
                throw error
            }
            endSegment()
            try removeAcknowledgedSegments()
            disk.wait()
            return try write(content)
        }
    }

    private func write(_ content: [UInt8]) throws(DurableQueueError) -> UInt64 {
        if tail == nil || (segments.last?.octets ?? 0) >= limits.segmentOctets {
            endSegment()
            // A file of the same name must not be removed later.
            if lastRemoved == nextToWrite { disk.wait() }
            let segment = Segment(first: nextToWrite, octets: Segment.headerSize)
            tail = try SegmentWriter(segment, folder)
            // A file without a message, of an earlier run, had the same name.
            if segments.last?.first == nextToWrite { segments.removeLast() }
            segments.append(segment)
        }
        while octets + content.count + 8 > limits.octets, segments.count > 1 { try removeOldest() }
        let sequence = nextToWrite
        segments[segments.count - 1].octets += try tail!.append(content, sequence)
        nextToWrite += 1
        return sequence
    }

    /// Returns after all appended messages and acknowledgements are on the disk.
    package func synchronize() throws(DurableQueueError) {
        try requestSynchronization()
        disk.wait()
        try checkDisk()
    }

    /// Begins what `synchronize` does, and does not wait for it.
    ///
    /// - Throws: What failed since the last synchronization.
    package func beginToSynchronize() throws(DurableQueueError) {
        try requestSynchronization()
        try checkDisk()
    }

    private func requestSynchronization() throws(DurableQueueError) {
        for writer in ended { writer.synchronize(on: disk) }
        tail?.synchronize(on: disk)
        try watermark.synchronize(on: disk)
    }

    /// After a failure, the next synchronization does all of it again.
    private func checkDisk() throws(DurableQueueError) {
        do throws(DurableQueueError) { try disk.check() } catch {
            for writer in ended { writer.setUnsynchronized() }
            tail?.setUnsynchronized()
            watermark.setUnsynchronized()
            throw error
        }
        ended.removeAll(where: \.isSynchronized)
    }

    /// A segment is synchronized when it ends, so that `synchronize` needs only the last one, unless the disk failed.
    private func endSegment() {
        ended.removeAll(where: \.isSynchronized)
        guard let tail else { return }
        tail.synchronize(on: disk)
        ended.append(tail)
        self.tail = nil
    }

    /// The next message in order that is not acknowledged; nil at the end of the queue.
    package func next() throws(DurableQueueError) -> Message? {
        while nextToRead < nextToWrite {
            let segment = segments.last { $0.first <= nextToRead } ?? segments.first
            if cursor == nil || cursor!.sequence != nextToRead || cursor!.first != segment?.first {
                guard let segment else { return nil }
                // The beginning was removed by the limit.
                nextToRead = max(nextToRead, segment.first)
                cursor = try SegmentReader(segment, folder)
                cursor!.skip(to: nextToRead)
            }
            let content = cursor!.sequence == nextToRead ? cursor!.next() : nil
            // The number after the message that was read, or after the segment if it ended early.
            let following =
                content != nil ? cursor!.sequence - 1 : segments.first { $0.first > nextToRead }?.first ?? nextToWrite
            if following > nextToRead {
                losses.damaged += Int(clamping: following - nextToRead)
                for sequence in acknowledged where sequence < following && sequence >= nextToRead {
                    losses.damaged -= 1
                    acknowledged.remove(sequence)
                }
                markLost(nextToRead..<following)
                nextToRead = following
            }
            guard let content else {
                cursor = nil
                // The damaged end of the segment that `append` writes to: a new one begins.
                if following == nextToWrite { endSegment() }
                continue
            }
            let sequence = nextToRead
            nextToRead += 1
            if sequence >= watermark.sequence, !acknowledged.contains(sequence) {
                return Message(sequence: sequence, content: content)
            }
        }
        return nil
    }

    /// Continues `next` with the oldest message that is not acknowledged, as after a lost connection.
    package func rewind() {
        nextToRead = watermark.sequence
        cursor = nil
    }

    /// Continues `next` with this message, or with the oldest one that is not acknowledged if that is later.
    package func seek(to sequence: UInt64) {
        nextToRead = max(watermark.sequence, min(sequence, nextToWrite))
        cursor = nil
    }

    /// Removes a message. The order does not matter, and an unknown or repeated number has no effect.
    package func acknowledge(_ sequence: UInt64) throws(DurableQueueError) {
        guard sequence >= watermark.sequence, sequence < nextToWrite else { return }
        acknowledged.insert(sequence)
        guard sequence == watermark.sequence else { return }
        var first = sequence
        while acknowledged.remove(first) != nil { first += 1 }
        try advance(to: first)
    }

    /// A gap without messages counts as acknowledged.
    private func markLost(_ range: Range<UInt64>) {
        guard range.lowerBound <= watermark.sequence else {
            acknowledged.formUnion(range)
            return
        }
        var first = max(watermark.sequence, range.upperBound)
        while acknowledged.remove(first) != nil { first += 1 }
        try? advance(to: first)
    }

    private func advance(to sequence: UInt64) throws(DurableQueueError) {
        watermark.sequence = sequence
        try watermark.store()
        try removeAcknowledgedSegments()
    }

    /// The last segment stays while `append` writes to it.
    private func removeAcknowledgedSegments() throws(DurableQueueError) {
        while let first = segments.first {
            let end = segments.count > 1 ? segments[1].first : nextToWrite
            guard end <= watermark.sequence, segments.count > 1 || tail == nil else { return }
            // After a power cut, the numbers of removed messages must not be used again.
            try watermark.store()
            disk.run { [folder] () throws(DurableQueueError) in
                try folder.synchronize(Watermark.name, .syncPosition)
                try folder.remove(first)
            }
            lastRemoved = first.first
            ended.removeAll { $0.name == first.name }
            segments.removeFirst()
        }
    }

    private func removeOldest() throws(DurableQueueError) {
        let end = segments[1].first
        let begin = max(segments[0].first, watermark.sequence)
        if begin < end {
            losses.overflowed += Int(end - begin)
            for sequence in acknowledged where sequence < end {
                losses.overflowed -= 1
                acknowledged.remove(sequence)
            }
            var first = end
            while acknowledged.remove(first) != nil { first += 1 }
            watermark.sequence = first
            try watermark.store()
        }
        if nextToRead < end {
            nextToRead = end
            cursor = nil
        }
        try removeAcknowledgedSegments()
    }
}
