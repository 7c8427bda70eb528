import Foundation

/// Delivers the values of several upstreams to one downstream in order of arrival.
///
/// While the demand has a limit, the subscription requests one value at a time from each upstream, and values beyond the demand wait: at most one
/// for each upstream. If the demand has no limit, neither has the demand on the upstreams.
final class MergeSubscription<Downstream: Subscriber>: Subscription, @unchecked Sendable {
    private let lock = NSLock()
    private let upstreams: Upstreams
    private let outbox: Outbox<Downstream>
    private enum Mode { case waiting, oneByOne, unlimited }
    private var mode = Mode.waiting

    init(_ downstream: Downstream, count: Int) {
        let upstreams = Upstreams(count: count)
        self.upstreams = upstreams
        outbox = Outbox(downstream, onDelivery: { source in upstreams.request(.max(1), of: source) })
    }

    /// Without upstreams, the subscription completes immediately.
    func finishEmpty() { outbox.finish(.finished) }

    /// Subscribes to an upstream.
    func attach<Source: Publisher>(_ source: Source, at index: Int)
    where Source.Output == Downstream.Input, Source.Failure == Downstream.Failure {
        source.subscribe(
            UpstreamSubscriber<Source.Output, Source.Failure>(
                onSubscription: { [upstreams] in upstreams.add($0, at: index) },
                onValue: { [outbox] value in
                    outbox.send(value, from: index)
                    return .none
                },
                onCompletion: { [self] in ended(index, $0) }))
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
        let ask: Subscribers.Demand? = lock.withLock {
            if demand == .unlimited, mode != .unlimited {
                mode = .unlimited
                return .unlimited
            }
            guard mode == .waiting else { return nil }
            mode = .oneByOne
            return .max(1)
        }
        if let ask { upstreams.requestOfAll(ask) }
    }

    func cancel() {
        outbox.cancel()
        upstreams.cancel()
    }
}
