import Foundation
import Testing

@testable import bluelab

final class OutputFileTests {
    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("output-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

    private func text(_ name: String) -> String? { try? String(contentsOfFile: path(name), encoding: .utf8) }

    /// The names in the folder, hidden ones as well.
    private var names: [String] { ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted() }

    private func mode(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: path(name))
        return try #require((attributes[.posixPermissions] as? NSNumber)?.intValue)
    }

    private func failure(_ body: () throws -> Void) throws -> ToolError {
        try #require(throws: ToolError.self, performing: body)
    }

    @Test func aFileAppearsWithItsLastOctet() throws {
        let file = try OutputFile(path("a.csv"))
        try file.append(line: "time,rssi")
        try file.append([UInt8](repeating: 0x41, count: 100_000))
        #expect(text("a.csv") == nil)
        try file.publish()
        #expect(text("a.csv")?.utf8.count == 100_010)
        #expect(names == ["a.csv"])
    }

    @Test func aDiscardedFileLeavesTheOldContentAndNoTemporaryFile() throws {
        try OutputFile.write("old\n", to: path("a"))
        do {
            let file = try OutputFile(path("a"))
            try file.append(line: "new")
            #expect(names.count == 2)
        }
        #expect(text("a") == "old\n")
        #expect(names == ["a"])
    }

    @Test func aReplacedFileKeepsItsModeAndItsSymbolicLink() throws {
        try OutputFile.write("old", to: path("real"), permissions: 0o640)
        try FileManager.default.createSymbolicLink(atPath: path("link"), withDestinationPath: path("real"))
        try OutputFile.write("new", to: path("link"))
        #expect(text("real") == "new")
        #expect(try mode("real") == 0o640)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: path("link")) == path("real"))
        try OutputFile.write("secret", to: path("key"), permissions: 0o600)
        #expect(try mode("key") == 0o600)
    }

    @Test func eachReasonIsASentenceWithACommand() throws {
        let missing = try failure { try OutputFile.write("x", to: path("none/a.csv")) }
        #expect(missing.kind == .failed)
        #expect(
            missing.lines == [
                "\(path("none/a.csv")) cannot be written: the folder \(path("none")) does not exist.",
                "Try: mkdir -p \(path("none"))",
            ])
        let folderItself = try failure { try OutputFile.write("x", to: folder.path) }
        #expect(folderItself.lines.first == "\(folder.path) cannot be written: it is a folder.")
        try OutputFile.write("x", to: path("a"))
        let inFile = try failure { try OutputFile.write("x", to: path("a/b")) }
        #expect(inFile.lines.first == "\(path("a/b")) cannot be written: \(path("a")) is not a folder.")
        #expect(ToolError.output("a", EACCES).lines.first == "a cannot be written: this user may not write there.")
        #expect(ToolError.output("-", ENOSPC).lines.first == "the output cannot be written: the disk is full.")
        #expect(ToolError.output("-", EPIPE).kind == .readerHasGone)
    }

    @Test func aFullDeviceIsWrittenDirectlyAndReported() throws {
        let full = try failure { try OutputFile.write("x", to: "/dev/full") }
        #expect(full.lines == ["/dev/full cannot be written: the disk is full.", "Try: df -h /dev"])
        try OutputFile.write("x", to: "/dev/null")
    }

    @Test func aFIFOReceivesEachLineWhenItIsAppended() throws {
        try #require(mkfifo(path("fifo"), 0o600) == 0)
        // A reader that does not wait for the writer.
        let reader = open(path("fifo"), O_RDONLY | O_NONBLOCK)
        defer { close(reader) }
        let file = try OutputFile(path("fifo"))
        try file.append(line: "one")
        var octets = [UInt8](repeating: 0, count: 16)
        #expect(read(reader, &octets, 16) == 4)
        try file.publish()
        #expect(names == ["fifo"])
    }

    @Test func aClosedFIFOEndsTheCommandWithoutAMessage() throws {
        try #require(mkfifo(path("fifo"), 0o600) == 0)
        let reader = open(path("fifo"), O_RDONLY | O_NONBLOCK)
        let file = try OutputFile(path("fifo"))
        close(reader)
        #expect(try failure { try file.append(line: "one") } == ToolError(.readerHasGone))
    }

    @Test func linesAreKeptAfterAnInterruption() async throws {
        await #expect(throws: ToolError(.interrupted)) {
            try await OutputFile.lines(to: self.path("a.csv"), header: "time,rssi") { file in
                try file.append("0.1,-40")
                throw ToolError(.interrupted)
            }
        }
        #expect(text("a.csv") == "time,rssi\n0.1,-40\n")
        await #expect(throws: ToolError(.notFound)) {
            try await OutputFile.lines(to: self.path("b.csv"), header: "time,rssi") { _ in throw ToolError(.notFound)
            }
        }
        #expect(names == ["a.csv"], "a file with a header alone is discarded")
    }
}
