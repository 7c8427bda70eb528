import BLEWire
import Dispatch

/// A connection that dispatch sources serve. It reads once for each event, and writes at once what the system takes; the rest is
/// queued. After a hang-up it reads to the end, because the system reports a hang-up once.
///
/// This suits many streams that are mostly silent, such as the hosts of a shared radio.
///
/// Threads: all methods and callbacks run on the serial queue given at the start. Releasing the stream closes it.
package final class DispatchStream: @unchecked Sendable {
    /// Called with the octets of one read, at most `readLimit`. They are valid until it returns.
    package var onReceive: ((Span<UInt8>) -> Void)?
    /// Called once if the stream ends without `close()`; never from within `send`.
    package var onClose: ((StreamCloseReason) -> Void)?
    /// Called when `send` returned `.full` and there is room again.
    package var onDrain: (() -> Void)?
    /// Called when the system has taken all queued octets.
    package var onEmpty: (() -> Void)?

    private var buffers: StreamBuffers
    private let queue: DispatchQueue
    private var readSource: (any DispatchSourceRead)?
    private var isPaused = false
    private var writeSource: (any DispatchSourceWrite)?
    private var isWriteSourceActive = false
    private var hasRefused = false

    /// Reads nothing before `start()`.
    ///
    /// - Parameters:
    ///   - queueLimit: the most octets that wait for the system; `send` takes no more.
    ///   - readSize: the most octets of one read.
    package init(
        _ connection: TransportConnection, queue: DispatchQueue, queueLimit: Int = 1 << 20, readSize: Int = 1 << 16
    ) {
        buffers = StreamBuffers(connection, queueLimit: queueLimit, readSize: readSize)
        self.queue = queue
    }

    deinit { cancelSources() }

    /// Where the connection leads, for messages.
    package var name: String { buffers.name }
    /// The octets that wait for the system.
    package var queuedOctets: Int { buffers.queuedOctets }
    package var isClosed: Bool { buffers.descriptor == nil }
    /// The most octets of one read, from 1 to the size given at the start. Only for streams: a longer packet would be cut.
    package var readLimit: Int {
        get { buffers.readLimit }
        set { buffers.readLimit = newValue }
    }

    /// The process that connected the other end of a Unix socket, as the kernel reports it (unix(7), SO_PEERCRED). Nil if unknown.
    package var peerProcess: Int32? {
        guard let descriptor = buffers.descriptor, descriptor.kind == .socket else { return nil }
        // struct ucred: process, user and group.
        var credentials: [3 of Int32] = [0, 0, 0]
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor.number, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        return credentials[0] > 0 ? credentials[0] : nil
    }

    /// Whether the other side sends nothing beyond what waits to be read.
    package var isEnding: Bool { buffers.descriptor.map(Sockets.isEnding) ?? true }

    /// Begins to read. Set the callbacks first.
    package func start() {
        guard let descriptor = buffers.descriptor, readSource == nil else { return }
        let watched = descriptor.readiness ?? descriptor
        let source = DispatchSource.makeReadSource(fileDescriptor: watched.number, queue: queue)
        source.setEventHandler { [weak self] in self?.readAvailable() }
        source.setCancelHandler {
            _ = watched
            _ = descriptor
        }
        readSource = source
        source.resume()
    }

    /// Sends all of `bytes`, or takes nothing.
    @discardableResult
    package func send(_ bytes: Span<UInt8>) -> StreamSendResult {
        switch buffers.send(bytes) {
        case .sent: return .sent
        case .queued:
            activateWriteSource()
            return .queued
        case .full:
            hasRefused = true
            return .full
        case .closed: return .closed
        case .failed(let code):
            let reason = buffers.closeReason(code)
            end()
            // The caller is in the middle of something: it learns of the end later.
            queue.async { [self] in finish(reason) }
            return .closed
        }
    }

    /// Ends the stream and drops what waits. No callback follows.
    package func close() {
        onClose = nil
        end()
    }

    /// Reads now what is there, if anything, without waiting for the source's event.
    package func readNow() {
        // Once: after a hang-up the source's handler reads to the end.
        if readSource != nil, !isPaused { readOnce() }
    }

    /// Reads no more until `resume`, so that the other side has to wait.
    package func pause() {
        guard !isPaused, let readSource else { return }
        isPaused = true
        readSource.suspend()
    }

    package func resume() {
        guard isPaused else { return }
        isPaused = false
        readSource?.resume()
        // A hang-up that was reported before or during the pause is not reported again.
        guard let descriptor = buffers.descriptor, Sockets.hasHungUp(descriptor) else { return }
        queue.async { [weak self] in self?.readAvailable() }
    }

    /// Reads once, and to the end if the other side has hung up. libdispatch reports a hang-up once and then removes the descriptor
    /// from its set, so that no event follows for the octets and the end that remain.
    private func readAvailable() {
        guard !isPaused else { return }
        var hasRead = readOnce()
        while hasRead, !isPaused, let descriptor = buffers.descriptor, Sockets.hasHungUp(descriptor) {
            hasRead = readOnce()
        }
    }

    /// Returns whether there may be more to read.
    @discardableResult
    private func readOnce() -> Bool {
        let count = buffers.read()
        if count > 0 {
            // A second reference, not a copy: the next read finds the buffer unshared again.
            let octets = buffers.input
            if let onReceive { onReceive(octets.span.extracting(first: count)) }
        } else if let reason = buffers.closeReason(afterRead: count) {
            finish(reason)
        }
        return count > 0
    }

    private func activateWriteSource() {
        guard let descriptor = buffers.descriptor, !isWriteSourceActive else { return }
        isWriteSourceActive = true
        if let writeSource {
            writeSource.resume()
            return
        }
        let source = DispatchSource.makeWriteSource(fileDescriptor: descriptor.number, queue: queue)
        source.setEventHandler { [weak self] in self?.writeQueued() }
        source.setCancelHandler { _ = descriptor }
        writeSource = source
        source.resume()
    }

    private func writeQueued() {
        switch buffers.writeQueued() {
        case .failed(let code): return finish(buffers.closeReason(code))
        case .queued, .full, .closed: return
        case .sent: break
        }
        let isEmpty = buffers.queuedOctets == 0
        if isEmpty {
            isWriteSourceActive = false
            writeSource?.suspend()
        }
        if hasRefused, buffers.isHalfEmpty {
            hasRefused = false
            onDrain?()
        }
        // `onDrain` may have sent more.
        if buffers.queuedOctets == 0 { onEmpty?() }
    }

    /// Closes the connection; `onClose` may still have to be called.
    private func end() {
        onReceive = nil
        onDrain = nil
        onEmpty = nil
        buffers.close()
        cancelSources()
    }

    /// Cancels the sources. The descriptor closes when the last of them has ended.
    private func cancelSources() {
        readSource?.cancel()
        // A suspended source must not be released.
        if isPaused { readSource?.resume() }
        isPaused = false
        readSource = nil
        if let writeSource {
            writeSource.cancel()
            if !isWriteSourceActive { writeSource.resume() }
        }
        writeSource = nil
    }

    private func finish(_ reason: StreamCloseReason) {
        end()
        let callback = onClose
        onClose = nil
        callback?(reason)
    }
}
