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

    /// The address at which programs connect to a live capture, with the port that the system chose; nil for other captures.
    public var address: String? { sink.address?.description }

    /// The number of dropped packets, because the reader of the capture was too slow or closed it.
    public var droppedPackets: Int { dropped() }

    /// Calls `body` once with the reason when the capture cannot be written any more, on a queue of the capture.
    package func onFailure(_ body: @escaping @Sendable (String) -> Void) { sink.onFailure { body($0.description) } }

    /// Writes the buffered packets and closes the file. A reader that closed the capture before is not an error.
    ///
    /// - Throws: An error whose description says why the file is incomplete.
    public func finish() throws {
        sink.close()
        if let failure = sink.failure { throw failure }
    }
}
