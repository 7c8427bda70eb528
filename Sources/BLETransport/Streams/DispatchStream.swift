import BLEWire
import Dispatch

/// A connection that dispatch sources serve. It reads once for each event, and writes at once as much as the system
/// accepts. It queues the rest. After a hang-up it reads to the end, because the system reports a hang-up once.
///
/// This suits many streams that are mostly silent, such as the hosts of a shared radio.
///
/// Threads: all methods and callbacks run on the serial queue given at the start. Releasing the stream closes it.
package final class DispatchStream: @unchecked Sendable {
    /// Called with the octets of one read, at most `readLimit`. They are valid until it returns.
    package var onReceive: ((Span<UInt8>) -> Void)?
    /// Called once if the stream ends without `close()`. Never called from within `send`.
    package var onClose: ((StreamCloseReason) -> Void)?
    /// Called when `send` has returned `.full` and there is room again.
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
    ///   - queueLimit: The maximum number of octets that wait for the system. `send` refuses more.
    ///   - readSize: The maximum number of octets of one read.
    package init(
        _ connection: TransportConnection, queue: DispatchQueue, queueLimit: Int = 1 << 20, readSize: Int = 1 << 16
    ) {
        buffers = StreamBuffers(connection, queueLimit: queueLimit, readSize: readSize)
        self.queue = queue
    }

    deinit { cancelSources() }

    /// The destination of the connection, for messages.
    package var name: String { buffers.name }
    /// The octets that wait for the system.
    package var queuedOctets: Int { buffers.queuedOctets }
    package var isClosed: Bool { buffers.descriptor == nil }
    /// The maximum number of octets of one read, from 1 to the size given at the start. Only for streams: a longer
    /// packet would be cut.
    package var readLimit: Int {
        get { buffers.readLimit }
        set { buffers.readLimit = newValue }
    }

    /// The process that connected the other end of a Unix socket, as the kernel reports it (unix(7), SO_PEERCRED). Nil
    /// if unknown.
    package var peerProcess: Int32? {
        guard let descriptor = buffers.descriptor, descriptor.kind == .socket else { return nil }
        // struct ucred: process, user and group.
        var credentials: [3 of Int32] = [0, 0, 0]
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor.number, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        return credentials[0] > 0 ? credentials[0] : nil
    }

    /// Whether the other side sends nothing beyond the octets that wait to be read.
    package var isEnding: Bool { buffers.descriptor.map(Sockets.isEnding) ?? true }

    /// Starts to read. Set the callbacks first.
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

    /// Sends all of `bytes`, or refuses all of them.
    @discardableResult
    package func send(_ bytes: Span<UInt8>) -> StreamSendResult {
        do throws(StreamCloseReason) {
            let result = try buffers.send(bytes)
            if result == .queued { activateWriteSource() }
            if result == .full { hasRefused = true }
            return result
        } catch {
            end()
            // Reports the end asynchronously, because the caller is in the middle of an operation.
            queue.async { [self] in finish(error) }
            return .closed
        }
    }

    /// Ends the stream and drops the queued octets. No callback follows.
    package func close() {
        onClose = nil
        end()
    }

    /// Reads the octets that are available now, without waiting for the source's event.
    package func readNow() {
        // Reads once: after a hang-up the source's handler reads to the end.
        if readSource != nil, !isPaused { readOnce() }
    }

    /// Stops reading until `resume`, so that the other side has to wait.
    package func pause() {
        guard !isPaused, let readSource else { return }
        isPaused = true
        readSource.suspend()
    }

    package func resume() {
        guard isPaused else { return }
        isPaused = false
        readSource?.resume()
        // The system does not repeat a hang-up that it reported before or during the pause.
        guard let descriptor = buffers.descriptor, Sockets.hasHungUp(descriptor) else { return }
        queue.async { [weak self] in self?.readAvailable() }
    }

    /// Reads once, and to the end if the other side has hung up. libdispatch reports a hang-up once and then removes
    /// the descriptor from its set. No event follows for the remaining octets and the end.
    private func readAvailable() {
        guard !isPaused else { return }
        var hasRead = readOnce()
        while hasRead, !isPaused, let descriptor = buffers.descriptor, Sockets.hasHungUp(descriptor) {
            hasRead = readOnce()
        }
    }

    /// Returns whether more octets may be available.
    @discardableResult
    private func readOnce() -> Bool {
        let count = buffers.read()
        if count > 0 {
            // Takes a second reference instead of a copy. The buffer is unshared again at the next read.
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
        do throws(StreamCloseReason) { guard try buffers.writeQueued() else { return } } catch { return finish(error) }
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

    /// Closes the connection. The call of `onClose` may still be pending.
    private func end() {
        onReceive = nil
        onDrain = nil
        onEmpty = nil
        buffers.close()
        cancelSources()
    }

    /// Cancels the sources. The descriptor closes after the last of them has ended.
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
