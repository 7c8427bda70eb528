import Foundation
import Testing

@testable import bluelab

struct FileWatchRealTimeTests {
    @Test func aWatchedFileMayDisappearAndBeReplaced() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "watch-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        try Data("a".utf8).write(to: file)
        var watch = FileWatch([file.path])
        var changes = [watch.takeChange()]
        try FileManager.default.removeItem(at: file)
        changes.append(watch.takeChange())
        // The first look may see half of the new content.
        try Data("b2".utf8).write(to: file)
        changes.append(watch.takeChange())
        try Data("b2 and the rest".utf8).write(to: file)
        changes += [watch.takeChange(), watch.takeChange(), watch.takeChange()]
        #expect(changes == [false, false, false, false, true, false])
    }
}
