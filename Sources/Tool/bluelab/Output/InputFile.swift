import BLERuntime
import Foundation

/// Files that a command reads.
enum InputFile {
    /// The octets of a file, or of the standard input for -.
    static func octets(_ path: String) throws -> [UInt8] {
        var octets: [UInt8] = []
        try forEachPiece(path) { piece in
            octets += piece
            return true
        }
        return octets
    }

    /// Reads a file, or the standard input for -, in pieces of at most 64 KiB, until `body` returns false.
    static func forEachPiece(_ path: String, _ body: (ArraySlice<UInt8>) throws -> Bool) throws {
        let isStandard = path == "-"
        let descriptor = isStandard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw unreadable(path, errno) }
        defer { if !isStandard { close(descriptor) } }
        var part = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &part, part.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw unreadable(path, errno) }
            guard count > 0, try body(part.prefix(count)) else { return }
        }
    }

    /// Throws if a file cannot be opened. What it contains has messages of its own.
    static func requireReadable(_ path: String) throws {
        var status = stat()
        guard stat(path, &status) == 0 else { throw unreadable(path, errno) }
        guard status.st_mode & S_IFMT != S_IFDIR else { throw unreadable(path, EISDIR) }
        guard access(path, R_OK) == 0 else { throw unreadable(path, errno) }
    }

    /// The failure of a file with the error number of the system.
    static func unreadable(_ path: String, _ number: Int32) -> ToolError {
        let name = path == "-" ? "the standard input" : ValueText.printable(path)
        let folder = URL(fileURLWithPath: path).deletingLastPathComponent().path
        return ToolError(
            .usage, "\(name) cannot be read: \(String(cString: strerror(number))).",
            path == "-" ? nil : "Try: ls -l \(ShellWord.quoted(number == ENOENT ? folder : path))")
    }
}
