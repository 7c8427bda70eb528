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
        let name = ValueText.printable(path)
        let descriptor = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw ToolFailure(.failed, "\(what) cannot be read: \(name): \(String(cString: strerror(errno))).")
        }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            throw ToolFailure(.failed, "\(name) is no file.")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw ToolFailure(.security, "other users can read \(what) in \(name).", "Try: chmod 600 FILE")
        }
        var octets = [UInt8](repeating: 0, count: limit + 2)
        let count = Glibc.read(descriptor, &octets, octets.count)
        var text = octets.prefix(max(0, count))
        if text.last == UInt8(ascii: "\n") { text.removeLast() }
        if text.last == UInt8(ascii: "\r") { text.removeLast() }
        guard count >= 0, text.count <= limit, !text.contains(0), mayBeEmpty || !text.isEmpty,
            let secret = String(validating: text, as: UTF8.self)
        else {
            throw ToolFailure(
                .failed, "\(name) does not hold \(what): a text of \(mayBeEmpty ? 0 : 1) to \(limit) octets of UTF-8.")
        }
        return secret
    }
}
