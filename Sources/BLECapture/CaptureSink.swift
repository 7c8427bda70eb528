import BLEAdapter
import BLETransport
import BLEWire
import Dispatch

/// Where a capture goes: a file, a pipe, or the standard output.
///
/// It never waits for who reads: what a slow reader has not taken is kept up to a limit, and then whole records are refused.
/// A reader that goes away ends the capture and nothing else.
///
/// Threads: `append` may be called on any thread. Writing happens on a queue of its own.
package final class CaptureSink: Sendable {
    private struct State {
        var pending: [UInt8] = []
        var isWriting = false
        var isClosed = false
        var failure: TransportError?
        /// Called with the failure, once.
        var onFailure: (@Sendable (TransportError) -> Void)?
    }

    /// Where it leads, for messages.
    package let name: String
    private let limit: Int
    private let state = Lock(State())
    private let descriptor: Lock<Descriptor?>
    private let queue: DispatchQueue

    /// Why there is no more capture; nil while all is well, and when the reader had enough.
    package var failure: TransportError? { state.withLock { $0.failure } }

    /// Opens `path`, and empties a file that is there. `-` is the standard output. A named pipe is opened in the background, since
    /// that waits for its reader.
    ///
    /// - Parameter limit: the octets that may wait for a slow reader.
    package init(path: String, limit: Int = 1 << 24) throws(TransportError) {
        self.limit = limit
        queue = DispatchQueue(label: "bluetooth.capture")
        name = path == "-" ? "the standard output" : path
        if path == "-" {
            guard isatty(STDOUT_FILENO) == 0 else {
                throw TransportError(
                    .system,
                    "A capture on a terminal is of no use to anybody: send it on, as in | wireshark -k -i -, or name a file."
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

    /// Takes over an open descriptor.
    package init(descriptor number: Int32, name: String, limit: Int = 1 << 24) {
        self.limit = limit
        self.name = name
        queue = DispatchQueue(label: "bluetooth.capture")
        descriptor = Lock(Descriptor(number, kind: .file))
    }

    /// Takes all of `record`, or nothing: then too much waits, or nobody reads any more.
    @discardableResult
    package func append(_ record: Span<UInt8>) -> Bool {
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

    /// Waits until everything is written, or nobody takes it, or the time is over. More may follow.
    ///
    /// - Returns: whether nothing waits any more.
    @discardableResult
    package func flush(timeout: TimeSpan = .seconds(5)) -> Bool {
        let done = DispatchSemaphore(value: 0)
        queue.async { done.signal() }
        return done.wait(timeout: .now() + .nanoseconds(Int(max(0, timeout.nanoseconds)))) == .success
    }

    /// Waits until what was appended so far is written, and throws if that fails: for the beginning of a capture, so that a full disk is
    /// reported at once. Returns immediately for a named pipe, which has to wait for its reader.
    package func verify() throws(TransportError) {
        guard descriptor.withLock({ $0 != nil }) else { return }
        flush(timeout: .seconds(1))
        if let failure { throw failure }
    }

    /// Calls `body` once when the capture can no longer be written, on the sink's queue; at once if that is so already. A reader that
    /// goes away is no failure.
    package func onFailure(_ body: @escaping @Sendable (TransportError) -> Void) {
        let failure = state.withLock { state in
            if state.failure == nil { state.onFailure = body }
            return state.failure
        }
        if let failure { body(failure) }
    }

    /// Writes what waits, as `flush` does, and closes the file. Nothing is taken any more.
    package func close(timeout: TimeSpan = .seconds(5)) {
        state.withLock { $0.isClosed = true }
        if flush(timeout: timeout) {
            descriptor.withLock { $0 = nil }
        } else {
            let seconds = timeout.nanoseconds / 1_000_000_000
            end(
                TransportError(
                    .timedOut, "Nobody read the rest of the capture at \(name) within \(seconds) s: it is not complete."
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
                    // Who reads a capture may stop when he has seen enough.
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

    /// The octets written, or the negative of errno. A pipe that nobody reads raises no signal: it is held back on this thread
    /// for the time of the call, and taken away again.
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
                // A write that ends halfway because the reader left raises the signal, too, though it returns a count.
                var none = timespec()
                _ = sigtimedwait(&pipe, nil, &none)
            }
            if count >= 0 { return count }
            switch code {
            case EINTR: continue
            case EAGAIN:
                // The descriptor may be shared with somebody who made it non-blocking.
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
