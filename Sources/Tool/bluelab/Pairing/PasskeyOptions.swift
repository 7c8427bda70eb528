import ArgumentParser
import Foundation

/// The passkey of a command without questions.
struct PasskeyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The passkey that the device displays, or has printed on it; - reads it from the standard input. The process list shows it.",
            valueName: "digits"),
        transform: { $0 == "-" ? $0 : try passkeyValue($0) })
    var passkey: String?

    @Option(help: ArgumentHelp("A file whose first line is the passkey.", valueName: "file"))
    var passkeyFile: String?

    func validate() throws {
        if passkey != nil, passkeyFile != nil {
            throw ValidationError("--passkey and --passkey-file exclude each other.")
        }
    }

    /// The passkey of the options; nil without one.
    func value(within limit: Duration) throws -> String? {
        if let passkeyFile { return try Self.read(path: passkeyFile, within: limit) }
        guard passkey == "-" else { return passkey }
        return try Self.line(of: STDIN_FILENO, "the standard input", within: limit)
    }

    private static func read(path: String, within limit: Duration) throws -> String {
        // O_NONBLOCK: a pipe without a writer has no line, rather than blocking the command.
        let file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard file >= 0 else { throw InputFile.unreadable(path, errno) }
        defer { close(file) }
        return try line(of: file, path, within: limit)
    }

    /// The longest line that can be a passkey with spaces between its digits.
    private static let lineLimit = 64

    private static func line(of file: Int32, _ name: String, within limit: Duration) throws -> String {
        let end = ContinuousClock.now + limit
        var line: [UInt8] = []
        while line.count <= lineLimit {
            let left = (end - .now) / .milliseconds(1)
            var poll = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
            guard left > 0, Foundation.poll(&poll, 1, Int32(min(left, 1e6).rounded(.up))) != 0 else {
                throw ToolError(.timeout, "\(name) contained no passkey within \(inSeconds(limit)).")
            }
            var octet: UInt8 = 0
            let count = Foundation.read(file, &octet, 1)
            if count < 0, errno == EINTR || errno == EAGAIN { continue }
            if count < 0 {
                throw ToolError(
                    .usage, "the passkey cannot be read from \(name): \(String(cString: strerror(errno))).")
            }
            if count == 0 || octet == UInt8(ascii: "\n") { break }
            line.append(octet)
        }
        guard let value = try? passkeyValue(String(decoding: line, as: UTF8.self)) else {
            throw ToolError(.usage, "the first line of \(name) must be a passkey of one to six decimal digits.")
        }
        return value
    }
}

/// Checks a passkey and removes its spaces.
func passkeyValue(_ text: String) throws -> String {
    let digits = text.filter { !$0.isWhitespace }
    guard (1...6).contains(digits.count), digits.allSatisfy({ $0.isASCII && $0.isNumber }) else {
        throw ValidationError("a passkey must be one to six decimal digits.")
    }
    return digits
}
