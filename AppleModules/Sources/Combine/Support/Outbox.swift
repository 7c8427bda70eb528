import Foundation

/// What several upstreams have for one downstream, in order. It minds the demand, and calls the downstream from one thread at a time,
/// outside its lock: whoever calls while it is at work leaves the value to it.
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
    ///   - onMore: Called with what the downstream asks for in return for a value, after the value.
    ///   - onDelivery: Called after each value with what was said of its source, while the demand has a limit.
    init(
        _ downstream: Downstream, onMore: ((_ demand: Subscribers.Demand) -> Void)? = nil,
        onDelivery: ((_ source: Int) -> Void)? = nil
    ) {
        self.downstream = downstream
        self.onMore = onMore
        self.onDelivery = onDelivery
    }

    /// How many values the downstream still wants.
    var outstanding: Subscribers.Demand { lock.withLock { demand } }

    /// Adds a value.
    func send(_ value: Downstream.Input, from source: Int = 0) {
        put(value, from: source)
        work()
    }

    /// Adds a value without handing it on yet.
    func put(_ value: Downstream.Input, from source: Int = 0) {
        lock.withLock {
            guard downstream != nil, completion == nil else { return }
            waiting.append(Entry(value: value, source: source))
        }
    }

    /// Puts a value down without handing it on yet; as long as nobody asks for it, the next one takes its place.
    ///
    /// - Returns: What gave way. Let go of it outside of any lock.
    func put(latest value: Downstream.Input) -> Any {
        lock.withLock {
            guard downstream != nil, completion == nil else { return value }
            let old = demand == .none ? empty() : []
            waiting.append(Entry(value: value, source: 0))
            return old
        }
    }

    /// Hands on what was put down.
    func flush() { work() }

    /// Ends: after what waits, or at once with a failure.
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

    /// The downstream wants more.
    func request(_ more: Subscribers.Demand) {
        lock.withLock { demand += more }
        work()
    }

    /// The downstream wants nothing any more.
    func cancel() {
        let old = lock.withLock {
            defer { downstream = nil }
            return (downstream, empty())
        }
        withExtendedLifetime(old) {}
    }

    /// Gives back what was there, since a value may run code of the program when it ends, which must not be under the lock.
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
