import Foundation

extension Publishers {
    /// Completes if the next element does not arrive within an interval.
    public struct Timeout<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the elements.
        public typealias Output = Upstream.Output
        /// The type of the failure.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream
        /// The interval.
        public let interval: Context.SchedulerTimeType.Stride
        /// The scheduler that measures the time and delivers elements.
        public let scheduler: Context
        /// Options for the scheduler.
        public let options: Context.SchedulerOptions?
        /// Creates the error. Without it, the publisher finishes.
        public let customError: (() -> Upstream.Failure)?

        /// Completes if the next element does not arrive within an interval.
        public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride, scheduler: Context,
            options: Context.SchedulerOptions?, customError: (() -> Upstream.Failure)?
        ) {
            self.upstream = upstream
            self.interval = interval
            self.scheduler = scheduler
            self.options = options
            self.customError = customError
        }

        /// Starts for a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(TimeoutSubscription(subscriber, parent: self))
        }
    }
}

extension Publisher {
    /// Completes if the first or the next element does not arrive within an interval.
    ///
    /// - Parameters:
    ///   - interval: The interval.
    ///   - scheduler: The scheduler that measures the time and delivers elements.
    ///   - options: Options for the scheduler.
    ///   - customError: Creates the error. Without it, the publisher finishes.
    public func timeout<S: Scheduler>(
        _ interval: S.SchedulerTimeType.Stride, scheduler: S, options: S.SchedulerOptions? = nil,
        customError: (() -> Failure)? = nil
    ) -> Publishers.Timeout<Self, S> {
        Publishers.Timeout(
            upstream: self, interval: interval, scheduler: scheduler, options: options, customError: customError)
    }
}

/// Measures the time between elements. Its timer never outlives it.
private final class TimeoutSubscription<Upstream: Publisher, Context: Scheduler, Downstream: Subscriber>:
    Subscriber, Subscription, @unchecked Sendable
where Downstream.Input == Upstream.Output, Downstream.Failure == Upstream.Failure {
    typealias Input = Upstream.Output
    typealias Failure = Upstream.Failure

    private let lock = NSLock()
    private let parent: Publishers.Timeout<Upstream, Context>
    private let delivery = NSRecursiveLock()
    private var downstream: Downstream?
    private var upstream: (any Subscription)?
    private var timer: (any Cancellable)?
    /// The number of the current timer.
    private var period = 0
    private var hasEnded = false

    init(_ downstream: Downstream, parent: Publishers.Timeout<Upstream, Context>) {
        self.downstream = downstream
        self.parent = parent
    }

    func receive(subscription: any Subscription) {
        let receiver: Downstream? = lock.withLock {
            guard upstream == nil, !hasEnded, let downstream else { return nil }
            upstream = subscription
            return downstream
        }
        guard let receiver else { return subscription.cancel() }
        startTimer()
        receiver.receive(subscription: self)
    }

    private func startTimer() {
        let (number, old): (Int, (any Cancellable)?) = lock.withLock {
            period += 1
            defer { timer = nil }
            return (period, timer)
        }
        old?.cancel()
        let new = parent.scheduler.schedule(
            after: parent.scheduler.now.advanced(by: parent.interval), interval: parent.interval,
            tolerance: parent.scheduler.minimumTolerance, options: parent.options
        ) { [weak self] in self?.timedOut(number) }
        let isLate = lock.withLock {
            guard period == number, downstream != nil, !hasEnded else { return true }
            timer = new
            return false
        }
        if isLate { new.cancel() }
    }

    private func timedOut(_ number: Int) {
        guard lock.withLock({ number == period && !hasEnded }) else { return }
        guard let (receiver, subscription) = end() else { return }
        subscription?.cancel()
        delivery.withLock {
            receiver.receive(completion: parent.customError.map { .failure($0()) } ?? .finished)
        }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        guard lock.withLock({ downstream != nil && !hasEnded }) else { return .none }
        startTimer()
        parent.scheduler.schedule(options: parent.options) { [self] in
            guard let receiver = lock.withLock({ downstream }) else { return }
            let more = delivery.withLock { receiver.receive(input) }
            if more > .none { request(more) }
        }
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        let (isNew, old): (Bool, (any Cancellable)?) = lock.withLock {
            defer {
                hasEnded = true
                timer = nil
            }
            return (downstream != nil && !hasEnded, timer)
        }
        old?.cancel()
        guard isNew else { return }
        parent.scheduler.schedule(options: parent.options) { [self] in
            guard let (receiver, _) = end() else { return }
            delivery.withLock { receiver.receive(completion: completion) }
        }
    }

    func request(_ demand: Subscribers.Demand) { lock.withLock { hasEnded ? nil : upstream }?.request(demand) }

    func cancel() { end()?.upstream?.cancel() }

    /// Nil after the end.
    private func end() -> (downstream: Downstream, upstream: (any Subscription)?)? {
        let (old, pair): ((any Cancellable)?, (Downstream, (any Subscription)?)?) = lock.withLock {
            defer {
                hasEnded = true
                timer = nil
                downstream = nil
                upstream = nil
            }
            return (timer, downstream.map { ($0, upstream) })
        }
        old?.cancel()
        return pair
    }
}
