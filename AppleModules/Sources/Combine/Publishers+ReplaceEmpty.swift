import Foundation

extension Publishers {
    /// Publishes an element of its own if its upstream finishes without any.
    public struct ReplaceEmpty<Upstream: Publisher>: Publisher {
        /// The type of the elements.
        public typealias Output = Upstream.Output
        /// The type of the failure.
        public typealias Failure = Upstream.Failure

        /// The element.
        public let output: Output
        /// Where the other elements come from.
        public let upstream: Upstream

        /// Publishes an element if there is no other.
        public init(upstream: Upstream, output: Output) {
            self.upstream = upstream
            self.output = output
        }

        /// Starts for a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            upstream.subscribe(ReplaceEmptySubscription(subscriber, output: output))
        }
    }
}

extension Publishers.ReplaceEmpty: Equatable where Upstream: Equatable, Upstream.Output: Equatable {}

extension Publisher {
    /// Publishes an element if this publisher finishes without any.
    ///
    /// - Parameter output: The element.
    public func replaceEmpty(with output: Output) -> Publishers.ReplaceEmpty<Self> {
        Publishers.ReplaceEmpty(upstream: self, output: output)
    }
}

/// Carries elements to one subscriber, and has one more if there were none.
private final class ReplaceEmptySubscription<Downstream: Subscriber>: Subscriber, Subscription, @unchecked Sendable {
    typealias Input = Downstream.Input
    typealias Failure = Downstream.Failure

    private let lock = NSLock()
    private let upstreams: Upstreams
    private let outbox: Outbox<Downstream>
    private let downstream: Downstream
    private let output: Input
    private var isEmpty = true
    private var isSubscribed = false

    init(_ downstream: Downstream, output: Input) {
        let upstreams = Upstreams(count: 1)
        self.upstreams = upstreams
        outbox = Outbox(downstream, onMore: { upstreams.request($0, of: 0) })
        self.downstream = downstream
        self.output = output
    }

    func receive(subscription: any Subscription) {
        let isFirst = lock.withLock {
            defer { isSubscribed = true }
            return !isSubscribed
        }
        guard isFirst else { return subscription.cancel() }
        upstreams.add(subscription, at: 0)
        downstream.receive(subscription: self)
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        lock.withLock { isEmpty = false }
        outbox.send(input)
        return .none
    }

    func receive(completion: Subscribers.Completion<Failure>) {
        _ = upstreams.end(0)
        if case .finished = completion, lock.withLock({ isEmpty }) { outbox.send(output) }
        outbox.finish(completion)
    }

    func request(_ demand: Subscribers.Demand) {
        outbox.request(demand)
        upstreams.request(demand, of: 0)
    }

    func cancel() {
        outbox.cancel()
        upstreams.cancel()
    }
}
