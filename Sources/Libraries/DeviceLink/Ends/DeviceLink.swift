import CoreBluetooth

/// A client's link to one device, over the best of several ways that works now.
///
/// ```swift
/// let ways: [any DeviceTransport] = [
///     NetworkTransport(to: "lamp-1", key: key, queue: queue), BluetoothTransport(to: "lamp-1", key: key, queue: queue),
/// ]
/// let link = DeviceLink(to: "lamp-1", over: ways, queue: queue) { event in print(event) }
/// link.start()
/// let state = try await link.request("lamp.set", ["on": true])
/// ```
///
/// When the way breaks, the next one takes over, and when a better one works again, the link returns to it. The device carries out each request once,
/// and all requests of a link in order. A request without a reply fails with a ``LinkRequestError``, which says where it stopped.
public final class DeviceLink: @unchecked Sendable {
    /// What happens on a link.
    public enum Event: Hashable, Sendable {
        /// The link uses the way with this name; nil if none works.
        case way(String?)
        /// A way could not be opened, or broke; the text has the reason.
        case wayFailed(String, String)
        /// Something happened at the device.
        case event(op: String, args: LinkValue)
        /// So many events of the device were lost, because this client was away for too long.
        case missedEvents(Int)
    }

    /// How a request ended.
    public typealias Completion = @Sendable (Result<LinkValue, any Error>) -> Void

    /// The identifier of the device.
    public let device: String
    private let ways: [any DeviceTransport]
    private let queue: DispatchQueue
    private let clock: any QueueClock
    private let onEvent: @Sendable (Event) -> Void
    // The state below belongs to the queue.
    private var client: LinkClient
    private var completions: [Int: Completion] = [:]
    /// Counts the openings of each way: reports of an earlier one are ignored.
    private var openings: [Int]
    private var scheduled: Duration?
    private var isWorking = false

    /// Prepares a link.
    ///
    /// - Parameters:
    ///   - device: The identifier of the device: 1 to 64 octets.
    ///   - ways: The ways, the best first. They have the same queue as the link.
    ///   - timing: The time limits.
    ///   - queue: The serial queue of the events.
    ///   - clock: The clock of the time limits.
    ///   - onEvent: Receives the events on `queue`.
    public init(
        to device: String, over ways: [any DeviceTransport], timing: LinkTiming = LinkTiming(),
        queue: DispatchQueue = .main,
        clock: any QueueClock = SystemQueueClock(), onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.device = device
        self.ways = ways
        self.queue = queue
        self.clock = clock
        self.onEvent = onEvent
        openings = Array(repeating: 0, count: ways.count)
        client = LinkClient(
            target: device, ways: ways.count, seed: UInt64.random(in: .min ... .max), timing: timing)
    }

    /// Opens the first way. Call it once, and keep a reference to the object until ``close()``.
    public func start() {
        queue.async { [self] in
            client.start(at: clock.now)
            work()
        }
    }

    /// Asks the device to carry out an operation.
    ///
    /// - Parameters:
    ///   - op: The name of the operation, such as `lamp.set`: 1 to 64 octets.
    ///   - args: Its arguments. The request has at most 8,192 octets.
    ///   - limit: The time limit; nil for that of the timing.
    ///   - completion: Receives the result on the queue, or a ``LinkError`` of the device, a ``LinkRequestError``, or a ``LinkSubmitError``.
    public func request(
        _ op: String, _ args: LinkValue = .null, limit: Duration? = nil, completion: @escaping Completion
    ) {
        queue.async { [self] in
            do throws(LinkSubmitError) {
                completions[try client.submit(op, args, at: clock.now, limit: limit)] = completion
            } catch {
                completion(.failure(error))
            }
            work()
        }
    }

    /// Asks the device to carry out an operation, and returns its result.
    ///
    /// - Throws: The ``LinkError`` of the device, a ``LinkRequestError``, or a ``LinkSubmitError``.
    public func request(_ op: String, _ args: LinkValue = .null, limit: Duration? = nil) async throws -> LinkValue {
        try await withCheckedThrowingContinuation { continuation in
            request(op, args, limit: limit) { continuation.resume(with: $0) }
        }
    }

    /// Closes all ways. The requests that wait fail with `closed`.
    public func close() {
        queue.async { [self] in
            client.close(at: clock.now)
            work()
        }
    }

    // MARK: Work

    private func work() {
        // A way may report while it is opened.
        guard !isWorking else { return }
        isWorking = true
        while true {
            let actions = client.takeActions()
            let events = client.takeEvents()
            if actions.isEmpty, events.isEmpty { break }
            for action in actions { perform(action) }
            for event in events { report(event) }
        }
        isWorking = false
        schedule()
    }

    private func perform(_ action: LinkClient.Action) {
        switch action {
        case .open(let way):
            openings[way] += 1
            let opening = openings[way]
            ways[way].open { [weak self] event in self?.handle(event, way, opening) }
        case .close(let way):
            openings[way] += 1
            ways[way].close()
        case .send(let octets, let way): ways[way].send(octets)
        }
    }

    private func handle(_ event: DeviceTransportEvent, _ way: Int, _ opening: Int) {
        guard openings[way] == opening else { return }
        switch event {
        case .opened: client.opened(way, at: clock.now)
        case .received(let octets): client.receive(octets, from: way, at: clock.now)
        case .closed(let reason):
            openings[way] += 1
            client.broke(way, at: clock.now)
            onEvent(.wayFailed(ways[way].name, reason))
        }
        work()
    }

    private func report(_ event: LinkClient.Event) {
        switch event {
        case .way(let way): onEvent(.way(way.map { ways[$0].name }))
        case .accepted: break
        case .replied(let number, let result): complete(number, result.mapError { $0 })
        case .failed(let number, let failure): complete(number, .failure(failure))
        case .event(let op, let args): onEvent(.event(op: op, args: args))
        case .missedEvents(let count): onEvent(.missedEvents(count))
        }
    }

    private func complete(_ number: Int, _ result: Result<LinkValue, any Error>) {
        completions.removeValue(forKey: number)?(result)
    }

    private func schedule() {
        guard let deadline = client.deadline, scheduled.map({ deadline < $0 }) ?? true else { return }
        scheduled = deadline
        clock.schedule(at: deadline, on: queue) { [weak self] in
            guard let self, scheduled == deadline else { return }
            scheduled = nil
            if let due = client.deadline, due <= clock.now { client.handleTimeout(at: clock.now) }
            work()
        }
    }
}
