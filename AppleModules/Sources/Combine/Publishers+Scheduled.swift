import Foundation

extension Publishers {
    /// Hands elements on by a scheduler.
    public struct ReceiveOn<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// What the publisher publishes.
        public typealias Output = Upstream.Output
        /// How the publisher fails.
        public typealias Failure = Upstream.Failure

        /// Where the elements come from.
        public let upstream: Upstream
        /// What hands them on.
        public let scheduler: Context
        /// What the scheduler is told besides.
        public let options: Context.SchedulerOptions?

        /// Hands elements on by a scheduler.
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

    /// Hands elements and the end on after a while.
    public struct Delay<Upstream: Publisher, Context: Scheduler>: Publisher {
        /// What the publisher publishes.
        public typealias Output = Upstream.Output
        /// How the publisher fails.
        public typealias Failure = Upstream.Failure

        /// Where the elements come from.
        public let upstream: Upstream
        /// After how long.
        public let interval: Context.SchedulerTimeType.Stride
        /// How far the scheduler may be off.
        public let tolerance: Context.SchedulerTimeType.Stride
        /// What hands them on.
        public let scheduler: Context
        /// What the scheduler is told besides.
        public let options: Context.SchedulerOptions?

        /// Hands elements on after a while.
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
    /// Hands elements on by a scheduler.
    ///
    /// - Parameters:
    ///   - scheduler: The scheduler, a queue for one.
    ///   - options: What it is told besides.
    public func receive<S: Scheduler>(on scheduler: S, options: S.SchedulerOptions? = nil)
        -> Publishers.ReceiveOn<Self, S>
    {
        Publishers.ReceiveOn(upstream: self, scheduler: scheduler, options: options)
    }

    /// Hands elements and the end on after a while.
    ///
    /// - Parameters:
    ///   - interval: After how long.
    ///   - tolerance: How far the scheduler may be off.
    ///   - scheduler: What hands them on.
    ///   - options: What it is told besides.
    public func delay<S: Scheduler>(
        for interval: S.SchedulerTimeType.Stride, tolerance: S.SchedulerTimeType.Stride? = nil, scheduler: S,
        options: S.SchedulerOptions? = nil
    ) -> Publishers.Delay<Self, S> {
        Publishers.Delay(
            upstream: self, interval: interval, tolerance: tolerance ?? scheduler.minimumTolerance,
            scheduler: scheduler, options: options)
    }
}

/// Hands everything but the subscription on by way of a scheduler. After a cancellation nothing comes any more, not even what was on its way.
private final class ScheduledSubscription<Downstream: Subscriber>: Subscriber, Subscription, @unchecked Sendable {
    typealias Input = Downstream.Input
    typealias Failure = Downstream.Failure

    private let lock = NSLock()
    /// Keeps a scheduler with several threads from calling the downstream twice at the same time.
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
