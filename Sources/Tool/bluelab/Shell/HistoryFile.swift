import BLEStore
import Foundation

/// The file of the shell's history in the folder of the user's state. Only the owner can read it.
struct HistoryFile {
    let path: String

    /// Nil without a home.
    init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let folder = StoreDirectory.path({ environment[$0] }) else { return nil }
        path = "\(folder)/shell-history"
    }

    /// Reads the history. A file that is longer than the history is written again.
    func read() -> LineHistory {
        guard let handle = FileHandle(forReadingAtPath: path),
            let data = try? handle.read(upToCount: 4 * LineHistory.limit * LineHistory.lineLimit)
        else { return LineHistory() }
        let history = LineHistory(text: String(decoding: data, as: UTF8.self))
        if data.count > history.text.utf8.count { try? OutputFile.write(history.text, to: path, permissions: 0o600) }
        return history
    }

    /// Appends a line. A history that cannot be written is not an error of the shell.
    func append(_ line: String) {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        fchmod(descriptor, 0o600)
        let octets = Array((line + "\n").utf8)
        _ = octets.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    }
}
