import Foundation

/// Keeps the latest value of each upstream, and delivers a combination for each new value when every upstream has one.
///
/// The demand on every upstream is unlimited. A new combination replaces one without demand.
final class LatestSubscription<Downstream: Subscriber>: Subscription, @unchecked Sendable {
    private let lock = NSLock()
    private let upstreams: Upstreams
    private let outbox: Outbox<Downstream>
    private var latest: [Any?]
    private var isStarted = false
    private let combine: ([Any]) -> Downstream.Input

    init(_ downstream: Downstream, count: Int, combine: @escaping ([Any]) -> Downstream.Input) {
        upstreams = Upstreams(count: count)
        outbox = Outbox(downstream)
        latest = Array(repeating: nil, count: count)
        self.combine = combine
    }

    /// Subscribes to an upstream.
    func attach<Source: Publisher>(_ source: Source, at index: Int) where Source.Failure == Downstream.Failure {
        source.subscribe(
            UpstreamSubscriber<Source.Output, Source.Failure>(
                onSubscription: { [upstreams] in upstreams.add($0, at: index) },
                onValue: { [self] value in
                    received(value, at: index)
                    return .none
                },
                onCompletion: { [self] in ended(index, $0) }))
    }

    private func received(_ value: Any, at index: Int) {
        // Stored under this lock, so that two threads cannot exchange the order of their combinations.
        let old: (Any?, Any) = lock.withLock {
            let old = latest[index]
            latest[index] = .some(value)
            let known = latest.compactMap { $0 }
            guard known.count == latest.count else { return (old, ()) }
            return (old, outbox.put(latest: combine(known)))
        }
        withExtendedLifetime(old) {}
        outbox.flush()
    }

    private func ended(_ index: Int, _ completion: Subscribers.Completion<Downstream.Failure>) {
        let isLast = upstreams.end(index)
        switch completion {
        case .failure:
            upstreams.cancel()
            outbox.finish(completion)
        case .finished where isLast: outbox.finish(.finished)
        case .finished: break
        }
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        outbox.request(demand)
        let isFirst = lock.withLock {
            defer { isStarted = true }
            return !isStarted
        }
        if isFirst { upstreams.requestOfAll(.unlimited) }
    }

    func cancel() {
        outbox.cancel()
        upstreams.cancel()
    }
}
