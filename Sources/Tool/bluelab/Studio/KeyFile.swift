import BLEStore
import Foundation
import Glibc
import StudioServer

/// The file that keeps the studio's key in the folder of the user's state, so that an open page connects again after a restart of the command.
/// Only its owner can read it.
struct KeyFile {
    let path: String

    init(path: String) { self.path = path }

    /// `studio-key` in the directory of the store. Nil without a home.
    init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
        guard let folder = StoreDirectory.path({ environment[$0] }) else { return nil }
        self.init(path: "\(folder)/studio-key")
    }

    /// The kept key; nil if there is none, or if another user could have read or written it.
    func read() -> StudioKey? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        else { return nil }
        var octets = [UInt8](repeating: 0, count: 128)
        let count = Glibc.read(descriptor, &octets, octets.count)
        guard count > 0 else { return nil }
        let text = String(decoding: octets.prefix(count), as: UTF8.self)
        return StudioKey(kept: text.trimmingCharacters(in: .newlines))
    }

    /// Replaces the file. Returns false if that is not possible: the key then ends with the command.
    @discardableResult
    func write(_ key: StudioKey) -> Bool {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let draft = "\(path).\(getpid())"
        unlink(draft)
        let isWritten = PrivateFile.write("\(key.text)\n", to: draft)
        guard isWritten, rename(draft, path) == 0 else {
            unlink(draft)
            return false
        }
        return true
    }

    /// The kept key, or a new one that is kept.
    func key(renews: Bool) -> StudioKey {
        if !renews, let key = read() { return key }
        let key = StudioKey()
        write(key)
        return key
    }
}
