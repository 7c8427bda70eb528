import BLEWire
import Testing

@testable import BLETransport

/// Files that are cut or damaged, and the limits.
extension CaptureReaderTests {
    /// A cut file has all packets before the cut. The packets do not depend on the pieces.
    @Test func aFileMayBeCutAnywhere() throws {
        let files = [
            btsnoop(1002) + record(reset, flags: 2) + record(complete, flags: 3), pcap(187, [reset, complete]),
            section() + block(1, [187, 0, 0, 0, 0, 0, 0, 0]) + packet(0, 1, reset) + block(5, [1, 2, 3, 4])
                + packet(0, 2, complete),
        ]
        for file in files {
            let whole = try read(file)
            #expect(whole.isWhole && whole.packets.count == 2)
            // Below four octets, no format is known. pcapng has a whole section header then.
            for count in 4..<file.count {
                do {
                    let cut = try read(Array(file.prefix(count)), pieces: 1)
                    #expect(cut.packets == Array(whole.packets.prefix(cut.packets.count)))
                    #expect(cut.packets.count < 2)
                } catch {
                    // The header of the file is incomplete.
                    #expect(error as? CaptureReader.Fault == .unknownFormat && count < 24)
                }
            }
            for pieces in [1, 3, 64, 1000] { #expect(try read(file, pieces: pieces).packets == whole.packets) }
        }
    }

    @Test func otherFilesAreRefused() {
        for file in [[], [1, 2], Array("#!/bin/sh\n".utf8), Array("btsnoopx".utf8) + big(1) + big(1002)] {
            #expect(throws: CaptureReader.Fault.unknownFormat) { try read(file) }
        }
        #expect(throws: CaptureReader.Fault.unsupportedLinkType(1)) { try read(pcap(1, [reset])) }
        #expect(throws: CaptureReader.Fault.unsupportedLinkType(1003)) { try read(btsnoop(1003)) }
    }

    @Test func aDamagedLengthEndsTheReadingAtItsPlace() {
        let good = btsnoop(1002) + record(reset, flags: 2)
        #expect(throws: CaptureReader.Fault.damaged(offset: good.count)) {
            try read(good + big(4) + big(0xFFFF_FFFF) + [UInt8](repeating: 0, count: 40))
        }
        let header = pcap(187, [reset])
        #expect(throws: CaptureReader.Fault.damaged(offset: header.count)) {
            try read(header + [UInt8](repeating: 0xFF, count: 40))
        }
        let blocks = section() + block(1, [187, 0, 0, 0, 0, 0, 0, 0])
        for bad in [
            little(6) + little(13), little(6) + little(8), little(6) + little(0xFFFF_FFFC), little(1) + little(12),
        ] {
            #expect(throws: CaptureReader.Fault.damaged(offset: blocks.count)) {
                try read(blocks + bad + [UInt8](repeating: 0, count: 40))
            }
        }
        // A packet that is longer than its block.
        #expect(throws: CaptureReader.Fault.damaged(offset: blocks.count)) {
            try read(blocks + block(6, little(0) + little(0) + little(0) + little(5) + little(5) + reset))
        }
    }

    /// A block that nothing reads may be long, and is not kept.
    @Test func longBlocksOfOtherKindsAreDropped() throws {
        var reader = CaptureReader()
        reader.append(section() + block(1, [187, 0, 0, 0, 0, 0, 0, 0]) + little(10) + little(40_000_000))
        #expect(try reader.next() == nil)
        let piece = [UInt8](repeating: 1, count: 100_000)
        for _ in 0..<399 {
            reader.append(piece)
            #expect(try reader.next() == nil)
            try #require(reader.bufferedOctets == 0)
        }
        #expect(try !reader.finish())
        reader.append(piece.prefix(99_992) + packet(0, 1, reset))
        #expect(try reader.next()?.content == host(true, reset))
        #expect(try reader.finish())
    }

    @Test func interfacesBeyondTheLimitAreOfNoKnownType() throws {
        let interface = block(1, [187, 0, 0, 0, 0, 0, 0, 0])
        let limit = CaptureReader.interfaceLimit
        let file =
            section() + (0...limit).flatMap { _ in interface } + packet(UInt32(limit - 1), 1, reset)
            + packet(UInt32(limit), 1, reset)
        #expect(try read(file, pieces: 5000).packets.map(\.content) == [host(true, reset), .other])
    }

    /// Any octets after any header: no trap, and a buffer that is bounded.
    @Test func arbitraryOctetsDoNotTrap() throws {
        var random = SeededRandom(seed: 5)
        let starts = [
            btsnoop(1002), btsnoop(2001), pcap(272, []), pcap(256, []), pcap(254, [], isBigEndian: true),
            section() + block(1, [187, 0, 0, 0, 0, 0, 0, 0]), section(isBigEndian: true), [],
        ]
        for round in 0..<4000 {
            var file = starts[round % starts.count]
            // Small numbers in places of lengths reach more code than others.
            for _ in 0..<Int.random(in: 0...30, using: &random) {
                let isSmall = UInt8.random(in: 0...3, using: &random) > 0
                file +=
                    isSmall
                    ? little(UInt32.random(in: 0...40, using: &random))
                    : big(.random(in: 0...UInt32.max, using: &random))
            }
            if !file.isEmpty, round % 3 == 0 {
                file[Int.random(in: 0..<file.count, using: &random)] ^= UInt8.random(in: 1...255, using: &random)
            }
            var reader = CaptureReader()
            var count = 0
            do {
                for octet in file {
                    reader.append([octet])
                    while try reader.next() != nil { count += 1 }
                }
            } catch {
                // It says so on each further call.
                #expect(throws: error) { try reader.next() }
            }
            #expect(count <= file.count && reader.bufferedOctets <= file.count)
        }
    }
}
