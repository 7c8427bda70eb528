import BLETransport
import BLEWire

/// A recording of a ``World``; see ``World/captureAir(to:names:)`` and ``World/captureHCI(to:)``.
public final class Capture: Sendable {
    private let sink: CaptureSink
    private let dropped: @Sendable () -> Int

    init(_ sink: CaptureSink, dropped: @escaping @Sendable () -> Int) {
        self.sink = sink
        self.dropped = dropped
    }

    /// The number of packets that the capture dropped because its reader was too slow or has ended.
    public var droppedPackets: Int { dropped() }

    /// Calls `body` once when the capture can no longer be written, with a sentence that says why, on a queue of the capture's.
    package func onFailure(_ body: @escaping @Sendable (String) -> Void) { sink.onFailure { body($0.description) } }

    /// Writes the packets that wait and closes the file. A reader that has ended is no error.
    ///
    /// - Throws: an error whose description says in one sentence why the file is not complete.
    public func finish() throws {
        sink.close()
        if let failure = sink.failure { throw failure }
    }
}
