import Foundation

extension Publishers {
    /// Delivers elements on a scheduler.
    public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the elements.
        public typealias Output = Upstream.Output
        /// The type of the failure.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream
        /// The scheduler that delivers them.
        public let scheduler: Context
        /// Options for the scheduler.
        public let options: Context.SchedulerOptions?

        /// Delivers elements on a scheduler.
        public init(upstream: Upstream, scheduler: Context, options: Context.SchedulerOptions?) {
            self.upstream = upstream
            self.scheduler = scheduler
            self.options = options
        }

        /// Starts for a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let (scheduler, options) = (scheduler, options)
            upstream.subscribe(
                ScheduledSubscription(subscriber) { action in scheduler.schedule(options: options, action) })
        }
    }

    /// Delivers elements and the completion after a delay.
    public struct Delay<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// The type of the elements.
        public typealias Output = Upstream.Output
        /// The type of the failure.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream
        /// The delay.
        public let interval: Context.SchedulerTimeType.Stride
        /// The permitted inaccuracy of the scheduler.
        public let tolerance: Context.SchedulerTimeType.Stride
        /// The scheduler that delivers them.
        public let scheduler: Context
        /// Options for the scheduler.
        public let options: Context.SchedulerOptions?

        /// Delivers elements after a delay.
        public init(
            upstream: Upstream, interval: Context.SchedulerTimeType.Stride,
            tolerance: Context.SchedulerTimeType.Stride, scheduler: Context, options: Context.SchedulerOptions? = nil
        ) {
            self.upstream = upstream
            self.interval = interval
            self.tolerance = tolerance
            self.scheduler = scheduler
            self.options = options
        }

        /// Starts for a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let (scheduler, interval, tolerance, options) = (scheduler, interval, tolerance, options)
            upstream.subscribe(
                ScheduledSubscription(subscriber) { action in
                    scheduler.schedule(
                        after: scheduler.now.advanced(by: interval), tolerance: tolerance, options: options, action)
                })
        }
    }
}

extension Publisher {
    /// Delivers elements on a scheduler.
    ///
    /// - Parameters:
    ///   - scheduler: The scheduler, for example a queue.
    ///   - options: Options for the scheduler.
    public func receive<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil)
        -> Publishers.ReceiveOn<Self, S>
    {
        Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
    }

    /// Delivers elements and the completion after a delay.
    ///
    /// - Parameters:
    ///   - interval: The delay.
    ///   - tolerance: The permitted inaccuracy of the scheduler.
    ///   - scheduler: The scheduler that delivers them.
    ///   - options: Options for the scheduler.
    public func delay<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
        options: S.SchedulerOptions? = nil
    ) -> Publishers.Delay<Self, S> {
        Publishers.Delay(
            upstream: self, interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance,
            scheduler: scheduler, options: options)
    }
}

/// Delivers elements and the completion on a scheduler. After a cancellation, it delivers nothing, not even pending elements.
private final class ScheduledSubscription<Downstream: Subscriber>: Subscriber, Subscription, @unchecked Sendable {
    typealias Input = Downstream.Input
    typealias Failure = Downstream.Failure

    private let lock = NSLock()
    /// Prevents a scheduler with several threads from calling the downstream concurrently.
    private let delivery = NSRecursiveLock()
    private var downstream: Downstream?
    private var upstream: (any Subscription)?
    private var hasEnded = false
    private let schedule: (@escaping () -> Void) -> Void

    init(_ downstream: Downstream, schedule: @escaping (@escaping () -> Void) -> Void) {
        self.downstream = downstream
        self.schedule = schedule
    }

    func receive(subscription: any Subscription) {
        let receiver: Downstream? = lock.withLock {
            guard upstream == nil, !hasEnded, let downstream else { return nil }
            upstream = subscription
            return downstream
        }
        guard let receiver else { return subscription.cancel() }
        receiver.receive(subscription: self)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        guard lock.withLock({ downstream != nil && !hasEnded }) else { return .none }
        schedule { [self] in
            guard let receiver = lock.withLock({ downstream }) else { return }
            let more = delivery.withLock { receiver.receive(input) }
            if more > .none { request(more) }
        }
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        let (old, isNew) = lock.withLock {
            defer {
                upstream = nil
                hasEnded = true
            }
            return (upstream, downstream != nil && !hasEnded)
        }
        withExtendedLifetime(old) {}
        guard isNew else { return }
        schedule { [self] in
            let receiver = lock.withLock {
                defer { downstream = nil }
                return downstream
            }
            guard let receiver else { return }
            delivery.withLock { receiver.receive(completion: completion) }
        }
    }

    func request(_ demand: Subscribers.Demand) { lock.withLock { upstream }?.request(demand) }

    func cancel() {
        let (receiver, subscription) = lock.withLock {
            defer {
                downstream = nil
                upstream = nil
                hasEnded = true
            }
            return (downstream, upstream)
        }
        withExtendedLifetime(receiver) { subscription?.cancel() }
    }
}
