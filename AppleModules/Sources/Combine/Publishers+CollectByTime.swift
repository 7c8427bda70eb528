import Foundation

extension Publishers {
    /// When the publisher delivers collected values.
    public enum TimeGroupingStrategy<Context: Scheduler> {
        /// At the end of each interval with values.
        case byTime(Context, Context.SchedulerTimeType.Stride)
        /// At the end of each interval with values, and when the count is reached.
        case byTimeOrCount(Context, Context.SchedulerTimeType.Stride, Int)
    }

    /// Collects values into arrays by time.
    public struct CollectByTime<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The values of one interval.
        public typealias Output = [Upstream.Output]
        /// The type of the failure.
        public typealias Failure = Upstream.Failure

        /// The publisher whose values are collected.
        public let upstream: Upstream
        /// When the publisher delivers them.
        public let strategy: TimeGroupingStrategy<Context>
        /// Options for the scheduler.
        public let options: Context.SchedulerOptions?

        /// Collects values.
        public init(upstream: Upstream, strategy: TimeGroupingStrategy<Context>, options: Context.SchedulerOptions?) {
            self.upstream = upstream
            self.strategy = strategy
            self.options = options
        }

        /// Starts to collect for a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let (scheduler, interval, count) =
                switch strategy {
                case .byTime(let scheduler, let interval): (scheduler, interval, Int?.none)
                case .byTimeOrCount(let scheduler, let interval, let count): (scheduler, interval, Int?.some(count))
                }
            let collection = CollectSubscription<S, Upstream.Output>(subscriber, count: count)
            subscriber.receive(subscription: collection)
            collection.start(upstream)
            collection.timer = scheduler.schedule(
                after: scheduler.now.advanced(by: interval), interval: interval,
                tolerance: scheduler.minimumTolerance,
                options: options
            ) { [weak collection] in collection?.intervalEnded() }
        }
    }
}

extension Publisher {
    /// Collects values into arrays by time.
    ///
    /// - Parameters:
    ///   - strategy: When the publisher delivers an array. An interval without values has no array.
    ///   - options: Options for the scheduler.
    public func collect<S: Scheduler>(
        _ strategy: Publishers.TimeGroupingStrategy<S>, options: S.SchedulerOptions? = nil
    ) -> Publishers.CollectByTime<Self, S> {
        Publishers.CollectByTime(upstream: self, strategy: strategy, options: options)
    }
}

/// Collects for one subscriber. The demand on the upstream is unlimited; arrays without demand wait.
private final class CollectSubscription<Downstream: Subscriber, Value>: Subscription, @unchecked Sendable
where Downstream.Input == [Value] {
    private let lock = NSLock()
    private let upstream = Upstreams(count: 1)
    private let outbox: Outbox<Downstream>
    private let count: Int?
    private var collected: [Value] = []
    private var isStarted = false
    private var hasEnded = false
    private var storedTimer: (any Cancellable)?

    init(_ downstream: Downstream, count: Int?) {
        outbox = Outbox(downstream)
        self.count = count
    }

    /// The timer of the intervals.
    var timer: (any Cancellable)? {
        get { lock.withLock { storedTimer } }
        set {
            let unwanted = lock.withLock {
                if hasEnded { return newValue }
                storedTimer = newValue
                return nil
            }
            unwanted?.cancel()
        }
    }

    func start<Source: Publisher>(_ source: Source)
    where Source.Output == Value, Source.Failure == Downstream.Failure {
        source.subscribe(
            UpstreamSubscriber<Value, Source.Failure>(
                onSubscription: { [upstream] in upstream.add($0, at: 0) },
                onValue: { [self] in
                    received($0)
                    return .none
                },
                onCompletion: { [self] in ended($0) }))
    }

    private func received(_ value: Value) {
        let isFull = lock.withLock {
            collected.append(value)
            return count.map { collected.count >= $0 } ?? false
        }
        if isFull { intervalEnded() }
    }

    func intervalEnded() {
        let values = lock.withLock {
            defer { collected = [] }
            return collected
        }
        if !values.isEmpty { outbox.send(values) }
    }

    private func ended(_ completion: Subscribers.Completion<Downstream.Failure>) {
        stopTimer()
        if case .finished = completion { intervalEnded() }
        outbox.finish(completion)
        _ = upstream.end(0)
    }

    private func stopTimer() {
        let timer = lock.withLock {
            hasEnded = true
            defer { storedTimer = nil }
            return storedTimer
        }
        timer?.cancel()
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        outbox.request(demand)
        let isFirst = lock.withLock {
            defer { isStarted = true }
            return !isStarted
        }
        if isFirst { upstream.requestOfAll(.unlimited) }
    }

    func cancel() {
        stopTimer()
        outbox.cancel()
        upstream.cancel()
    }
}
