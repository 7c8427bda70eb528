import Foundation
import Testing

@testable import DurableQueue

/// The files of a queue in octets, written by hand from their description, and numbers far beyond those of a short run.
@Suite(.timeLimit(.minutes(10))) struct QueueFormatTests {
    private let disk = QueueDisk()
    private let limits = DurableQueue.Limits(octets: 1 << 20, segmentOctets: 4096, messageOctets: 1000)

    private func number(_ value: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * UInt64($0))) }
    }

    /// CRC-32, one bit after the other.
    private func checksum(_ octets: [UInt8]) -> [UInt8] {
        var value = UInt32.max
        for octet in octets {
            value ^= UInt32(octet)
            for _ in 0..<8 { value = value & 1 == 1 ? value >> 1 ^ 0xEDB8_8320 : value >> 1 }
        }
        return number(UInt64(~value), 4)
    }

    private func header(_ first: UInt64) -> [UInt8] {
        let octets = Array("DQ01".utf8) + number(first, 8)
        return octets + checksum(octets)
    }

    private func record(_ sequence: UInt64, _ content: [UInt8]) -> [UInt8] {
        number(UInt64(content.count), 4) + checksum(number(sequence, 8) + content) + content
    }

    /// The file `position` with both places.
    private func position(_ first: UInt64?, _ second: UInt64?) -> Data {
        var octets = [UInt8](repeating: 0, count: 4096 + 12)
        for (place, value) in [(0, first), (4096, second)] {
            guard let value else { continue }
            octets.replaceSubrange(place..<place + 12, with: number(value, 8) + checksum(number(value, 8)))
        }
        return Data(octets)
    }

    private func name(_ first: UInt64) -> String {
        let digits = "\(first)"
        return String(repeating: "0", count: 20 - digits.count) + digits + ".queue"
    }

    @Test func theChecksumIsThatOfEthernet() {
        // The check value of CRC-32.
        #expect(Checksum.of(Array("123456789".utf8)) == 0xCBF4_3926)
        #expect(Checksum.of([]) == 0)
        #expect(
            number(UInt64(Checksum.of([1, 2, 3], 0x0102_0304_0506_0708)), 4)
                == checksum([8, 7, 6, 5, 4, 3, 2, 1, 1, 2, 3]))
        #expect(UInt32(octets: [1, 2, 3, 4]) == 0x0403_0201 && UInt64(octets: [0, 0, 0, 0, 0, 0, 0, 0x80]) == 1 << 63)
    }

    @Test(arguments: [0, 1, 255, 256, 65_535, 65_536, 1 << 32, 1 << 40, 9_999_999_999_999_999_999] as [UInt64])
    func theFilesHaveTheirFormat(first: UInt64) throws {
        var files: QueueDisk.Files = ["position": position(first, nil)]
        let queue = try disk.open(files, limits: limits)
        #expect(queue.count == 0)
        #expect(try queue.next() == nil)
        let contents: [[UInt8]] = [[], [7], [UInt8](repeating: 9, count: 1000), [0, 0, 0, 0]]
        for (offset, content) in contents.enumerated() { #expect(try queue.append(content) == first + UInt64(offset)) }
        try queue.acknowledge(first)
        try queue.acknowledge(first + 1)
        try queue.synchronize()
        let path = disk.root + "/image/"
        let octets = header(first) + contents.enumerated().flatMap { record(first + UInt64($0), $1) }
        #expect(FileManager.default.contents(atPath: path + name(first)) == Data(octets))
        // The second place is written first, because the first one is the newest, and then the first one again.
        #expect(FileManager.default.contents(atPath: path + "position") == position(first + 2, first + 1))
        // The same files, made by hand.
        files = [name(first): Data(octets), "position": position(first + 1, first + 2)]
        let read = try disk.open(files, limits: limits)
        #expect(try read.next() == .init(sequence: first + 2, content: contents[2]))
        #expect(try read.next() == .init(sequence: first + 3, content: contents[3]))
        #expect(try read.next() == nil)
        #expect(try read.append([1]) == first + 4 && read.losses == .init())
    }

    /// The greater one of two valid places counts, whichever it is, and the other one is written next.
    @Test func theNewestPlaceCounts() throws {
        let octets = Data(header(0) + (0..<8 as Range<UInt64>).flatMap { record($0, [UInt8($0)]) })
        for (first, second, expected) in [
            (3, 5, 5), (5, 3, 5), (nil, 4, 4), (4, nil, 4), (nil, nil, 0), (0, 0, 0), (6, 6, 6), (2, 0, 2), (0, 2, 2),
        ] as [(UInt64?, UInt64?, UInt64)] {
            let queue = try disk.open([name(0): octets, "position": position(first, second)], limits: limits)
            #expect(try queue.next()?.sequence == expected && queue.count == 8 - Int(expected))
            // Each of the next writes takes the older place, so that a damaged one costs one step at most.
            for step in 1...2 as ClosedRange<UInt64> {
                try queue.acknowledge(expected + step - 1)
                let file = [UInt8](FileManager.default.contents(atPath: disk.root + "/image/position") ?? Data())
                try #require(file.count == 4096 + 12)
                let places = [Array(file[0..<12]), Array(file[4096..<4108])]
                let newest = number(expected + step, 8) + checksum(number(expected + step, 8))
                #expect(places.count { $0 == newest } == 1)
                if step == 2 {
                    let before = number(expected + 1, 8) + checksum(number(expected + 1, 8))
                    #expect(places.contains(before))
                }
            }
        }
    }

    /// A segment without messages says which numbers were used, also when the position is lost.
    @Test func theNumberOfARemovedSegmentIsNotUsedAgain() throws {
        var queue: DurableQueue? = try disk.open([name(5): Data(header(5))], limits: limits)
        #expect(queue?.count == 0)
        queue = nil
        let names = try FileManager.default.contentsOfDirectory(atPath: disk.root + "/image")
        #expect(names == ["position"])
        queue = try DurableQueue(folder: disk.root + "/image", limits: limits)
        #expect(try queue?.append([1]) == 5)
    }

    /// A position file that is too short has no valid place beyond its end.
    @Test(arguments: [0, 11, 12, 4096, 4107, 4108]) func aCutPositionHasItsWholePlaces(length: Int) throws {
        let octets = Data(header(0) + (0..<8 as Range<UInt64>).flatMap { record($0, [UInt8($0)]) })
        let queue = try disk.open([name(0): octets, "position": position(3, 5).prefix(length)], limits: limits)
        #expect(try queue.next()?.sequence == (length < 12 ? 0 : length < 4108 ? 3 : 5))
        #expect(queue.count == (length < 12 ? 8 : length < 4108 ? 5 : 3))
    }

    @Test func theNamesOfSegmentsHaveTwentyDigits() {
        for (text, number) in [
            ("00000000000000000000.queue", 0), ("00000000000000000042.queue", 42),
            ("18446744073709551615.queue", UInt64.max),
        ] {
            #expect(Segment.first(of: text) == number, "\(text)")
            #expect(Segment(first: number, octets: 0).name == text)
        }
        for text in [
            "18446744073709551616.queue", "0000000000000000042.queue", "000000000000000000042.queue",
            "0000000000000000004x.queue", "-0000000000000000042.queue", "00000000000000000042.queuf",
            "00000000000000000042.QUEUE", "00000000000000000042", "", ".queue", "000000000000000004\u{0663}.queue",
        ] {
            #expect(Segment.first(of: text) == nil, "\(text)")
        }
    }

    /// A segment begins with the message after the one that reached its size.
    @Test(arguments: [(4055, 1), (4056, 2), (4057, 2)]) func aSegmentEndsAtItsSize(count: Int, segments: Int) throws {
        // 16 octets of the header, and 8 before each of two contents: 4096 octets with contents of 4056 and 8.
        let limits = DurableQueue.Limits(octets: 1 << 20, segmentOctets: 4096, messageOctets: 5000)
        let queue = try DurableQueue(folder: disk.folder, limits: limits)
        try queue.append([UInt8](repeating: 1, count: count))
        try queue.append([UInt8](repeating: 2, count: 8))
        try queue.append([3])
        #expect(disk.present.keys.count { $0.hasSuffix(".queue") } == segments)
        #expect(try (0..<3).map { _ in try queue.next()?.sequence } == [0, 1, 2])
    }

    /// The limit counts the message that comes, and each segment as 4096 octets at least.
    @Test(arguments: [(25_328, 0), (25_327, 5), (30_000, 0)]) func theOldestSegmentGoesBeyondTheLimit(
        octets: Int, lost: Int
    ) throws {
        // Four segments of five messages have 16 + 5 * 1008 octets each, and the fifth one counts 4096.
        let limits = DurableQueue.Limits(octets: octets, segmentOctets: 4096, messageOctets: 1000)
        let queue = try DurableQueue(folder: disk.folder, limits: limits)
        let message = [UInt8](repeating: 5, count: 1000)
        for _ in 0..<20 { try queue.append(message) }
        #expect(queue.octets == 4 * 5056 && queue.losses == .init())
        try queue.append(message)
        #expect(queue.losses == .init(overflowed: lost, damaged: 0))
        #expect(queue.octets == (lost == 0 ? 4 : 3) * 5056 + 4096 && queue.count == 21 - lost)
        #expect(try queue.next()?.sequence == UInt64(lost))
    }

    @Test func theLimitsHaveMinima() throws {
        let least = DurableQueue.Limits(octets: 0, segmentOctets: 0, messageOctets: 0)
        #expect(least.segmentOctets == 4096 && least.messageOctets == 1 && least.octets == 4 * 4097)
        let standard = DurableQueue.Limits()
        #expect(standard.segmentOctets == 1 << 20 && standard.messageOctets == 256 << 10 && standard.octets == 64 << 20)
        let large = DurableQueue.Limits(octets: 5 << 20, segmentOctets: 1 << 20, messageOctets: 256 << 10)
        #expect(large.octets == 5 << 20)
        #expect(
            DurableQueue.Limits(octets: 5 << 20 - 1, segmentOctets: 1 << 20, messageOctets: 256 << 10).octets == 5 << 20
        )
        let queue = try DurableQueue(folder: disk.folder, limits: limits)
        #expect(try queue.append([UInt8](repeating: 1, count: 1000)) == 0)
        #expect(throws: DurableQueueError.tooLong(1001, limit: 1000)) {
            _ = try queue.append([UInt8](repeating: 1, count: 1001))
        }
        #expect(queue.count == 1)
        #expect(try queue.append([]) == 1)
    }

    @Test func aFailureIsASentence() {
        #expect(
            DurableQueueError.tooLong(5, limit: 4).description
                == "The message has 5 octets, but the queue takes 4 at most.")
        #expect(
            DurableQueueError.inUse(folder: "/a").description
                == "Another process uses the queue in /a. End it, or choose another folder.")
        #expect(
            DurableQueueError.system(operation: "A write to", path: "/a/b", ENOSPC).description
                == "A write to /a/b failed: No space left on device.")
    }
}
