import Foundation

/// Delivers the values of a changing set of publishers to one downstream.
///
/// While the demand has a limit, it requests one value at a time from each publisher, and values beyond the demand wait
/// here. A publisher counts as running until its last value was delivered, so at most `maxPublishers` values wait.
final class FlatMapSubscription<Downstream: Subscriber>: Subscription, @unchecked Sendable {
    private struct Inner {
        var subscription: (any Subscription)?
        var undelivered = 0
        var hasEnded = false
    }

    private let lock = NSLock()
    private let outer = Upstreams(count: 1)
    private let maxPublishers: Subscribers.Demand
    private var outbox: Outbox<Downstream>!
    private var inners: [Int: Inner] = [:]
    private var nextID = 0
    private var outerHasEnded = false
    private var isOver = false
    private var isUnlimited = false

    init(_ downstream: Downstream, maxPublishers: Subscribers.Demand) {
        self.maxPublishers = maxPublishers
        outbox = Outbox(downstream, onDelivery: { [weak self] in self?.delivered($0) })
        outer.requestOfAll(maxPublishers)
    }

    /// Listens to the publisher whose elements become publishers.
    func attach<Source: Publisher, New: Publisher>(_ source: Source, _ transform: @escaping (Source.Output) -> New)
    where New.Output == Downstream.Input, New.Failure == Downstream.Failure, Source.Failure == Downstream.Failure {
        source.subscribe(
            UpstreamSubscriber<Source.Output, Source.Failure>(
                onSubscription: { [outer] in outer.add($0, at: 0) },
                onValue: { [self] value in
                    if let id = begin() { attach(inner: transform(value), id) }
                    return .none
                },
                onCompletion: { [self] in outerEnded($0) }))
    }

    private func begin() -> Int? {
        lock.withLock {
            guard !isOver else { return nil }
            nextID += 1
            inners[nextID] = Inner()
            return nextID
        }
    }

    private func attach<New: Publisher>(inner: New, _ id: Int)
    where New.Output == Downstream.Input, New.Failure == Downstream.Failure {
        inner.subscribe(
            UpstreamSubscriber<New.Output, New.Failure>(
                onSubscription: { [self] in add($0, id) },
                onValue: { [self] value in
                    received(value, id)
                    return .none
                },
                onCompletion: { [self] in ended($0, id) }))
    }

    private func add(_ subscription: any Subscription, _ id: Int) {
        let demand: Subscribers.Demand? = lock.withLock {
            guard let inner = inners[id], inner.subscription == nil, !inner.hasEnded else { return nil }
            inners[id]?.subscription = subscription
            return isUnlimited ? .unlimited : .max(1)
        }
        guard let demand else { return subscription.cancel() }
        subscription.request(demand)
    }

    private func received(_ value: Downstream.Input, _ id: Int) {
        let isKnown = lock.withLock {
            guard inners[id] != nil else { return false }
            if !isUnlimited { inners[id]?.undelivered += 1 }
            return true
        }
        if isKnown { outbox.send(value, from: id) }
    }

    private func delivered(_ id: Int) {
        let subscription = lock.withLock {
            inners[id]?.undelivered -= 1
            return inners[id]?.subscription
        }
        subscription?.request(.max(1))
        removeIfDone(id)
    }

    private func ended(_ completion: Subscribers.Completion<Downstream.Failure>, _ id: Int) {
        if case .failure = completion { return finish(completion) }
        let old = lock.withLock {
            defer {
                inners[id]?.subscription = nil
                inners[id]?.hasEnded = true
            }
            return inners[id]?.subscription
        }
        withExtendedLifetime(old) {}
        removeIfDone(id)
    }

    private func removeIfDone(_ id: Int) {
        let (wasDone, isLast) = lock.withLock {
            guard let inner = inners[id], inner.hasEnded, isUnlimited || inner.undelivered == 0 else {
                return (false, false)
            }
            inners[id] = nil
            return (true, outerHasEnded && inners.isEmpty)
        }
        guard wasDone else { return }
        if isLast { return finish(.finished) }
        if maxPublishers != .unlimited { outer.request(.max(1), of: 0) }
    }

    private func outerEnded(_ completion: Subscribers.Completion<Downstream.Failure>) {
        _ = outer.end(0)
        if case .failure = completion { return finish(completion) }
        let isLast = lock.withLock {
            outerHasEnded = true
            return inners.isEmpty
        }
        if isLast { finish(.finished) }
    }

    private func finish(_ completion: Subscribers.Completion<Downstream.Failure>) {
        cancelAll()
        outbox.finish(completion)
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        let subscriptions: [any Subscription] = lock.withLock {
            guard demand == .unlimited, !isUnlimited else { return [] }
            isUnlimited = true
            return inners.values.compactMap(\.subscription)
        }
        outbox.request(demand)
        for subscription in subscriptions { subscription.request(.unlimited) }
        // What had ended and waited for its last value has now been handed on.
        guard demand == .unlimited else { return }
        for id in lock.withLock({ inners.filter { $0.value.hasEnded }.map(\.key) }) { removeIfDone(id) }
    }

    func cancel() {
        outbox.cancel()
        cancelAll()
    }

    private func cancelAll() {
        let old = lock.withLock {
            isOver = true
            defer { inners = [:] }
            return inners.values.compactMap(\.subscription)
        }
        outer.cancel()
        for subscription in old { subscription.cancel() }
    }
}
