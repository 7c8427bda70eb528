import Foundation

/// Queues the values of several upstreams for one downstream, in order. It respects the demand and calls the downstream from one thread at a time,
/// outside its lock: a call during a delivery only appends its value.
final class Outbox<Downstream: Subscriber>: @unchecked Sendable {
    private struct Entry {
        let value: Downstream.Input
        let source: Int
    }

    private let lock = NSLock()
    private var downstream: Downstream?
    private var waiting: [Entry] = []
    private var next = 0
    private var demand = Subscribers.Demand.none
    private var completion: Subscribers.Completion<Downstream.Failure>?
    private var isWorking = false
    private let onDelivery: ((_ source: Int) -> Void)?
    private let onMore: ((_ demand: Subscribers.Demand) -> Void)?

    /// - Parameters:
    ///   - onMore: Called after a value with the additional demand of the downstream.
    ///   - onDelivery: Called after each value with the tag of its source, while the demand has a limit.
    init(
        _ downstream: Downstream, onMore: ((_ demand: Subscribers.Demand) -> Void)? = nil,
        onDelivery: ((_ source: Int) -> Void)? = nil
    ) {
        self.downstream = downstream
        self.onMore = onMore
        self.onDelivery = onDelivery
    }

    /// The remaining demand of the downstream.
    var outstanding: Subscribers.Demand { lock.withLock { demand } }

    /// Adds a value.
    func send(_ value: Downstream.Input, from source: Int = 0) {
        put(value, from: source)
        work()
    }

    /// Appends a value without a delivery.
    func put(_ value: Downstream.Input, from source: Int = 0) {
        lock.withLock {
            guard downstream != nil, completion == nil else { return }
            waiting.append(Entry(value: value, source: source))
        }
    }

    /// Stores a value without a delivery. Without demand, the next value replaces it.
    ///
    /// - Returns: The replaced value. The caller releases it outside any lock.
    func put(latest value: Downstream.Input) -> Any {
        lock.withLock {
            guard downstream != nil, completion == nil else { return value }
            let old = demand == .none ? empty() : []
            waiting.append(Entry(value: value, source: 0))
            return old
        }
    }

    /// Delivers the stored value.
    func flush() { work() }

    /// Completes after the queued values, or immediately with a failure.
    func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
        let old: [Entry] = lock.withLock {
            guard downstream != nil, self.completion == nil else { return [] }
            self.completion = completion
            if case .failure = completion { return empty() }
            return []
        }
        withExtendedLifetime(old) {}
        work()
    }

    /// Adds demand of the downstream.
    func request(_ more: Subscribers.Demand) {
        lock.withLock { demand += more }
        work()
    }

    /// The downstream cancelled.
    func cancel() {
        let old = lock.withLock {
            defer { downstream = nil }
            return (downstream, empty())
        }
        withExtendedLifetime(old) {}
    }

    /// Returns the previous content. The deinit of a value may run code of the program, which must not run under the lock.
    private func empty() -> [Entry] {
        defer {
            waiting = []
            next = 0
        }
        return waiting
    }

    private enum Step {
        case value(Entry, Downstream)
        case completion(Subscribers.Completion<Downstream.Failure>, Downstream)
    }

    private func takeStep() -> Step? {
        guard let downstream else { return nil }
        if next < waiting.count {
            guard demand > .none else { return nil }
            demand -= 1
            let entry = waiting[next]
            next += 1
            if next == waiting.count {
                waiting.removeAll(keepingCapacity: true)
                next = 0
            }
            return .value(entry, downstream)
        }
        guard let completion else { return nil }
        self.downstream = nil
        return .completion(completion, downstream)
    }

    private func work() {
        let mayWork = lock.withLock {
            defer { isWorking = true }
            return !isWorking
        }
        guard mayWork else { return }
        while true {
            let step = lock.withLock {
                let step = takeStep()
                if step == nil { isWorking = false }
                return step
            }
            switch step {
            case nil: return
            case .completion(let completion, let downstream): downstream.receive(completion: completion)
            case .value(let entry, let downstream):
                let more = downstream.receive(entry.value)
                let isLimited = lock.withLock {
                    demand += more
                    return demand != .unlimited
                }
                if more > .none { onMore?(more) }
                if isLimited { onDelivery?(entry.source) }
            }
        }
    }
}
