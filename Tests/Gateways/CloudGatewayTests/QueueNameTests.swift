import DurableQueue
import Foundation
import Testing

@testable import CloudGateway

/// The name of a queue: 8 digits in a file, which stay, or are replaced by new ones.
@Suite struct QueueNameTests {
    /// A folder for the time of `body`.
    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    private func content(_ path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func aNameHasEightDigitsAndStays() throws {
        var names: Set<String> = []
        for _ in 0..<100 {
            try withFolder { folder in
                let name = try QueueName.load(folder)
                #expect(name.utf8.count == 8)
                #expect(name.utf8.allSatisfy { "0123456789abcdef".utf8.contains($0) }, "\(name)")
                #expect(content(folder + "/name") == name)
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["name"])
                let mode = try FileManager.default.attributesOfItem(atPath: folder + "/name")[.posixPermissions]
                #expect(mode as? Int == 0o600)
                for _ in 0..<2 { #expect(try QueueName.load(folder) == name) }
                let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
                let files = descriptors.compactMap {
                    try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)
                }
                #expect(!files.contains { $0.contains(folder) }, "each file is closed")
                names.insert(name)
            }
        }
        #expect(names.count > 90, "two queues have the same name once in billions")
    }

    @Test(arguments: ["00000000", "99999999", "aaaaaaaa", "ffffffff", "0a9f1b8e"])
    func theNameOfAnEarlierRunIsKept(name: String) throws {
        try withFolder { folder in
            try Data(name.utf8).write(to: URL(fileURLWithPath: folder + "/name"))
            #expect(try QueueName.load(folder) == name)
        }
    }

    /// The characters beside the digits, wrong lengths, and what a program that ended in a write leaves.
    @Test(arguments: [
        "", "0", "0123456", "012345678", "0123456789", "/0000000", "000:0000", "000000`0", "0000000g", "ABCDEF01",
        "0123456\n",
        "\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}\u{0}",
    ]) func whatIsNoNameIsReplaced(text: String) throws {
        try withFolder { folder in
            try Data(text.utf8).write(to: URL(fileURLWithPath: folder + "/name"))
            // The rest of an earlier attempt is longer than a name.
            try Data("0123456789".utf8).write(to: URL(fileURLWithPath: folder + "/name.new"))
            let name = try QueueName.load(folder)
            #expect(name != text && name.utf8.count == 8)
            #expect(content(folder + "/name") == name)
            #expect(try QueueName.load(folder) == name)
        }
    }

    @Test func aFolderThatTakesNoFileSaysSo() throws {
        try withFolder { folder in
            let absent = folder + "/absent"
            #expect(
                throws: DurableQueueError.system(operation: "The creation of", path: absent + "/name.new", ENOENT)
            ) { try QueueName.load(absent) }
            // A link could lead to a file of somebody else.
            try FileManager.default.createSymbolicLink(
                atPath: folder + "/name.new", withDestinationPath: folder + "/other")
            #expect(
                throws: DurableQueueError.system(operation: "The creation of", path: folder + "/name.new", ELOOP)
            ) { try QueueName.load(folder) }
            #expect(!FileManager.default.fileExists(atPath: folder + "/other"))
            try FileManager.default.removeItem(atPath: folder + "/name.new")
            try FileManager.default.createDirectory(atPath: folder + "/name", withIntermediateDirectories: true)
            #expect(throws: DurableQueueError.system(operation: "A write to", path: folder + "/name", EISDIR)) {
                try QueueName.load(folder)
            }
        }
    }

    /// A pipe would keep the gateway waiting for a writer.
    @Test func aPipeIsNoName() throws {
        try withFolder { folder in
            try #require(mkfifo(folder + "/name", 0o600) == 0)
            let name = try QueueName.load(folder)
            #expect(content(folder + "/name") == name)
        }
    }
}
