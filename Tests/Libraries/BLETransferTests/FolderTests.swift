import BLETransfer
import Crypto
import Foundation
import Testing

final class FolderTests {
    private let folder = NSTemporaryDirectory() + "transfer-\(UUID().uuidString)"

    init() throws { try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true) }
    deinit { try? FileManager.default.removeItem(atPath: folder) }

    private func offer(_ name: String, _ data: Data) -> TransferOffer {
        // check-tests: trap: the arguments are constants or made by the test, and valid.
        try! TransferOffer(name: name, size: data.count, digest: Array(SHA256.hash(data: data)))
    }

    private var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder).sorted()) ?? [] }
    private func content(_ name: String) -> Data? { FileManager.default.contents(atPath: "\(folder)/\(name)") }

    private func refusal(_ store: TransferFolder, _ name: String, _ data: Data = Data([1])) -> TransferReason? {
        do {
            _ = try store.open(offer(name, data))
            return nil
        } catch {
            return error.reason
        }
    }

    @Test(
        arguments: [
            "../x", "/etc/passwd", "a/b", "..", ".", ".bashrc", "-rf", "a\\b", "a\nb", "a\u{0}b", "a\u{202E}b",
            String(repeating: "a", count: 201),
        ])
    func namesThatLeaveTheFolderOrHideAreRefused(_ name: String) {
        #expect(refusal(TransferFolder(path: folder), name) == .nameNotAllowed)
        #expect(names.isEmpty)
    }

    @Test(arguments: ["firmware.bin", "固件 2.bin", "a..b", "café", String(repeating: "a", count: 200)])
    func ordinaryNamesAreAccepted(_ name: String) throws {
        let sink = try TransferFolder(path: folder).open(offer(name, Data([7])))
        try sink.append(Data([7]))
        try sink.commit()
        #expect(names == [name])
        #expect(content(name) == Data([7]))
    }

    @Test func anInterruptedFileContinuesAndAppearsWhole() throws {
        let data = pattern(100_000)
        let store = TransferFolder(path: folder)
        do {
            let sink = try store.open(offer("f", data))
            try sink.append(data.prefix(40_000))
        }
        #expect(names.count == 1 && names[0].hasSuffix(".partial"))
        let sink = try store.open(offer("f", data))
        #expect(sink.count == 40_000)
        var stored = Data()
        try sink.readStored { stored.append($0) }
        #expect(stored == data.prefix(40_000))
        try sink.append(data.dropFirst(40_000))
        #expect(content("f") == nil)
        try sink.commit()
        #expect(names == ["f"])
        #expect(content("f") == data)
    }

    @Test func anotherFileOfTheNameDoesNotContinue() throws {
        let store = TransferFolder(path: folder)
        try store.open(offer("f", pattern(1000))).append(pattern(500))
        #expect(try store.open(offer("f", pattern(1000, seed: 2))).count == 0)
    }

    @Test func anEmptyPartialFileDoesNotStay() throws {
        _ = try TransferFolder(path: folder).open(offer("f", pattern(10)))
        #expect(names.isEmpty)
    }

    @Test func anExistingFileIsKeptUnlessItIsTheSameOrReplaced() throws {
        let data = pattern(1000)
        let path = "\(folder)/f"
        _ = FileManager.default.createFile(atPath: path, contents: data)
        let same = try TransferFolder(path: folder).open(offer("f", data))
        #expect(same.count == 1000)
        try same.commit()
        #expect(refusal(TransferFolder(path: folder), "f", pattern(1000, seed: 3)) == .fileExists)
        #expect(content("f") == data)
        let other = pattern(10, seed: 4)
        let sink = try TransferFolder(path: folder, replacesFiles: true).open(offer("f", other))
        #expect(content("f") == data, "the old file stays until the new one is whole")
        try sink.append(other)
        try sink.commit()
        #expect(content("f") == other)
    }

    @Test func limitsAreKept() {
        #expect(refusal(TransferFolder(path: folder, largestSize: 9), "f", pattern(10)) == .tooLarge)
        _ = FileManager.default.createFile(atPath: "\(folder)/used", contents: nil)
        try? FileManager.default.createDirectory(atPath: "\(folder)/sub", withIntermediateDirectories: false)
        #expect(refusal(TransferFolder(path: folder), "sub") == .fileExists)
    }

    @Test func aFullDiskIsNoSpace() throws {
        let sink = try TransferFolder(path: "/dev/full").open(offer("f", pattern(10)))
        #expect(throws: TransferStoreError(.noSpace)) { try sink.append(pattern(10)) }
    }

    @Test func aPathOfAFileTakesAnyName() throws {
        let sink = try TransferFolder(path: "\(folder)/target").open(offer("../x", Data([1])))
        try sink.append(Data([1]))
        try sink.commit()
        #expect(names == ["target"])
    }

    @Test func aSourceThatShrinksOrIsNoFileIsReported() throws {
        let path = "\(folder)/f"
        _ = FileManager.default.createFile(atPath: path, contents: pattern(100))
        let source = try TransferFile(path: path)
        #expect(try source.read(10..<20) == pattern(100)[10..<20])
        #expect(truncate(path, 50) == 0)
        #expect(throws: TransferError.self) { try source.read(40..<60) }
        #expect(throws: TransferError.file("\(folder) is not a regular file")) { try TransferFile(path: self.folder) }
        #expect(throws: TransferError.self) { try TransferFile(path: "\(self.folder)/missing") }
    }

    @Test(arguments: [".\u{301}x", "-\u{301}rf"])
    func aCombiningCharacterHidesNoFirstCharacter(_ name: String) {
        #expect(refusal(TransferFolder(path: folder), name) == .nameNotAllowed)
    }

    @Test func aFileThatAppearsDuringTheTransferIsKept() throws {
        let sink = try TransferFolder(path: folder).open(offer("f", Data([7])))
        try sink.append(Data([7]))
        try Data([1, 2]).write(to: URL(filePath: "\(folder)/f"))
        #expect(throws: TransferStoreError.self) { try sink.commit() }
        #expect(content("f") == Data([1, 2]))
    }

    @Test func aSenderCannotChooseAPipeOfTheFolder() throws {
        #expect(mkfifo("\(folder)/pipe", 0o600) == 0)
        #expect(refusal(TransferFolder(path: folder), "pipe") == .fileExists)
    }
}
