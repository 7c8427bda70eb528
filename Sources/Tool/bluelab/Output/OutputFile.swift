import BLERuntime
import Foundation

/// An output file that is written whole or not at all.
///
/// The content goes to a temporary file in the same folder. `publish` synchronizes it with the disk and renames it, so a program that
/// reads the path sees the old content or the new one. An `OutputFile` that is released before `publish` removes the temporary file.
/// The path `-`, and targets that are not regular files (a FIFO, a terminal, `/dev/full`), are written directly.
final class OutputFile {
    /// The path as the user wrote it, for messages.
    private let name: String
    /// The path that `publish` replaces. A symbolic link is resolved, so that it continues to exist.
    private let destination: String
    /// Nil if the target is written directly.
    private var temporary: String?
    /// -1 after `publish` and `discard`.
    private var descriptor: Int32
    private var buffer: [UInt8] = []

    /// Octets that wait for one write.
    private static let bufferSize = 64 * 1024

    /// Creates the temporary file, or opens a target that is not a regular file.
    ///
    /// - Parameter permissions: The mode of the file. Without it, an existing file keeps its mode, and a new one has that of `umask`.
    /// - Throws: `ToolError` with the reason: a missing folder, missing rights, a full disk.
    init(_ path: String, permissions: mode_t? = nil) throws {
        name = path
        guard path != "-" else {
            (destination, temporary, descriptor) = (path, nil, STDOUT_FILENO)
            signal(SIGPIPE, SIG_IGN)
            return
        }
        var status = stat()
        let exists = stat(path, &status) == 0
        let isRegular = status.st_mode & S_IFMT == S_IFREG
        // The standard streams are regular files if they are redirected.
        let isSystem = path.hasPrefix("/proc/") || path.hasPrefix("/dev/") && !path.hasPrefix("/dev/shm/")
        guard !exists || isRegular, !isSystem else {
            (destination, temporary) = (path, nil)
            descriptor = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)
            if descriptor < 0 { throw ToolError.output(path, errno) }
            signal(SIGPIPE, SIG_IGN)
            return
        }
        destination = exists ? Self.resolved(path) : path
        if exists, access(path, W_OK) != 0 { throw ToolError.output(path, errno) }
        let url = URL(fileURLWithPath: destination)
        var template =
            Array(
                url.deletingLastPathComponent().appendingPathComponent(".\(url.lastPathComponent).XXXXXX").path
                    .utf8CString)
        descriptor = mkstemp(&template)
        if descriptor < 0 { throw ToolError.output(path, errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        temporary = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        _ = fchmod(descriptor, permissions ?? (exists ? status.st_mode & 0o777 : 0o666 & ~Self.creationMask))
    }

    deinit { discard() }

    /// Whether the target receives each append immediately, because it is no regular file.
    var isDirect: Bool { temporary == nil }

    /// Appends octets.
    ///
    /// - Throws: The reason why the target cannot be written. The temporary file no longer exists then.
    func append(_ octets: [UInt8]) throws {
        guard descriptor >= 0 else { return }
        buffer += octets
        if isDirect || buffer.count >= Self.bufferSize { try flush() }
    }

    /// Appends a line and its end.
    func append(line: String) throws { try append(Array(line.utf8) + [UInt8(ascii: "\n")]) }

    /// Completes the file under its path.
    func publish() throws {
        guard descriptor >= 0 else { return }
        try flush()
        guard let temporary else { return discard() }
        guard fsync(descriptor) == 0, close(take(&descriptor)) == 0, rename(temporary, destination) == 0 else {
            throw failure(errno)
        }
        self.temporary = nil
    }

    /// Removes the temporary file. A target that is written directly keeps what it has received.
    func discard() {
        buffer = []
        let open = take(&descriptor)
        if open > STDERR_FILENO { close(open) }
        if let temporary { unlink(temporary) }
        temporary = nil
    }

    private func take(_ descriptor: inout Int32) -> Int32 {
        defer { descriptor = -1 }
        return descriptor
    }

    private func flush() throws {
        // Lines that were printed before stay before.
        if descriptor == STDOUT_FILENO { fflush(nil) }
        var rest = buffer[...]
        buffer.removeAll(keepingCapacity: true)
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw failure(errno) }
            rest.removeFirst(count)
        }
    }

    /// Discards the file and returns the failure.
    private func failure(_ number: Int32) -> ToolError {
        discard()
        return ToolError.output(name, number)
    }

    private static func resolved(_ path: String) -> String {
        guard let real = realpath(path, nil) else { return path }
        defer { free(real) }
        return String(cString: real)
    }

    /// The mask of the process, which can only be read by setting it.
    private static let creationMask: mode_t = {
        let mask = umask(0o077)
        umask(mask)
        return mask
    }()
}

extension OutputFile {
    /// Writes a file.
    static func write(_ octets: [UInt8], to path: String, permissions: mode_t? = nil) throws {
        let file = try OutputFile(path, permissions: permissions)
        try file.append(octets)
        try file.publish()
    }

    /// Writes a file of text.
    static func write(_ text: String, to path: String, permissions: mode_t? = nil) throws {
        try write(Array(text.utf8), to: path, permissions: permissions)
    }

    /// Runs `body` with a file of lines, such as CSV, and publishes the file when `body` ends.
    ///
    /// If `body` throws, for example because of Ctrl-C or a lost device, the file is published with the complete lines so far. It is
    /// discarded if there are none besides the header, or if it cannot be written.
    static func lines(
        to path: String, header: String? = nil, isolation: isolated (any Actor)? = #isolation,
        _ body: (LineFile) async throws -> Void
    ) async throws {
        let file = LineFile(try OutputFile(path))
        if let header { try file.file.append(line: header) }
        do {
            try await body(file)
        } catch {
            guard file.count > 0 else { throw error }
            // The error of the command precedes one of the file.
            try? file.file.publish()
            throw error
        }
        try file.file.publish()
    }
}

/// A file to which a command appends lines while it runs.
final class LineFile {
    fileprivate let file: OutputFile
    /// The number of appended lines.
    private(set) var count = 0

    fileprivate init(_ file: OutputFile) { self.file = file }

    func append(_ line: String) throws {
        try file.append(line: line)
        count += 1
    }
}

extension ToolError {
    /// The failure of an output file with the error number of the system.
    static func output(_ path: String, _ number: Int32) -> ToolError {
        let isStandard = path == "-"
        if number == EPIPE { return ToolError(.readerHasGone) }
        let name = isStandard ? "the output" : path
        let folder = isStandard ? "." : URL(fileURLWithPath: path).deletingLastPathComponent().path
        func failure(_ reason: String, _ command: String) -> ToolError {
            ToolError(.failed, "\(name) cannot be written: \(reason).", "Try: \(command)")
        }
        let word = ShellWord.quoted(folder)
        return switch number {
        case ENOSPC: failure("the disk is full", "df -h \(word)")
        case EDQUOT: failure("the disk quota is used up", "df -h \(word)")
        case EFBIG: failure("the file would be larger than the limit of this process", "ulimit -f")
        case EACCES, EPERM: failure("this user may not write there", "ls -ld \(word)")
        case EROFS: failure("its file system is read-only", "ls -ld \(word)")
        case ENOENT: failure("the folder \(folder) does not exist", "mkdir -p \(word)")
        case ENOTDIR: failure("\(folder) is not a folder", "ls -ld \(word)")
        case EISDIR: failure("it is a folder", "ls -ld \(ShellWord.quoted(path))")
        default: failure(String(cString: strerror(number)), "ls -ld \(word)")
        }
    }
}
