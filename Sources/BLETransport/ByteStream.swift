import BLEWire
import Dispatch

/// A connected stream socket, or a serial port. It reads when there is something to read, one read for each event, and writes at once what
/// the system takes; the rest waits here. Once the other side has hung up, it reads to the end: the system reports that event once.
///
/// Threads: everything happens on the serial queue given at the start; call its methods and set its callbacks there. It
/// has no thread of its own: dispatch sources tell it when to read and write (`start`), or an owner that waits by itself does
/// (`startPolled`). Releasing it closes it.
package final class ByteStream: @unchecked Sendable {
    /// What became of octets given to `send`.
    package enum SendResult: Hashable, Sendable {
        /// The system has them all.
        case sent
        /// Some wait here; they go as soon as the system takes them.
        case queued
        /// Nothing was taken: too much waits already. `onDrain` tells when to try again.
        case full
        /// The stream is closed; nothing was taken.
        case closed
    }

    /// Why the stream ended without `close()` being called.
    package enum CloseReason: Hashable, Sendable, CustomStringConvertible {
        /// The other side closed it.
        case endOfStream
        case failed(TransportError)

        package var description: String {
            switch self {
            case .endOfStream: "the other side closed the connection"
            case .failed(let error): error.description
            }
        }
    }

    /// Where it leads, for messages.
    package let name: String

    /// Called with what one read brought, up to 64 KiB. The octets are gone when it returns.
    package var onReceive: ((Span<UInt8>) -> Void)?
    /// Called once when the stream ends without `close()`; never from within `send`.
    package var onClose: ((CloseReason) -> Void)?
    /// Called when `send` said `.full` and there is room again.
    package var onDrain: (() -> Void)?
    /// Called when all that waited has gone.
    package var onEmpty: (() -> Void)?

    /// Octets that wait for the system to take them.
    package var queuedOctets: Int { queued.count - queuedStart }
    package var isClosed: Bool { descriptor == nil }
    /// Whether it is a serial port, on whose line octets can get lost.
    package var isSerial: Bool { descriptor?.kind == .terminal }

    /// Nil when closed: it must not stay open because somebody still holds the stream.
    private var descriptor: Descriptor?
    private let queue: DispatchQueue
    private let queueLimit: Int
    private var readSource: (any DispatchSourceRead)?
    private var isPaused = false
    private var writeSource: (any DispatchSourceWrite)?
    private var writeSourceRuns = false
    /// Whether its owner waits for it, instead of dispatch sources.
    private var isPolled = false
    private var input: [UInt8]
    /// The most octets of one read, 1 to what was given at the start. For streams: a packet that is longer is cut off.
    package var readLimit: Int { didSet { readLimit = min(max(1, readLimit), input.count) } }
    private var queued: [UInt8] = []
    private var queuedStart = 0
    private var saidFull = false

    /// The process at the other end of a Unix socket, as the system vouches for it: the one that connected. Nil if unknown.
    package var peerProcess: Int32? {
        guard let descriptor, descriptor.kind == .socket else { return nil }
        // struct ucred: the process, its user, its group.
        var credentials: [3 of Int32] = [0, 0, 0]
        var length = socklen_t(MemoryLayout.size(ofValue: credentials))
        guard getsockopt(descriptor.number, SOL_SOCKET, SO_PEERCRED, &credentials, &length) == 0 else { return nil }
        return credentials[0] > 0 ? credentials[0] : nil
    }

    /// Takes over a connected stream socket. Nothing is read before `start()`.
    ///
    /// - Parameter queueLimit: with so many octets waiting, `send` takes no more.
    package convenience init(
        descriptor number: Int32, name: String, queue: DispatchQueue, queueLimit: Int = 1 << 20, readSize: Int = 1 << 16
    ) {
        Sockets.prepare(number)
        self.init(Descriptor(number), name: name, queue: queue, queueLimit: queueLimit, readSize: readSize)
    }

    /// The same for a socket that keeps the boundaries of packets.
    package convenience init(packetSocket number: Int32, name: String, queue: DispatchQueue) {
        Sockets.prepare(number)
        self.init(Descriptor(number, kind: .packets), name: name, queue: queue)
    }

    init(
        _ descriptor: Descriptor, name: String, queue: DispatchQueue, queueLimit: Int = 1 << 20, readSize: Int = 1 << 16
    ) {
        self.descriptor = descriptor
        self.name = name
        self.queue = queue
        self.queueLimit = queueLimit
        input = [UInt8](repeating: 0, count: max(1, readSize))
        readLimit = input.count
    }

    deinit { release() }

    /// Begins to read. Set the callbacks first.
    package func start() {
        guard let descriptor, readSource == nil else { return }
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

    /// Begins to read, without dispatch sources: the owner waits for `pollDescriptor` and calls `serve`.
    package func startPolled() { isPolled = !isClosed }

    /// What a polling owner waits for; nil when closed.
    var pollDescriptor: Descriptor? { isPolled ? descriptor : nil }

    /// Whether it waits for the system to take more, and its owner should wait for that.
    package var awaitsWriting: Bool { isPolled && queuedOctets > 0 }

    /// Reads and writes what is possible now, as `PollingThread` found it.
    package func serve(_ readiness: PollingThread.Readiness) {
        guard isPolled else { return }
        if readiness.isWritable { writeQueued() }
        if readiness.isReadable { readOnce() }
    }

    /// Sends all of `bytes`, or takes nothing.
    @discardableResult
    package func send(_ bytes: Span<UInt8>) -> SendResult {
        guard let descriptor else { return .closed }
        guard queuedOctets == 0 else {
            guard queuedOctets + bytes.count <= queueLimit else {
                saidFull = true
                return .full
            }
            queued.append(bytes)
            return .queued
        }
        let written = bytes.isEmpty ? 0 : Sockets.write(descriptor, bytes)
        if written == bytes.count { return .sent }
        if written < 0, !Self.isTemporary(written) {
            let reason = CloseReason.failed(lost(Int32(-written)))
            end()
            // The caller hears of it when it is done with what it does now.
            queue.async { [self] in finish(reason) }
            return .closed
        }
        queued.append(bytes.extracting(droppingFirst: max(0, written)))
        runWriteSource()
        return .queued
    }

    /// Ends the stream; what waits is not sent. No callback comes after it, `onClose` neither.
    package func close() {
        onClose = nil
        end()
    }

    /// Everything but `onClose`, which may still have to be called.
    private func end() {
        guard !isClosed else { return }
        onReceive = nil
        onDrain = nil
        onEmpty = nil
        queued = []
        queuedStart = 0
        if let descriptor, descriptor.kind == .socket { _ = shutdown(descriptor.number, Int32(SHUT_RDWR)) }
        release()
        descriptor = nil
    }

    /// Lets go of the sources; the descriptor closes when the last of them has ended.
    private func release() {
        isPolled = false
        readSource?.cancel()
        // A suspended source must not be released.
        if isPaused { readSource?.resume() }
        isPaused = false
        readSource = nil
        if let writeSource {
            writeSource.cancel()
            if !writeSourceRuns { writeSource.resume() }
        }
        writeSource = nil
    }

    private static func isTemporary(_ result: Int) -> Bool {
        result == -Int(EAGAIN) || result == -Int(EWOULDBLOCK) || result == -Int(ENOBUFS)
    }

    /// Reads now what there is to read, if anything; for who keeps the queue busy and cannot wait to be told.
    package func look() {
        // Once: the source's handler reads to the end after a hang-up, so no question to the system is needed here.
        if readSource != nil, !isPaused { readOnce() }
    }

    /// Reads no more until `resume`, so that the other side has to wait. Only for streams that are not polled.
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
        guard let descriptor, Sockets.hasHungUp(descriptor) else { return }
        queue.async { [weak self] in self?.readAvailable() }
    }

    /// Whether the other side sends nothing more than what waits to be read.
    package var isEnding: Bool { descriptor.map(Sockets.isEnding) ?? true }

    /// Reads once, and until the end if the other side has hung up. libdispatch reports a hang-up once and then removes the descriptor
    /// from its set, so no event follows for octets or for an end that remain.
    private func readAvailable() {
        guard !isPaused else { return }
        var hasRead = readOnce()
        while hasRead, !isPaused, let descriptor, Sockets.hasHungUp(descriptor) { hasRead = readOnce() }
    }

    /// Returns whether there may be more to read.
    @discardableResult
    private func readOnce() -> Bool {
        guard let descriptor else { return false }
        let count = Sockets.read(descriptor, into: &input, limit: readLimit)
        if count > 0 {
            // One more reference, not a copy: the next read finds the buffer its own again.
            let octets = input
            if let onReceive { onReceive(octets.span.extracting(first: count)) }
        } else if count == 0 {
            finish(.endOfStream)
        } else if !Self.isTemporary(count) {
            finish(.failed(lost(Int32(-count))))
        }
        return count > 0
    }

    private func runWriteSource() {
        guard let descriptor, !writeSourceRuns, !isPolled else { return }
        writeSourceRuns = true
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
        guard let descriptor else { return }
        if queuedOctets > 0 {
            let written = Sockets.write(descriptor, queued.span.extracting(droppingFirst: queuedStart))
            if written < 0 {
                if !Self.isTemporary(written) { finish(.failed(lost(Int32(-written)))) }
                return
            }
            queuedStart += written
        }
        if queuedOctets == 0 {
            queued.removeAll(keepingCapacity: queued.capacity <= 1 << 16)
            queuedStart = 0
            writeSourceRuns = false
            writeSource?.suspend()
        } else if queuedStart >= 1 << 16 {
            queued.removeSubrange(..<queuedStart)
            queuedStart = 0
        }
        if saidFull, queuedOctets <= queueLimit / 2 {
            saidFull = false
            onDrain?()
        }
        if queuedOctets == 0 { onEmpty?() }
    }

    private func lost(_ code: Int32) -> TransportError {
        TransportError(.connectionLost, "The connection to \(name) broke (\(systemText(code))): open it again.")
    }

    private func finish(_ reason: CloseReason) {
        end()
        let callback = onClose
        onClose = nil
        callback?(reason)
    }
}
