import BLEWire
import Dispatch

/// A connection that dispatch sources or a `PollingGroup` serve. It reads once for each event, and writes at once as much as
/// the system accepts. It queues the rest. After a hang-up it reads to the end, because libdispatch reports a hang-up once.
///
/// This suits many streams that are mostly silent. Those of an owner with frequent deadlines, such as the hosts of a shared
/// radio, belong to its `PollingGroup`.
///
/// Threads: all methods and callbacks run on the serial queue given at the start. Releasing the stream closes it.
package final class DispatchStream: @unchecked Sendable {
    /// Called with the octets of one read, at most `readLimit`. They are valid until it returns.
    package var onReceive: ((Span<UInt8>) -> Void)?
    /// Called once if the stream ends without `close()`. Never called from within `send`.
    package var onClose: ((StreamError) -> Void)?
    /// Called when `send` has returned `.full` and there is room again.
    package var onDrain: (() -> Void)?
    /// Called when the system has taken all queued octets.
    package var onEmpty: (() -> Void)?

    private var buffers: StreamBuffers
    private let queue: DispatchQueue
    private let group: PollingGroup?
    private var watch: (any StreamWatch)?
    private var isStarted = false
    private var isPaused = false
    private var hasRefused = false

    /// Reads nothing before `start()`.
    ///
    /// - Parameters:
    ///   - queueLimit: The maximum number of octets that wait for the system. `send` refuses more.
    ///   - readSize: The maximum number of octets of one read.
    ///   - group: Serves the stream, on the same queue. Without a group, or if the connection is not a stream socket, dispatch
    ///     sources serve it.
    package init(
        _ connection: TransportConnection, queue: DispatchQueue, queueLimit: Int = 1 << 20, readSize: Int = 1 << 16,
        group: PollingGroup? = nil
    ) {
        buffers = StreamBuffers(connection, queueLimit: queueLimit, readSize: readSize)
        self.queue = queue
        self.group = group
    }

    deinit { watch?.cancel() }

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
        guard let watch = makeWatch(), !isStarted else { return }
        isStarted = true
        watch.watchReading(!isPaused)
        if !isPaused { readAfterHangUp() }
    }

    /// The watch of the descriptor; nil when closed.
    private func makeWatch() -> (any StreamWatch)? {
        guard watch == nil, let descriptor = buffers.descriptor else { return watch }
        let onReadable = { [weak self] () -> Void in self?.readAvailable() }
        let onWritable = { [weak self] () -> Void in self?.writeQueued() }
        if let group, descriptor.kind == .socket {
            watch = group.watch(descriptor, onReadable: onReadable, onWritable: onWritable)
        } else {
            watch = DispatchWatch(descriptor, queue: queue, onReadable: onReadable, onWritable: onWritable)
        }
        return watch
    }

    /// Sends all of `bytes`, or refuses all of them.
    @discardableResult
    package func send(_ bytes: Span<UInt8>) -> StreamSendResult {
        do throws(StreamError) {
            let result = try buffers.send(bytes)
            if result == .queued { makeWatch()?.watchWriting(true) }
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
        // Reads once: after a hang-up the event's handler reads to the end.
        if isStarted, !isClosed, !isPaused { readOnce() }
    }

    /// Stops reading until `resume`, so that the other side has to wait.
    package func pause() {
        guard !isPaused, isStarted, let watch else { return }
        isPaused = true
        watch.watchReading(false)
    }

    package func resume() {
        guard isPaused else { return }
        isPaused = false
        watch?.watchReading(true)
        readAfterHangUp()
    }

    /// Reads what is there if the peer has hung up: libdispatch does not report a hang-up that was there before it began to watch, or that it reported
    /// before or during a pause.
    private func readAfterHangUp() {
        guard let watch, !watch.repeatsHangUps, let descriptor = buffers.descriptor, Sockets.hasHungUp(descriptor)
        else { return }
        queue.async { [weak self] in self?.readAvailable() }
    }

    /// Reads once, and to the end if the other side has hung up. libdispatch reports a hang-up once and then removes
    /// the descriptor from its set. No event follows for the remaining octets and the end.
    private func readAvailable() {
        guard !isPaused else { return }
        var hasRead = readOnce()
        while hasRead, !isPaused, watch?.repeatsHangUps == false, let descriptor = buffers.descriptor,
            Sockets.hasHungUp(descriptor)
        {
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

    private func writeQueued() {
        do throws(StreamError) { guard try buffers.writeQueued() else { return } } catch { return finish(error) }
        if buffers.queuedOctets == 0 { watch?.watchWriting(false) }
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
        watch?.cancel()
        watch = nil
        isPaused = false
    }

    private func finish(_ reason: StreamError) {
        end()
        let callback = onClose
        onClose = nil
        callback?(reason)
    }
}
