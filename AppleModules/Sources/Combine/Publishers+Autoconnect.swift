import Foundation

extension Publishers {
    /// Connects a connectable publisher with its first subscriber, and disconnects it when the last one cancels.
    public final class Autoconnect<Upstream: ConnectablePublisher>: Publisher {
        /// The type of the elements.
        public typealias Output = Upstream.Output
        /// The type of the failure.
        public typealias Failure = Upstream.Failure

        /// The connectable publisher.
        public let upstream: Upstream
        private let lock = NSLock()
        private var subscribers = 0
        private var connection: (any Cancellable)?

        /// Connects a publisher as long as it has subscribers.
        public init(upstream: Upstream) { self.upstream = upstream }

        /// Adds a subscriber, and connects if it is the first.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            // Counted first, because the subscriber can cancel during the connection.
            let isFirst = lock.withLock {
                subscribers += 1
                return subscribers == 1
            }
            upstream.subscribe(
                UpstreamSubscriber<Output, Failure>(
                    onSubscription: { [self] in
                        subscriber.receive(subscription: AutoconnectSubscription($0) { self.left() })
                    },
                    onValue: { subscriber.receive($0) },
                    onCompletion: { subscriber.receive(completion: $0) }))
            guard isFirst else { return }
            let new = upstream.connect()
            let unwanted: (any Cancellable)? = lock.withLock {
                guard subscribers > 0, connection == nil else { return new }
                connection = new
                return nil
            }
            unwanted?.cancel()
        }

        private func left() {
            let old: (any Cancellable)? = lock.withLock {
                subscribers -= 1
                guard subscribers == 0 else { return nil }
                defer { connection = nil }
                return connection
            }
            old?.cancel()
        }
    }

    /// Shares one subscription to a publisher among all subscribers.
    public final class Share<Upstream: Publisher>: Publisher, Equatable {
        /// The type of the elements.
        public typealias Output = Upstream.Output
        /// The type of the failure.
        public typealias Failure = Upstream.Failure

        private typealias Shared = Autoconnect<Multicast<Upstream, PassthroughSubject<Output, Failure>>>

        /// The upstream publisher.
        public let upstream: Upstream
        private let shared: Shared

        /// Shares a publisher.
        public init(upstream: Upstream) {
            self.upstream = upstream
            shared = Shared(upstream: Multicast(upstream: upstream) { PassthroughSubject() })
        }

        /// Adds a subscriber.
        public func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
            shared.receive(subscriber: subscriber)
        }

        /// Whether both are the same object.
        public static func == (left: Share, right: Share) -> Bool { left === right }
    }
}

extension ConnectablePublisher {
    /// Connects with the first subscriber, and disconnects when the last one cancels.
    public func autoconnect() -> Publishers.Autoconnect<Self> { Publishers.Autoconnect(upstream: self) }
}

extension Publisher {
    /// Shares one subscription to this publisher among all subscribers. A late subscriber misses earlier elements.
    public func share() -> Publishers.Share<Self> { Publishers.Share(upstream: self) }
}

/// Reports the cancellation of its subscriber once.
private final class AutoconnectSubscription: Subscription, @unchecked Sendable {
    private let lock = NSLock()
    private let upstream: any Subscription
    private var onCancel: (() -> Void)?

    init(_ upstream: any Subscription, onCancel: @escaping () -> Void) {
        self.upstream = upstream
        self.onCancel = onCancel
    }

    func request(_ demand: Subscribers.Demand) { upstream.request(demand) }

    func cancel() {
        let action = lock.withLock {
            defer { onCancel = nil }
            return onCancel
        }
        guard let action else { return }
        upstream.cancel()
        action()
    }
}
