import BLEWire
import Dispatch

/// A connection whose owner waits for it in a `PollingThread` and then calls `serve`.
///
/// This costs one system call for each wait, where a dispatch source costs several and a second thread. It suits a stream that is
/// always busy, such as the one between a host and its controller.
///
/// Threads: all methods and callbacks run on the serial queue given at the start. Releasing the stream closes it.
package final class PolledStream: @unchecked Sendable {
    /// Called with the octets of one read, at most 64 KiB. They are valid until it returns.
    package var onReceive: ((Span<UInt8>) -> Void)?
    /// Called once if the stream ends without `close()`; never from within `send`.
    package var onClose: ((StreamCloseReason) -> Void)?

    private var buffers: StreamBuffers
    private let queue: DispatchQueue

    /// - Parameter queueLimit: the most octets that wait for the system; `send` takes no more.
    package init(_ connection: TransportConnection, queue: DispatchQueue, queueLimit: Int = 1 << 20) {
        buffers = StreamBuffers(connection, queueLimit: queueLimit, readSize: 1 << 16)
        self.queue = queue
    }

    /// Where the connection leads, for messages.
    package var name: String { buffers.name }
    /// Whether it is a serial port, on whose line octets can get lost.
    package var isSerial: Bool { buffers.descriptor?.kind == .terminal }
    /// What the owner waits for; nil when closed.
    var descriptor: Descriptor? { buffers.descriptor }
    /// Whether octets wait for the system, so that the owner waits for that as well.
    package var awaitsWriting: Bool { buffers.queuedOctets > 0 }

    /// Reads and writes what is possible now, as `PollingThread` found it.
    package func serve(_ readiness: PollingThread.Readiness) {
        if readiness.isWritable { writeQueued() }
        if readiness.isReadable { readOnce() }
    }

    /// Sends all of `bytes`, or takes nothing.
    @discardableResult
    package func send(_ bytes: Span<UInt8>) -> StreamSendResult {
        switch buffers.send(bytes) {
        case .sent: return .sent
        case .queued: return .queued
        case .full: return .full
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

    private func readOnce() {
        let count = buffers.read()
        if count > 0 {
            // A second reference, not a copy: the next read finds the buffer unshared again.
            let octets = buffers.input
            if let onReceive { onReceive(octets.span.extracting(first: count)) }
        } else if let reason = buffers.closeReason(afterRead: count) {
            finish(reason)
        }
    }

    private func writeQueued() {
        if case .failed(let code) = buffers.writeQueued() { finish(buffers.closeReason(code)) }
    }

    /// Closes the connection; `onClose` may still have to be called.
    private func end() {
        onReceive = nil
        buffers.close()
    }

    private func finish(_ reason: StreamCloseReason) {
        end()
        let callback = onClose
        onClose = nil
        callback?(reason)
    }
}
