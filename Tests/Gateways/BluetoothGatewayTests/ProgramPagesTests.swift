import Foundation
import Testing

@testable import BluetoothGateway

struct ProgramPagesTests {
    @Test func onlyCodeOfFilesIsReleased() {
        let maps = """
            55d0c0000000-55d0c1296000 r-xp 00000000 fe:00 1234                       /usr/local/bin/bluelab
            55d0c1297000-55d0c14dd000 rw-p 01296000 fe:00 1234                       /usr/local/bin/bluelab
            55d0c14dd000-55d0c1500000 rw-p 00000000 00:00 0                          [heap]
            7f0000000000-7f0000100000 r--p 00000000 fe:00 77                         /lib/libc.so.6
            7f0000100000-7f0000200000 r-xp 00100000 fe:00 77                         /lib/with a space.so (deleted)
            7f0000300000-7f0000400000 rwxp 00000000 fe:00 78                         /lib/written.so
            7f0000500000-7f0000501000 r-xp 00000000 00:00 0
            7ffd00000000-7ffd00002000 r-xp 00000000 00:00 0                          [vdso]
            nonsense r-xp 00000000 fe:00 1 /x
            """
        #expect(
            ProgramPages.ranges(maps) == [0x55d0_c000_0000..<0x55d0_c129_6000, 0x7f00_0010_0000..<0x7f00_0020_0000])
    }

    @Test(
        arguments: [
            ("1-2 r-xp 0 0:0 0 /x", 1..<2), ("ff-1FF r-xp 0 0:0 0 /", 0xFF..<0x1FF),
            ("0-1 r-xp 0 0:0 0    /x y", 0..<1),
            ("2-2 r-xp 0 0:0 0 /x", nil), ("3-2 r-xp 0 0:0 0 /x", nil), ("1 r-xp 0 0:0 0 /x", nil),
            ("1-2-3 r-xp 0 0:0 0 /x", nil), ("1-g r-xp 0 0:0 0 /x", nil), ("-2 r-xp 0 0:0 0 /x", nil),
            ("1-2 r-xs 0 0:0 0 /x", nil), ("1-2 r-xp 0 0:0 0 x", nil), ("1-2 r-xp 0 0:0 /x", nil), ("", nil),
            ("1-10000000000000000 r-xp 0 0:0 0 /x", nil),
        ] as [(String, Range<UInt>?)]) func aLineIsAMappingOrNone(line: String, range: Range<UInt>?)
    {
        #expect(ProgramPages.ranges(line) == (range.map { [$0] } ?? []))
        #expect(ProgramPages.ranges("\(line)\n5-6 r-xp 0 0:0 0 /y\n") == (range.map { [$0] } ?? []) + [5..<6])
    }

    /// The file has no size, and is longer than one read.
    @Test func aLongFileIsReadToItsEnd() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: path) }
        for count in [0, 1, 4095, 4096, 4097, 8192, 70_000] {
            let text = String(repeating: "x", count: max(0, count - 1)) + (count > 0 ? "y" : "")
            try Data(text.utf8).write(to: URL(fileURLWithPath: path))
            #expect(ProgramPages.text(path) == text)
        }
        let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let files = descriptors.compactMap {
            try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
        }
        #expect(!files.contains(path), "the file is closed")
        #expect(ProgramPages.text(path + "/absent") == "")
    }

    @Test func aProgramGoesOnAfterwardsWithFewerPages() throws {
        func kilobytes() throws -> Int {
            let status = ProgramPages.text("/proc/self/status")
            let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssFile:") })
            return try #require(line.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) })
        }
        let before = try kilobytes()
        ProgramPages.release()
        #expect(try kilobytes() < before)
        #expect((1...1000).map { "\($0)" }.joined().utf8.count == 2893)
    }
}
