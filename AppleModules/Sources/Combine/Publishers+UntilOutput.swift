import Foundation

extension Publishers {
    /// Publishes elements until another publisher has one.
    public struct PrefixUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher {
        /// The type of the elements.
        public typealias Output = Upstream.Output
        /// The type of the failure.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream
        /// The publisher whose first element completes this one. Its completion has no effect.
        public let other: Other

        /// Publishes elements until another publisher has one.
        public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        /// Subscribes to both publishers for a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let signal = SignalSubscription(subscriber)
            subscriber.receive(subscription: signal)
            signal.attach(
                signal: other, onSignal: { signal.finish(.finished) }, onCompletion: { _ in })
            signal.attach(upstream)
        }
    }

    /// Publishes elements from the first element of another publisher on.
    public struct DropUntilOutput<Upstream: Publisher, Other: Publisher>: Publisher
    where Upstream.Failure == Other.Failure {
        /// The type of the elements.
        public typealias Output = Upstream.Output
        /// The type of the failure.
        public typealias Failure = Upstream.Failure

        /// The upstream publisher.
        public let upstream: Upstream
        /// The publisher whose first element starts the output.
        public let other: Other

        /// Publishes elements from the first element of another publisher on.
        public init(upstream: Upstream, other: Other) {
            self.upstream = upstream
            self.other = other
        }

        /// Subscribes to both publishers for a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            let signal = SignalSubscription(subscriber, isOpen: false)
            subscriber.receive(subscription: signal)
            // If the other publisher completes without an element, this one has no elements.
            signal.attach(
                signal: other, onSignal: { signal.open() }, onCompletion: { if !signal.isOpen { signal.finish($0) } })
            signal.attach(upstream)
        }
    }
}

extension Publishers.PrefixUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}

extension Publishers.DropUntilOutput: Equatable where Upstream: Equatable, Other: Equatable {}

extension Publisher {
    /// Publishes elements until another publisher has one, then finishes.
    ///
    /// - Parameter publisher: The other publisher.
    public func prefix<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.PrefixUntilOutput<Self, P> {
        Publishers.PrefixUntilOutput(upstream: self, other: publisher)
    }

    /// Drops elements until another publisher has one.
    ///
    /// - Parameter publisher: The other publisher. If it completes without an element, so does this one.
    public func drop<P: Publisher>(untilOutputFrom publisher: P) -> Publishers.DropUntilOutput<Self, P>
    where P.Failure == Failure {
        Publishers.DropUntilOutput(upstream: self, other: publisher)
    }
}

/// Delivers an upstream's values to one subscriber, and waits for the first element of a second publisher.
private final class SignalSubscription<Downstream: Subscriber>: Subscription, @unchecked Sendable {
    private let lock = NSLock()
    /// The first upstream has the values, the second one the signal.
    private let upstreams: Upstreams
    private let outbox: Outbox<Downstream>
    private var storedIsOpen: Bool

    init(_ downstream: Downstream, isOpen: Bool = true) {
        let upstreams = Upstreams(count: 2)
        self.upstreams = upstreams
        outbox = Outbox(downstream, onMore: { upstreams.request($0, of: 0) })
        storedIsOpen = isOpen
    }

    var isOpen: Bool { lock.withLock { storedIsOpen } }

    func open() {
        lock.withLock { storedIsOpen = true }
        upstreams.cancel(1)
    }

    func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
        upstreams.cancel()
        outbox.finish(completion)
    }

    func attach<Source: Publisher>(_ source: Source)
    where Source.Output == Downstream.Input, Source.Failure == Downstream.Failure {
        source.subscribe(
            UpstreamSubscriber<Source.Output, Source.Failure>(
                onSubscription: { [upstreams] in upstreams.add($0, at: 0) },
                onValue: { [self] value in
                    // A dropped element does not reduce the demand of the downstream.
                    guard isOpen else { return .max(1) }
                    outbox.send(value)
                    return .none
                },
                onCompletion: { [self] in finish($0) }))
    }

    func attach<Source: Publisher>(
        signal: Source, onSignal: @escaping () -> Void,
        onCompletion: @escaping (Subscribers.Completion<Source.Failure>) -> Void
    ) {
        upstreams.request(.max(1), of: 1)
        signal.subscribe(
            UpstreamSubscriber<Source.Output, Source.Failure>(
                onSubscription: { [upstreams] in upstreams.add($0, at: 1) },
                onValue: { _ in
                    onSignal()
                    return .none
                },
                onCompletion: { [upstreams] in
                    _ = upstreams.end(1)
                    onCompletion($0)
                }))
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        outbox.request(demand)
        upstreams.request(demand, of: 0)
    }

    func cancel() {
        outbox.cancel()
        upstreams.cancel()
    }
}
