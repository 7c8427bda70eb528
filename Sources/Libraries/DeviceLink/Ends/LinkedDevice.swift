internal import BLEAdapter
import CoreBluetooth

/// A device that clients reach over several ways. May be used from any thread.
///
/// ```swift
/// let device = try LinkedDevice("lamp-1", listeners: [NetworkListener("lamp-1", key: key, queue: queue)], queue: queue) { request in
///     request.reply(.success(["on": true]))
/// }
/// device.start()
/// ```
///
/// Each client has one request at a time; the next one comes after the reply. Requests of different clients come as they arrive.
public final class LinkedDevice: Sendable {
    /// What happens at the device, besides requests.
    public enum Event: Hashable, Sendable {
        /// The listener with this name is open; the text says where.
        case opened(String, String)
        /// The listener with this name is closed; the text has the reason.
        case failed(String, String)
    }

    /// A request to carry out.
    public struct Request: Sendable {
        /// The name of the operation.
        public let operation: String
        /// The arguments.
        public let arguments: LinkValue
        let answer: @Sendable (Result<LinkValue, LinkError>) -> Void

        /// Replies to the request. Call it once, on any queue. A result with more than 8,192 octets becomes an error.
        public func reply(_ result: Result<LinkValue, LinkError>) { answer(result) }
    }

    struct Route: Hashable, Sendable {
        let listener: Int
        let client: UInt64
    }

    /// The identifier of the device.
    public let identifier: String
    private let listeners: [any DeviceListener]
    private let queue: DispatchQueue
    private let clock: QueueClock
    private let source: EventSource<Event>
    private let onRequest: @Sendable (Request) -> Void
    private let device: Lock<LinkDevice<Route>>

    /// Prepares a device.
    ///
    /// - Parameters:
    ///   - identifier: The identifier: 1 to 64 octets.
    ///   - listeners: Where clients come from. They have the same queue as the device.
    ///   - queue: The serial queue of the requests and events.
    ///   - clock: The clock of the device.
    ///   - onEvent: Receives the events on `queue`.
    ///   - onRequest: Carries out a request on `queue`.
    /// - Throws: ``LinkFormatError/field(_:)`` if the identifier has no octet, or more than 64.
    public init(
        _ identifier: String, listeners: [any DeviceListener], queue: DispatchQueue = .main,
        clock: any Clock<Duration> = ContinuousClock(), onEvent: @escaping @Sendable (Event) -> Void = { _ in },
        onRequest: @escaping @Sendable (Request) -> Void
    ) throws(LinkFormatError) {
        guard let device = LinkDevice<Route>(identifier: identifier, run: UInt64.random(in: .min ... .max)) else {
            throw .field("identifier")
        }
        self.identifier = identifier
        self.listeners = listeners
        self.queue = queue
        self.clock = QueueClock(clock)
        source = EventSource(onEvent)
        self.onRequest = onRequest
        self.device = Lock(device)
    }

    /// Opens the listeners. Call it once, and keep a reference to the object until ``stop()``.
    public func start() {
        queue.async { [self] in
            for (index, listener) in listeners.enumerated() {
                listener.open { [weak self] event in self?.handle(event, index) }
            }
        }
    }

    /// The events from now on. The stream ends with the object. It keeps the latest 1,024 events that were not taken.
    public var events: AsyncStream<Event> { source.stream() }

    /// Closes the listeners.
    public func stop() { queue.async { [self] in for listener in listeners { listener.close() } } }

    /// Sends an event to all clients. A client that is away gets the latest 32 when it returns.
    ///
    /// - Throws: ``LinkFormatError`` if the event has more than 8,192 octets.
    public func send(event operation: String, _ arguments: LinkValue = .null) throws(LinkFormatError) {
        // The check needs no state of the device; the queue has the state.
        var probe = LinkEnvelope(
            .event, target: identifier, session: String(repeating: "f", count: LinkEnvelope.longestName),
            id: LinkEnvelope.greatestNumber)
        (probe.first, probe.op, probe.args) = (probe.id, operation, arguments)
        _ = try LinkEnvelope(decoding: probe.encoded())
        queue.async { [self] in
            device.withLock { try? $0.send(event: operation, arguments) }
            work()
        }
    }

    private func handle(_ event: DeviceListenerEvent, _ index: Int) {
        let name = listeners[index].name
        switch event {
        case .opened(let place): source.report(.opened(name, place))
        case .failed(let reason): source.report(.failed(name, reason))
        case .left: break
        case .received(let octets, let client):
            let now = clock.now
            device.withLock { $0.receive(octets, from: Route(listener: index, client: client), at: now) }
            work()
        }
    }

    private func work() {
        let (messages, requests) = device.withLock { ($0.takeOutgoing(), $0.takeRequests()) }
        for message in messages {
            listeners[message.route.listener].send(message.octets, to: message.route.client)
        }
        for request in requests {
            let answer: @Sendable (Result<LinkValue, LinkError>) -> Void = { [weak self] result in
                guard let self else { return }
                queue.async {
                    self.device.withLock { $0.finish(request, with: result) }
                    self.work()
                }
            }
            onRequest(Request(operation: request.op, arguments: request.args, answer: answer))
        }
    }
}
