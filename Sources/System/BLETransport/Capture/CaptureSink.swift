import BLEAdapter
import BLEWire
import Dispatch

/// The destination of a capture: a file, a pipe, the standard output, or the programs that connect to an address.
///
/// `append` never waits for a reader. Octets that a slow reader has not taken are queued up to a limit; beyond it, whole records are
/// refused. If the reader closes its end, the capture ends.
///
/// Threads: `append` may be called on any thread. The sink writes on a queue of its own.
package final class CaptureSink: Sendable {
    private struct State {
        var pending: [UInt8] = []
        var isWriting = false
        var isClosed = false
        var failure: TransportError?
        /// Called with the failure, once.
        var onFailure: (@Sendable (TransportError) -> Void)?
    }

    /// The destination, for messages.
    package let name: String
    private let limit: Int
    private let state = Lock(State())
    private let descriptor: Lock<Descriptor?>
    private let feed: CaptureFeed?
    private let queue: DispatchQueue

    /// The reason why the capture ended; nil while it continues, and if the reader closed its end.
    package var failure: TransportError? { state.withLock { $0.failure } }

    /// Opens `path`, and truncates an existing file. `-` is the standard output. A named pipe is opened in the background, because that
    /// waits for the reader (fifo(7)).
    ///
    /// - Parameter limit: the most octets that wait for a slow reader.
    package init(path: String, limit: Int = 1 << 24) throws(TransportError) {
        self.limit = limit
        feed = nil
        queue = DispatchQueue(label: "bluetooth.capture")
        name = path == "-" ? "the standard output" : path
        if path == "-" {
            guard isatty(STDOUT_FILENO) == 0 else {
                throw TransportError(
                    .system,
                    "The standard output is a terminal, which cannot show a capture: pipe it on, as in | wireshark -k -i -, or name a file."
                )
            }
            descriptor = Lock(Descriptor(fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 0), kind: .file))
        } else if Self.isPipe(path) {
            descriptor = Lock(nil)
            state.withLock { $0.isWriting = true }
            queue.async { [self] in openLate(path) }
        } else {
            let number = Self.open(path)
            guard number >= 0 else { throw .capturing(to: path, errno) }
            descriptor = Lock(Descriptor(number, kind: .file))
        }
    }

    /// Takes ownership of an open descriptor.
    package init(descriptor number: Int32, name: String, limit: Int = 1 << 24) {
        self.limit = limit
        feed = nil
        self.name = name
        queue = DispatchQueue(label: "bluetooth.capture")
        descriptor = Lock(Descriptor(number, kind: .file))
    }

    /// Listens at `address`. Each program that connects there gets the first record, and those from then on.
    ///
    /// - Parameter limit: the most octets that wait for a slow reader.
    package init(at address: TransportAddress, limit: Int = 1 << 24) throws(TransportError) {
        self.limit = limit
        let feed = try CaptureFeed(at: address, limit: limit)
        self.feed = feed
        name = feed.address.description
        queue = DispatchQueue(label: "bluetooth.capture")
        descriptor = Lock(nil)
    }

    /// Whether a destination is an address at which programs connect.
    package static func isAddress(_ text: String) -> Bool { text.hasPrefix("tcp:") || text.hasPrefix("unix:") }

    /// Where readers connect; nil for other destinations.
    package var address: TransportAddress? { feed?.address }
    /// The number of connected programs.
    package var readerCount: Int { feed?.readerCount ?? 0 }
    /// Whether the capture takes no more records.
    var hasEnded: Bool { state.withLock { $0.isClosed } }

    /// Takes all of `record`, or nothing. Returns false if too much waits, or if the capture has ended.
    @discardableResult
    package func append(_ record: Span<UInt8>) -> Bool {
        if let feed { return feed.append(record) }
        var starts = false
        let isTaken = state.withLock { state in
            guard !state.isClosed, state.pending.count + record.count <= limit else { return false }
            state.pending.append(record)
            starts = !state.isWriting
            state.isWriting = true
            return true
        }
        if starts { queue.async { [self] in writePending() } }
        return isTaken
    }

    /// Waits until the records so far are written or the capture has ended, for `timeout` at most. More records may follow.
    ///
    /// - Returns: whether no record waits.
    @discardableResult
    package func flush(timeout: TimeSpan = .seconds(5)) -> Bool {
        if let feed { return feed.flush(timeout: timeout) }
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        return done.wait(timeout: .now() + .nanoseconds(Int(max(0, timeout.nanoseconds)))) == .success
    }

    /// Waits until the records so far are written, and throws if that fails, so that a full disk is reported at the start of a capture.
    /// Returns immediately for a named pipe, which waits for its reader.
    package func verify() throws(TransportError) {
        guard descriptor.withLock({ $0 != nil }) else { return }
        flush(timeout: .seconds(1))
        if let failure { throw failure }
    }

    /// Calls `body` once when the capture fails, on the sink's queue; immediately if it has failed. A reader that closes its end is no
    /// failure.
    package func onFailure(_ body: @escaping @Sendable (TransportError) -> Void) {
        let failure = state.withLock { state in
            if state.failure == nil { state.onFailure = body }
            return state.failure
        }
        if let failure { body(failure) }
    }

    /// Writes the queued records like `flush`, and closes the file.
    package func close(timeout: TimeSpan = .seconds(5)) {
        if let feed { return feed.close(timeout: timeout) }
        state.withLock { $0.isClosed = true }
        if flush(timeout: timeout) {
            descriptor.withLock { $0 = nil }
        } else {
            let seconds = timeout.nanoseconds / 1_000_000_000
            end(
                TransportError(
                    .timedOut,
                    "The reader of the capture at \(name) did not take the rest within \(seconds) s: the capture is incomplete."
                ))
        }
    }

    // MARK: On the queue

    private func openLate(_ path: String) {
        let number = Self.open(path)
        guard number >= 0 else { return end(.capturing(to: path, errno)) }
        descriptor.withLock { $0 = Descriptor(number, kind: .file) }
        writePending()
    }

    private func writePending() {
        guard let descriptor = descriptor.withLock({ $0 }) else { return }
        while true {
            let octets = state.withLock { state in
                defer { state.pending = [] }
                if state.pending.isEmpty { state.isWriting = false }
                return state.pending
            }
            guard !octets.isEmpty else { return }
            var written = 0
            while written < octets.count {
                let result = Self.write(descriptor.number, octets.span.extracting(droppingFirst: written))
                if result < 0 {
                    // A reader may close its end at any time.
                    return end(result == -Int(EPIPE) ? nil : .capturing(to: name, Int32(-result)))
                }
                written += result
            }
        }
    }

    private func end(_ failure: TransportError?) {
        let report = state.withLock { state in
            state.isClosed = true
            state.pending = []
            if state.failure == nil { state.failure = failure }
            defer { state.onFailure = nil }
            return state.onFailure
        }
        if let failure { report?(failure) }
    }

    // MARK: System

    private static func isPipe(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFIFO
    }

    /// The descriptor, or -1 and errno.
    private static func open(_ path: String) -> Int32 {
        while true {
            let number = systemOpen(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o644)
            if number >= 0 || errno != EINTR { return number }
        }
    }

    /// The octets written, or the negative of errno. SIGPIPE is blocked on this thread during the call, and a pending one is removed
    /// (pthread_sigmask(3), sigtimedwait(2)), so that a pipe without a reader does not end the program.
    private static func write(_ number: Int32, _ bytes: Span<UInt8>) -> Int {
        var pipe = sigset_t()
        var before = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &pipe, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        while true {
            let count = bytes.withUnsafeBytes { systemWrite(number, $0.baseAddress, $0.count) }
            let code = errno
            if count < bytes.count {
                // A write that the end of the reader cut raises the signal as well, although it returns a count.
                var none = timespec()
                _ = sigtimedwait(&pipe, nil, &none)
            }
            if count >= 0 { return count }
            switch code {
            case EINTR: continue
            case EAGAIN:
                // Another process may share the descriptor and have made it non-blocking.
                var entry = pollfd(fd: number, events: Int16(POLLOUT), revents: 0)
                _ = poll(&entry, 1, -1)
            default: return -Int(code)
            }
        }
    }
}

extension TransportError {
    static func capturing(to path: String, _ code: Int32) -> TransportError {
        let reason = systemText(code)
        return switch code {
        case ENOENT, ENOTDIR:
            .init(.notFound, "The folder of \(path) does not exist: make it, or name another file for the capture.")
        case EACCES, EPERM, EROFS:
            .init(
                .permissionDenied,
                "This user may not write \(path) (\(reason)): name a file for the capture in a folder that is yours.")
        case ENOSPC, EDQUOT:
            .init(.system, "There is no room for the capture at \(path) (\(reason)): free some, or name another file.")
        default: .init(.system, "The capture cannot be written to \(path) (\(reason)): name another file.")
        }
    }
}
