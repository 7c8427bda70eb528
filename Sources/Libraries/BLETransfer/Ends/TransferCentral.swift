internal import BLEAdapter
import CoreBluetooth

/// A central that transfers one file with a peripheral that publishes the transfer service, in either direction. May be used from any thread.
///
/// It finds the peripheral, connects, and connects again after a lost link; the transfer continues at the last stored octet. It uses
/// a central manager of its own.
///
/// ```swift
/// let source = try TransferFile(path: "firmware.bin")
/// let central = try TransferCentral(.send(source), peer: .named("Wristband"))
/// let offer = try await central.run()
/// print(offer.name, offer.size)
/// ```
public final class TransferCentral: Sendable {
    /// The peripheral that the central looks for.
    public enum Peer: Hashable, Sendable {
        /// The first peripheral with the transfer service.
        case any
        /// A peripheral with the transfer service that advertises this name.
        case named(String)
        /// A peripheral by its identifier.
        case identifier(UUID)
    }

    private let session: TransferCentralSession
    private let source: EventSource<TransferEvent>

    /// Prepares a transfer. A source is read once for its digest.
    ///
    /// - Parameters:
    ///   - transfer: What to transfer.
    ///   - peer: The peripheral.
    ///   - carrier: The carrier of messages and octets.
    ///   - timing: The time limits.
    ///   - queue: The serial queue of the events, the source and the store.
    ///   - clock: The clock of the time limits.
    ///   - onEvent: Receives the events on `queue`. The last event is `ended`, after the link has ended.
    /// - Throws: The error of the source, or ``TransferError/file(_:)`` if its name or size is out of range.
    public init(
        _ transfer: Transfer, peer: Peer, carrier: TransferCarrier = .attributes,
        timing: TransferTiming = TransferTiming(), queue: DispatchQueue = .main,
        clock: any Clock<Duration> = ContinuousClock(),
        onEvent: @escaping @Sendable (TransferEvent) -> Void = { _ in }
    ) throws(TransferError) {
        let source = EventSource(onEvent) { event in if case .ended = event { true } else { false } }
        self.source = source
        session = try TransferCentralSession(
            transfer, peer: peer, carrier: carrier, timing: timing, queue: queue, clock: clock,
            onEvent: source.report)
    }

    /// Starts the transfer. Call it once, and keep a reference to the object until the event `ended`.
    public func start() { session.start() }

    /// Cancels the transfer and tells the peer. The event `ended` follows.
    public func cancel() { session.cancel() }

    /// The events from now on. The stream ends after the event `ended`. It keeps the latest 1,024 events that were not taken.
    public var events: AsyncStream<TransferEvent> { source.stream() }

    /// Starts the transfer and waits for its end. The cancellation of the task cancels the transfer, as ``cancel()`` does. Call it once, instead of
    /// ``start()``.
    ///
    /// - Returns: The file that was transferred.
    /// - Throws: The reason why the file was not transferred; `.ended(.cancelled)` after a cancellation.
    public func run() async throws(TransferError) -> TransferOffer {
        let events = events
        // The stream of a cancelled task would end before the transfer.
        let end = Task { () -> (TransferOffer?, TransferError?) in
            for await event in events {
                if case .ended(let offer, let error) = event { return (offer, error) }
            }
            return (nil, nil)
        }
        start()
        let (offer, error) = await withTaskCancellationHandler {
            await end.value
        } onCancel: {
            cancel()
        }
        if let error { throw error }
        guard let offer else { throw .ended(.protocolError) }
        return offer
    }
}
