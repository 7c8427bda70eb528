import BLEPacketDecoding
import BLETransport
import Foundation
import Studio
import Testing

@testable import bluelab

/// `bluelab explain`: how a file ends, and the records.
final class ExplainTests {
    private let path: String

    init() {
        let name = "explain-\(UUID().uuidString.prefix(8))"
        path = FileManager.default.temporaryDirectory.appendingPathComponent(name).path
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }

    /// LE Connection Complete, a notification without a subscription, and Disconnection Complete.
    private static let packets: [[UInt8]] = [
        [4, 0x3E, 19, 1, 0, 0x40, 0, 0, 1, 1, 2, 3, 4, 5, 0xC6, 24, 0, 0, 0, 0xF4, 1, 0],
        [2, 0x40, 0x20, 8, 0, 4, 0, 4, 0, 0x1B, 3, 0, 9], [4, 5, 4, 0, 0x40, 0, 0x08],
    ]

    private func file(_ count: Int = packets.count) -> [UInt8] {
        var writer = BtsnoopWriter(format: .h4)
        var file: [UInt8] = []
        writer.appendHeader(to: &file)
        for (number, packet) in Self.packets.prefix(count).enumerated() {
            writer.append(
                packet.span, direction: .received, time: Int64(number + 1) * 1_000_000_000, controller: 0, to: &file)
        }
        return file
    }

    private func read(_ octets: [UInt8]) throws -> CaptureReading {
        try Data(octets).write(to: URL(fileURLWithPath: path))
        return try CaptureReading.read(path)
    }

    @Test func aFileMayBeWholeCutOrDamaged() throws {
        let whole = try read(file())
        #expect(whole.end == .whole && whole.end.sentence == nil && whole.story.links.count == 1)
        let cut = try read(file().dropLast())
        #expect(cut.end == .cut && cut.story.counts.all == 2 && cut.story.links.first?.ending == nil)
        let damaged = try read(file(1) + [UInt8](repeating: 0xFF, count: 100))
        #expect(damaged.end == .damaged(offset: file(1).count) && damaged.story.counts.all == 1)
    }

    @Test func everyEndHasWordsInBothLanguages() throws {
        #expect(ToolWords.knows("The first packet is from 2026-11-30T04:10:17Z."))
        #expect(ToolWords.knows("The packets in a browser: bluelab studio --capture trace.btsnoop"))
        for end in [CaptureReading.End.cut, .damaged(offset: 99)] {
            let sentence = try #require(end.sentence)
            #expect(ToolWords.knows(sentence), "\(sentence)")
        }
    }

    @Test func aFileThatIsNoCaptureIsRefused() throws {
        let failure = try #require(throws: ToolError.self) { try read(Array("#!/bin/sh\n".utf8)) }
        #expect(failure.kind == .failed && failure.lines.first?.hasSuffix("neither btsnoop, pcapng nor pcap.") == true)
        let empty = try #require(throws: ToolError.self) { try read([]) }
        #expect(empty.kind == .failed && empty.lines.first?.hasSuffix(" is empty.") == true)
        #expect(empty.lines.last == "Try: bluelab capture trace.btsnoop -- bluelab scan")
        var other = file()
        other.replaceSubrange(12..<16, with: [0, 0, 3, 0xEB])
        let refused = try #require(throws: ToolError.self) { try read(other) }
        #expect(refused.lines.first?.contains("another protocol (link type 1003)") == true)
        let missing = try #require(throws: ToolError.self) { try CaptureReading.read(path + ".none") }
        #expect(missing.kind == .usage)
    }

    @Test func theStudioReadsTheSameFile() throws {
        try Data(file().dropLast()).write(to: URL(fileURLWithPath: path))
        let opened = try OpenedCapture(path: path)
        let reading = try CaptureReading.read(path)
        #expect(opened.story.lines(in: .english) == reading.story.lines(in: .english))
        #expect(opened.air.count == 2 && opened.air.packets.ring.range == 1..<3)
        #expect(opened.name == URL(fileURLWithPath: path).lastPathComponent)
        #expect(opened.end?.description == reading.end.sentence)
        #expect(opened.end?.inChinese == "文件在数据包中间结束：缺少其余内容。")
        try Data(file()).write(to: URL(fileURLWithPath: path))
        #expect(try OpenedCapture(path: path).end == nil)
    }

    @Test func aFileThatIsNoCaptureEndsTheStudioBeforeItBegins() throws {
        for content in [Data("#!/bin/sh\n".utf8), Data()] {
            try content.write(to: URL(fileURLWithPath: path))
            let failure = try #require(throws: ToolError.self) { try OpenedCapture(path: path) }
            #expect(failure.kind == .failed && failure.lines.count == 2)
            #expect(failure.lines.allSatisfy { ToolWords.phrase($0).inChinese != $0 })
        }
        let missing = try #require(throws: ToolError.self) { try OpenedCapture(path: path + ".none") }
        #expect(missing.kind == .usage && missing.lines.last?.hasPrefix("Try: ls -l ") == true)
    }

    @Test func theRecordsAreOneObjectInALine() throws {
        let lines = ExplainRecords(try read(file())).lines
        let records = try lines.map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
        }
        #expect(
            records.compactMap { $0["type"] as? String } == [
                "capture", "capture-link", "capture-event", "capture-event", "capture-attribute", "capture-finding",
                "capture-finding",
            ])
        #expect(records[0]["packets"] as? Int == 3 && records[0]["seconds"] as? Double == 2)
        #expect(records[0]["start"] as? String == "1970-01-01T00:00:01Z")
        #expect(records[1]["endedBy"] as? String == "lost" && records[1]["reason"] as? Int == 8)
        #expect(records[1]["interval"] as? Double == 0.03 && records[1]["host"] as? String == "central")
        #expect(records[4]["notifications"] as? Int == 1 && records[4]["uuid"] == nil)
        #expect(
            records[5]["finding"] as? String == "update-without-subscription" && records[5]["frames"] as? [Int] == [2])
        #expect(
            records[6]["specification"] as? String == "Vol 6, Part B, 4.5.2" && records[6]["problem"] as? Bool == true)
    }
}
