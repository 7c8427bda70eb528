internal import BLEAdapter
import CoreBluetooth

/// A client's connection to one device, over the best of several ways that works now. May be used from any thread.
///
/// ```swift
/// let ways: [any DeviceTransport] = [
///     NetworkTransport(to: "lamp-1", key: key, queue: queue), BluetoothTransport(to: "lamp-1", key: key, queue: queue),
/// ]
/// let device = DeviceConnection(to: "lamp-1", over: ways, queue: queue) { event in print(event) }
/// device.start()
/// let state = try await device.request("lamp.set", ["on": true])
/// ```
///
/// When the way breaks, the next one takes over, and when a better one works again, the connection returns to it. The device carries out each request once,
/// and all requests of a connection in order. A request without a reply fails with a ``LinkRequestError``, which says where it stopped.
///
/// `@unchecked Sendable`: the methods put their work on the queue, which alone uses the state.
public final class DeviceConnection: @unchecked Sendable {
    /// What happens on a connection.
    public enum Event: Hashable, Sendable {
        /// The connection uses the way with this name; nil if none works.
        case way(String?)
        /// A way could not be opened, or broke; the text has the reason.
        case wayFailed(String, String)
        /// Something happened at the device.
        case event(operation: String, arguments: LinkValue)
        /// So many events of the device were lost, because this client was away for too long.
        case missedEvents(Int)
    }

    /// How a request ended.
    public typealias Completion = @Sendable (Result<LinkValue, DeviceRequestError>) -> Void

    /// The identifier of the device.
    public let device: String
    private let ways: [any DeviceTransport]
    private let queue: DispatchQueue
    private let clock: QueueClock
    private let source: EventSource<Event>
    // The state below belongs to the queue.
    private var client: LinkClient
    private var completions: [Int: Completion] = [:]
    /// Counts the openings of each way: reports of an earlier one are ignored.
    private var openings: [Int]
    private var scheduled: Duration?
    private var isWorking = false

    /// Prepares a connection.
    ///
    /// - Parameters:
    ///   - device: The identifier of the device: 1 to 64 octets.
    ///   - ways: The ways, the best first. They have the same queue as the connection.
    ///   - timing: The time limits.
    ///   - queue: The serial queue of the events.
    ///   - clock: The clock of the time limits.
    ///   - onEvent: Receives the events on `queue`.
    public init(
        to device: String, over ways: [any DeviceTransport], timing: LinkTiming = LinkTiming(),
        queue: DispatchQueue = .main,
        clock: any Clock<Duration> = ContinuousClock(), onEvent: @escaping @Sendable (Event) -> Void = { _ in }
    ) {
        self.device = device
        self.ways = ways
        self.queue = queue
        self.clock = QueueClock(clock)
        source = EventSource(onEvent)
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
    ///   - operation: The name of the operation, such as `lamp.set`: 1 to 64 octets.
    ///   - arguments: Its arguments. The request has at most 8,192 octets.
    ///   - limit: The time limit; nil for that of the timing.
    ///   - completion: Receives the result on the queue.
    public func request(
        _ operation: String, _ arguments: LinkValue = .null, limit: Duration? = nil, completion: @escaping Completion
    ) { submit(operation, arguments, limit, Submission(), completion) }

    /// Asks the device to carry out an operation, and returns its result.
    ///
    /// The cancellation of the task ends the request with the reason ``LinkRequestError/Reason/cancelled``; the device may carry it out nevertheless, unless
    /// the stage is `waiting`.
    public func request(
        _ operation: String, _ arguments: LinkValue = .null, limit: Duration? = nil
    ) async throws(DeviceRequestError) -> LinkValue {
        let submission = Submission()
        let result = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                submit(operation, arguments, limit, submission) { continuation.resume(returning: $0) }
            }
        } onCancel: {
            cancel(submission)
        }
        return try result.get()
    }

    /// The events from now on. The stream ends with the object. It keeps the latest 1,024 events that were not taken.
    public var events: AsyncStream<Event> { source.stream() }

    /// Closes all ways. The requests that wait fail with `closed`.
    public func close() {
        queue.async { [self] in
            client.close(at: clock.now)
            work()
        }
    }

    // MARK: Requests

    /// Brings the number of a request to its cancellation, which may come first.
    private final class Submission: Sendable {
        let state = Lock((number: Int?.none, isCancelled: false))
    }

    private func submit(
        _ operation: String, _ arguments: LinkValue, _ limit: Duration?, _ submission: Submission,
        _ completion: @escaping Completion
    ) {
        queue.async { [self] in
            guard !submission.state.withLock({ $0.isCancelled }) else {
                return completion(.failure(.unanswered(LinkRequestError(.waiting, .cancelled))))
            }
            do throws(LinkSubmitError) {
                let number = try client.submit(operation, arguments, at: clock.now, limit: limit)
                submission.state.withLock { $0.number = number }
                completions[number] = completion
            } catch {
                completion(.failure(.notSubmitted(error)))
            }
            work()
        }
    }

    private func cancel(_ submission: Submission) {
        queue.async { [self] in
            let number = submission.state.withLock { state in
                state.isCancelled = true
                return state.number
            }
            guard let number else { return }
            client.cancel(number, at: clock.now)
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
            source.report(.wayFailed(ways[way].name, reason))
        }
        work()
    }

    private func report(_ event: LinkClient.Event) {
        switch event {
        case .way(let way): source.report(.way(way.map { ways[$0].name }))
        case .accepted: break
        case .replied(let number, let result): complete(number, result.mapError { .refused($0) })
        case .failed(let number, let failure): complete(number, .failure(.unanswered(failure)))
        case .event(let operation, let arguments): source.report(.event(operation: operation, arguments: arguments))
        case .missedEvents(let count): source.report(.missedEvents(count))
        }
    }

    private func complete(_ number: Int, _ result: Result<LinkValue, DeviceRequestError>) {
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
