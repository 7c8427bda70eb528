import Foundation

/// The subscriptions of an operator with several upstreams, each with a number.
final class Upstreams: @unchecked Sendable {
    private let lock = NSLock()
    private var subscriptions: [(any Subscription)?]
    private var hasEnded: [Bool]
    private var isCancelled = false
    /// The demand on each upstream at its subscription.
    private var initial: [Subscribers.Demand]

    init(count: Int) {
        initial = Array(repeating: .none, count: count)
        subscriptions = Array(repeating: nil, count: count)
        hasEnded = Array(repeating: false, count: count)
    }

    /// Adds a subscription. A second one for the same number and one after the end are cancelled.
    func add(_ subscription: any Subscription, at index: Int) {
        let (isWanted, demand) = lock.withLock {
            guard !isCancelled, !hasEnded[index], subscriptions[index] == nil else { return (false, initial[index]) }
            subscriptions[index] = subscription
            return (true, initial[index])
        }
        guard isWanted else { return subscription.cancel() }
        if demand > .none { subscription.request(demand) }
    }

    /// Removes an upstream that completed. Returns true for the last one.
    func end(_ index: Int) -> Bool {
        let (old, isLast) = lock.withLock {
            let old = subscriptions[index]
            subscriptions[index] = nil
            if hasEnded[index] { return (old, false) }
            hasEnded[index] = true
            return (old, !hasEnded.contains(false))
        }
        withExtendedLifetime(old) {}
        return isLast
    }

    /// Requests values from every upstream, including later ones.
    func requestOfAll(_ demand: Subscribers.Demand) {
        for index in initial.indices { request(demand, of: index) }
    }

    /// Requests values from one upstream, even before its subscription.
    func request(_ demand: Subscribers.Demand, of index: Int) {
        let subscription = lock.withLock {
            if subscriptions[index] == nil { initial[index] += demand }
            return subscriptions[index]
        }
        subscription?.request(demand)
    }

    /// Cancels one upstream.
    func cancel(_ index: Int) {
        let subscription = lock.withLock {
            hasEnded[index] = true
            defer { subscriptions[index] = nil }
            return subscriptions[index]
        }
        subscription?.cancel()
    }

    func cancel() {
        let all = lock.withLock {
            isCancelled = true
            defer { subscriptions = Array(repeating: nil, count: subscriptions.count) }
            return subscriptions
        }
        for subscription in all { subscription?.cancel() }
    }
}

/// The subscriber of an operator for one of its upstreams.
struct UpstreamSubscriber<Input, Failure: Error>: Subscriber {
    let combineIdentifier = CombineIdentifier()
    let onSubscription: (any Subscription) -> Void
    let onValue: (Input) -> Subscribers.Demand
    let onCompletion: (Subscribers.Completion<Failure>) -> Void

    func receive(subscription: any Subscription) { onSubscription(subscription) }
    func receive(_ input: Input) -> Subscribers.Demand { onValue(input) }
    func receive(completion: Subscribers.Completion<Failure>) { onCompletion(completion) }
}
