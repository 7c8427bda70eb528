import BLERuntime
import Foundation
import Glibc

/// Secrets in files.
enum SecretFile {
    /// The text of a file that only its owner can read, without the line break at its end.
    ///
    /// - Parameters:
    ///   - what: The secret in words: "the password".
    ///   - limit: The longest text, in octets.
    ///   - mayBeEmpty: Whether a file without a text holds the empty secret.
    static func read(
        _ path: String, _ what: String, limit: Int = 1024, mayBeEmpty: Bool = false
    ) throws -> String {
        guard var text = try octets(path, what, limit: limit + 2)?[...] else {
            throw unusable(path, what, limit, mayBeEmpty)
        }
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        guard text.count <= limit, !text.contains(0), mayBeEmpty || !text.isEmpty,
            let secret = String(validating: text, as: UTF8.self)
        else { throw unusable(path, what, limit, mayBeEmpty) }
        return secret
    }

    private static func unusable(_ path: String, _ what: String, _ limit: Int, _ mayBeEmpty: Bool) -> ToolError {
        ToolError(
            .failed,
            "\(ValueText.printable(path)) does not hold \(what): a text of \(mayBeEmpty ? 0 : 1) to \(limit) octets of UTF-8."
        )
    }

    /// The first octets of a file that only its owner can read, at most `limit`; nil if reading fails.
    ///
    /// - Parameter hint: What the user can do if there is no such file.
    static func octets(_ path: String, _ what: String, limit: Int, hint: String? = nil) throws -> [UInt8]? {
        let name = ValueText.printable(path)
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ToolError(
                .failed, "\(what) cannot be read: \(name): \(String(cString: strerror(errno))).",
                hint ?? "Try: ls -l \(ShellWord.quoted(name))")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ToolError(.failed, "\(name) is no file.", hint)
        }
        guard status.st_mode & 0o077 == 0 else {
            throw ToolError(.security, "other users can read \(what) in \(name).", "Try: chmod 600 FILE")
        }
        var octets = [UInt8](repeating: 0, count: limit)
        let count = Glibc.read(descriptor, &octets, octets.count)
        return count >= 0 ? Array(octets.prefix(count)) : nil
    }
}
