import Foundation

extension Publishers {
    /// Publishes the elements whose places among those of another publisher lie in a range.
    public struct Output<Upstream: Publisher>: Publisher {
        /// The type of the elements.
        public typealias Output = Upstream.Output
        /// The type of the failure.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream
        /// The places of those that are published, from 0 on.
        public let range: CountableRange<Int>

        /// Publishes a range of elements.
        public init(upstream: Upstream, range: CountableRange<Int>) {
            precondition(range.lowerBound >= 0, "a range of elements begins at 0 or later")
            self.upstream = upstream
            self.range = range
        }

        /// Starts to count for a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(OutputSubscription(subscriber, range: range))
        }
    }
}

extension Publishers.Output: Equatable where Upstream: Equatable {}

extension Publisher {
    /// Publishes the first elements and finishes with the last of them.
    ///
    /// - Parameter maxLength: How many.
    public func prefix(_ maxLength: Int) -> Publishers.Output<Self> { output(in: ..<maxLength) }

    /// Publishes one element and finishes with it.
    ///
    /// - Parameter index: Its place, from 0 on.
    public func output(at index: Int) -> Publishers.Output<Self> { output(in: index...index) }

    /// Publishes the elements of a range and finishes with the last of them.
    ///
    /// - Parameter range: Their places, from 0 on.
    public func output<R: RangeExpression>(in range: R) -> Publishers.Output<Self> where R.Bound == Int {
        Publishers.Output(upstream: self, range: range.relative(to: 0..<Int.max))
    }
}

/// Counts for one subscriber. Elements before the range are replaced by asking for one more each.
private final class OutputSubscription<Downstream: Subscriber>: Subscriber, Subscription, @unchecked Sendable {
    typealias Input = Downstream.Input
    typealias Failure = Downstream.Failure

    private let lock = NSLock()
    private var downstream: Downstream?
    private var upstream: (any Subscription)?
    private var before: Int
    private var remaining: Int

    init(_ downstream: Downstream, range: Range<Int>) {
        self.downstream = downstream
        before = range.lowerBound
        remaining = range.count
    }

    func receive(subscription: any Subscription) {
        let (receiver, isEmpty): (Downstream?, Bool) = lock.withLock {
            guard upstream == nil, let downstream else { return (nil, false) }
            upstream = subscription
            return (downstream, remaining == 0)
        }
        guard let receiver else { return subscription.cancel() }
        receiver.receive(subscription: self)
        if isEmpty { finish() }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        let (receiver, isLast, isBefore): (Downstream?, Bool, Bool) = lock.withLock {
            if before > 0 {
                before -= 1
                return (nil, false, downstream != nil)
            }
            guard remaining > 0, let downstream else { return (nil, false, false) }
            remaining -= 1
            return (downstream, remaining == 0, false)
        }
        guard let receiver else { return isBefore ? .max(1) : .none }
        let more = receiver.receive(input)
        guard isLast else { return more }
        finish()
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) { end()?.downstream.receive(completion: completion) }

    func request(_ demand: Subscribers.Demand) { lock.withLock { upstream }?.request(demand) }

    func cancel() { end()?.upstream?.cancel() }

    private func finish() {
        guard let (receiver, subscription) = end() else { return }
        subscription?.cancel()
        receiver.receive(completion: .finished)
    }

    /// Nil after the end.
    private func end() -> (downstream: Downstream, upstream: (any Subscription)?)? {
        lock.withLock {
            guard let receiver = downstream else { return nil }
            let subscription = upstream
            downstream = nil
            upstream = nil
            remaining = 0
            return (receiver, subscription)
        }
    }
}
