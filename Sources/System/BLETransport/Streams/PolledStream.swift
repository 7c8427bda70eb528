import BLEWire

/// A connection whose owner waits for it in a `PollingThread` and then calls `serve`.
///
/// This costs one system call for each wait. A dispatch source costs several and a second thread. It suits a stream
/// that is always busy, such as the one between a host and its controller.
///
/// Threads: the owner calls one method at a time. Callbacks run within these calls, or as given at the start. Releasing the stream closes it.
package final class PolledStream: @unchecked Sendable {
    /// Called with the octets of one read, at most 64 KiB. They are valid until it returns.
    @exclusivity(unchecked) package var onReceive: ((Span<UInt8>) -> Void)?
    /// Called once if the stream ends without `close()`. Never called from within `send`.
    package var onClose: ((StreamError) -> Void)?

    @exclusivity(unchecked) private var buffers: StreamBuffers
    private let later: (@escaping @Sendable () -> Void) -> Void
    /// Whether each read is one packet, as of an HCI user channel.
    private let keepsPackets: Bool

    /// The packets of one call of `serve`, so that calls and deadlines have their turn.
    private static let packetLimit = 64

    /// - Parameters:
    ///   - queueLimit: The maximum number of octets that wait for the system. `send` refuses more.
    ///   - later: Runs a block after the present call of the owner, and not during another one.
    package init(
        _ connection: TransportConnection, queueLimit: Int = 1 << 20,
        later: @escaping (@escaping @Sendable () -> Void) -> Void
    ) {
        buffers = StreamBuffers(connection, queueLimit: queueLimit, readSize: 1 << 16)
        self.later = later
        keepsPackets = buffers.descriptor?.kind == .packets
    }

    /// The destination of the connection, for messages.
    package var name: String { buffers.name }
    /// Whether it is a serial port, whose line can lose octets.
    package var isSerial: Bool { buffers.descriptor?.kind == .terminal }
    /// The descriptor for the owner's wait; nil when closed.
    var descriptor: Descriptor? { buffers.descriptor }
    /// Whether octets wait for the system. The owner then also waits until the stream is writable.
    package var awaitsWriting: Bool { buffers.queuedOctets > 0 }

    /// Reads and writes without waiting, according to the readiness that `PollingThread` reported.
    package func serve(_ readiness: PollingThread.Readiness) {
        if readiness.isWritable { writeQueued() }
        guard readiness.isReadable else { return }
        var count = 1
        // A read of octets takes all that have arrived, and one of packets a single packet.
        while readOnce(), keepsPackets, count < Self.packetLimit { count += 1 }
    }

    /// Sends all of `bytes`, or refuses all of them.
    @discardableResult
    package func send(_ bytes: Span<UInt8>) -> StreamSendResult {
        do throws(StreamError) {
            return try buffers.send(bytes)
        } catch {
            end()
            // Reports the end asynchronously, because the caller is in the middle of an operation.
            later { [self] in finish(error) }
            return .closed
        }
    }

    /// Ends the stream and drops the queued octets. No callback follows.
    package func close() {
        onClose = nil
        end()
    }

    /// Returns whether more may be available.
    private func readOnce() -> Bool {
        let count = buffers.read()
        if count > 0 {
            // Out of its property, so that it has one reference.
            var octets: [UInt8] = []
            swap(&octets, &buffers.input)
            if let onReceive { onReceive(octets.span.extracting(first: count)) }
            swap(&octets, &buffers.input)
        } else if let reason = buffers.closeReason(afterRead: count) {
            finish(reason)
        }
        return count > 0
    }

    private func writeQueued() {
        do throws(StreamError) { _ = try buffers.writeQueued() } catch { finish(error) }
    }

    /// Closes the connection. The call of `onClose` may still be pending.
    private func end() {
        onReceive = nil
        buffers.close()
    }

    private func finish(_ reason: StreamError) {
        end()
        let callback = onClose
        onClose = nil
        callback?(reason)
    }
}
