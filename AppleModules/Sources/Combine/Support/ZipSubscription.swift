import Foundation

/// Combines the first values of its upstreams, then the second ones, and so on.
///
/// Requests as many values from every upstream as the downstream demands. It ends as soon as an upstream has ended and
/// its values are used up.
final class ZipSubscription<Downstream: Subscriber>: Subscription, @unchecked Sendable {
    private let lock = NSLock()
    private let upstreams: Upstreams
    private let outbox: Outbox<Downstream>
    private var queues: [ArraySlice<Any>]
    private var hasEnded: [Bool]
    private let combine: ([Any]) -> Downstream.Input

    init(_ downstream: Downstream, count: Int, combine: @escaping ([Any]) -> Downstream.Input) {
        let upstreams = Upstreams(count: count)
        self.upstreams = upstreams
        outbox = Outbox(downstream, onMore: { upstreams.requestOfAll($0) })
        queues = Array(repeating: [], count: count)
        hasEnded = Array(repeating: false, count: count)
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
        let isOver = lock.withLock {
            queues[index].append(value)
            guard queues.allSatisfy({ !$0.isEmpty }) else { return false }
            // Put down under this lock, else two threads could swap their tuples.
            outbox.put(combine(queues.indices.map { queues[$0].removeFirst() }))
            return isExhausted
        }
        outbox.flush()
        if isOver { finish() }
    }

    private func ended(_ index: Int, _ completion: Subscribers.Completion<Downstream.Failure>) {
        _ = upstreams.end(index)
        if case .failure = completion {
            upstreams.cancel()
            return outbox.finish(completion)
        }
        let isOver = lock.withLock {
            hasEnded[index] = true
            return isExhausted
        }
        if isOver { finish() }
    }

    /// Whether no further tuple can come.
    private var isExhausted: Bool { queues.indices.contains { hasEnded[$0] && queues[$0].isEmpty } }

    private func finish() {
        upstreams.cancel()
        outbox.finish(.finished)
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none else { return }
        outbox.request(demand)
        upstreams.requestOfAll(demand)
    }

    func cancel() {
        outbox.cancel()
        upstreams.cancel()
        let old = lock.withLock {
            defer { queues = Array(repeating: [], count: queues.count) }
            return queues
        }
        withExtendedLifetime(old) {}
    }
}
