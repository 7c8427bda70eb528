internal import BLEAdapter
import CoreBluetooth

/// A peripheral that publishes the transfer service, advertises it, and transfers files with one central at a time, in either
/// direction. May be used from any thread.
///
/// A receiver takes any number of files, one after another, and continues a file whose link was lost. A sender sends one file. It uses a
/// peripheral manager of its own.
public final class TransferPeripheral: Sendable {
    private let session: TransferPeripheralSession
    private let source: EventSource<TransferEvent>

    /// Prepares the service. A source is read once for its digest.
    ///
    /// - Parameters:
    ///   - transfer: What to transfer.
    ///   - name: The advertised name; nil advertises none.
    ///   - timing: The time limits. A peripheral waits for a central without a limit.
    ///   - queue: The serial queue of the events, the source and the store.
    ///   - clock: The clock of the time limits.
    ///   - onEvent: Receives the events on `queue`. A receiver reports `ended` for each file.
    /// - Throws: The error of the source, or ``TransferError/file(_:)`` if its name or size is out of range.
    public init(
        _ transfer: Transfer, name: String?, timing: TransferTiming = TransferTiming(), queue: DispatchQueue = .main,
        clock: any Clock<Duration> = ContinuousClock(),
        onEvent: @escaping @Sendable (TransferEvent) -> Void = { _ in }
    ) throws(TransferError) {
        let source = EventSource(onEvent)
        self.source = source
        session = try TransferPeripheralSession(
            transfer, name: name, timing: timing, queue: queue, clock: clock, onEvent: source.report)
    }

    /// Publishes the service and advertises it. Call it once, and keep a reference to the object until ``stop(_:)`` has completed.
    public func start() { session.start() }

    /// Cancels the transfer of the moment and tells the peer. A receiver then waits for other files.
    public func cancel() { session.cancel() }

    /// The events from now on. The stream ends with ``stop(_:)``. It keeps the latest 1,024 events that were not taken.
    public var events: AsyncStream<TransferEvent> { source.stream() }

    /// Stops advertising, and removes the service once the central has ended the link, at the latest after 2 s. A transfer of the
    /// moment is cancelled.
    ///
    /// - Parameter completion: Called on the queue.
    public func stop(_ completion: @escaping @Sendable () -> Void) {
        session.stop { [source] in
            source.finish()
            completion()
        }
    }

    /// Stops like ``stop(_:)`` and waits for its completion.
    public func stop() async { await withCheckedContinuation { done in stop { done.resume() } } }
}
