import Foundation
import Glibc
import StudioServer

/// The file that keeps the token of the studio's link in the folder of the user's state, so that an open page connects again after a restart of
/// the command. Only its owner can read it.
struct TokenFile {
    let path: String

    init(path: String) { self.path = path }

    /// `$XDG_STATE_HOME/opencorebluetooth/studio-token`, or in `~/.local/state`. Nil without a home.
    init?(environment: [String: String] = ProcessInfo.processInfo.environment) {
        // A relative path is ignored (XDG Base Directory Specification).
        let variable = { (name: String) in environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        guard let state = variable("XDG_STATE_HOME") ?? variable("HOME").map({ "\($0)/.local/state" }) else {
            return nil
        }
        self.init(path: "\(state)/opencorebluetooth/studio-token")
    }

    /// The kept token; nil if there is none, or if another user could have read or written it.
    func read() -> StudioToken? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
            status.st_mode & 0o077 == 0
        else { return nil }
        var octets = [UInt8](repeating: 0, count: 64)
        let count = Glibc.read(descriptor, &octets, octets.count)
        guard count > 0 else { return nil }
        let text = String(decoding: octets.prefix(count), as: UTF8.self)
        return StudioToken(kept: text.trimmingCharacters(in: .newlines))
    }

    /// Replaces the file. Returns false if that is not possible: the token then ends with the command.
    @discardableResult
    func write(_ token: StudioToken) -> Bool {
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent()
        try? FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let draft = "\(path).\(getpid())"
        unlink(draft)
        let descriptor = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { return false }
        let octets = Array("\(token.text)\n".utf8)
        let isWritten = fchmod(descriptor, 0o600) == 0 && Glibc.write(descriptor, octets, octets.count) == octets.count
        close(descriptor)
        guard isWritten, rename(draft, path) == 0 else {
            unlink(draft)
            return false
        }
        return true
    }

    /// The kept token, or a new one that is kept.
    func token(renews: Bool) -> StudioToken {
        if !renews, let token = read() { return token }
        let token = StudioToken()
        write(token)
        return token
    }
}
