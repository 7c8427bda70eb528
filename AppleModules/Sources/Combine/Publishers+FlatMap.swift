extension Publishers {
    /// Makes a publisher of each element and carries the values of all of them, as they come.
    public struct FlatMap<NewPublisher: Publisher, Upstream: Publisher>: Publisher
    where NewPublisher.Failure == Upstream.Failure {
        /// What the publishers publish that are made.
        public typealias Output = NewPublisher.Output
        /// The type of the failure.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream
        /// How many publishers run at the same time.
        public let maxPublishers: Subscribers.Demand
        /// Makes the publisher of an element.
        public let transform: (Upstream.Output) -> NewPublisher

        /// Makes a publisher of each element.
        public init(
            upstream: Upstream, maxPublishers: Subscribers.Demand,
            transform: @escaping (Upstream.Output) -> NewPublisher
        ) {
            self.upstream = upstream
            self.maxPublishers = maxPublishers
            self.transform = transform
        }

        /// Starts for a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let flatMap = FlatMapSubscription(subscriber, maxPublishers: maxPublishers)
            subscriber.receive(subscription: flatMap)
            flatMap.attach(upstream, transform)
        }
    }
}

// As Apple's: which of the four holds depends on whether this publisher, the new ones, both or none of them can fail.
extension Publisher {
    /// Makes a publisher of each element and carries the values of all of them.
    ///
    /// - Parameters:
    ///   - maxPublishers: How many of them run at the same time.
    ///   - transform: Makes the publisher of an element.
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Failure {
        Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }

    /// Makes a publisher of each element, one that does not fail, and carries the values of all of them.
    ///
    /// - Parameters:
    ///   - maxPublishers: How many of them run at the same time.
    ///   - transform: Makes the publisher of an element.
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<Publishers.SetFailureType<P, Failure>, Self> where P.Failure == Never {
        Publishers.FlatMap(
            upstream: self, maxPublishers: maxPublishers,
            transform: { Publishers.SetFailureType(upstream: transform($0)) })
    }
}

extension Publisher where Failure == Never {
    /// Makes a publisher of each element and carries the values of all of them.
    ///
    /// - Parameters:
    ///   - maxPublishers: How many of them run at the same time.
    ///   - transform: Makes the publisher of an element.
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<P, Publishers.SetFailureType<Self, P.Failure>> {
        Publishers.FlatMap(
            upstream: Publishers.SetFailureType(upstream: self), maxPublishers: maxPublishers, transform: transform)
    }

    /// Makes a publisher of each element, one that does not fail, and carries the values of all of them.
    ///
    /// - Parameters:
    ///   - maxPublishers: How many of them run at the same time.
    ///   - transform: Makes the publisher of an element.
    public func flatMap<P: Publisher>(
        maxPublishers: Subscribers.Demand = .unlimited, _ transform: @escaping (Output) -> P
    ) -> Publishers.FlatMap<P, Self> where P.Failure == Never {
        Publishers.FlatMap(upstream: self, maxPublishers: maxPublishers, transform: transform)
    }
}
