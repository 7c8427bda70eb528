import Combine
import Foundation

/// A subscriber that asks for what the test says and notes everything.
final class Recorder<Input, Failure: Error>: Subscriber, @unchecked Sendable {
    private let lock = NSLock()
    private var storedValues: [Input] = []
    private var storedCompletion: Subscribers.Completion<Failure>?
    private var subscription: (any Subscription)?
    private let initial: Subscribers.Demand
    private let more: Subscribers.Demand
    private var overlap = 0
    private(set) var didOverlap = false
    /// Called for each value, after it was noted.
    var onValue: (Input) -> Void = { _ in }

    /// - Parameters:
    ///   - initial: What is asked for at once.
    ///   - more: What is asked for with each value.
    init(_ initial: Subscribers.Demand = .unlimited, more: Subscribers.Demand = .none) {
        self.initial = initial
        self.more = more
    }

    var values: [Input] { lock.withLock { storedValues } }
    var completion: Subscribers.Completion<Failure>? { lock.withLock { storedCompletion } }

    func receive(subscription: any Subscription) {
        lock.withLock { self.subscription = subscription }
        if initial > .none { subscription.request(initial) }
    }

    func receive(_ input: Input) -> Subscribers.Demand {
        lock.withLock {
            overlap += 1
            if overlap > 1 { didOverlap = true }
            storedValues.append(input)
        }
        onValue(input)
        lock.withLock { overlap -= 1 }
        return more
    }

    func receive(completion: Subscribers.Completion<Failure>) { lock.withLock { storedCompletion = completion } }

    func request(_ demand: Subscribers.Demand) { lock.withLock { subscription }?.request(demand) }
    func cancel() { lock.withLock { subscription }?.cancel() }
}

/// A publisher that notes what is asked of it.
final class Probe<Output, Failure: Error>: Publisher, Subscription, @unchecked Sendable {
    private var downstream: AnySubscriber<Output, Failure>?
    private(set) var requested: [Subscribers.Demand] = []
    private(set) var isCancelled = false

    func receive<S: Subscriber>(subscriber: S) where S.Input == Output, S.Failure == Failure {
        downstream = AnySubscriber(subscriber)
        subscriber.receive(subscription: self)
    }

    func request(_ demand: Subscribers.Demand) { requested.append(demand) }
    func cancel() { isCancelled = true }

    func send(_ value: Output) { _ = downstream?.receive(value) }
    func send(completion: Subscribers.Completion<Failure>) { downstream?.receive(completion: completion) }
}

struct TestError: Error, Equatable {}

/// A scheduler whose time goes on when the test says so.
final class VirtualScheduler: Scheduler {
    struct Time: Strideable {
        struct Stride: SchedulerTimeIntervalConvertible, SignedNumeric, Comparable {
            var value: Double
            var magnitude: Double { abs(value) }
            init(_ value: Double) { self.value = value }
            init(integerLiteral value: Int) { self.value = Double(value) }
            init?<T: BinaryInteger>(exactly source: T) { value = Double(source) }
            static func < (a: Self, b: Self) -> Bool { a.value < b.value }
            static func + (a: Self, b: Self) -> Self { Self(a.value + b.value) }
            static func - (a: Self, b: Self) -> Self { Self(a.value - b.value) }
            static func * (a: Self, b: Self) -> Self { Self(a.value * b.value) }
            static func *= (a: inout Self, b: Self) { a = a * b }
            static func seconds(_ s: Int) -> Self { Self(Double(s)) }
            static func seconds(_ s: Double) -> Self { Self(s) }
            static func milliseconds(_ ms: Int) -> Self { Self(Double(ms) / 1e3) }
            static func microseconds(_ us: Int) -> Self { Self(Double(us) / 1e6) }
            static func nanoseconds(_ ns: Int) -> Self { Self(Double(ns) / 1e9) }
        }

        var value: Double
        func distance(to other: Time) -> Stride { Stride(other.value - value) }
        func advanced(by n: Stride) -> Time { Time(value: value + n.value) }
    }

    private struct Job {
        let id: Int
        var due: Double
        let interval: Double?
        let action: () -> Void
    }

    private var jobs: [Job] = []
    private var nextID = 0
    private(set) var now = Time(value: 0)
    let minimumTolerance = Time.Stride(0)

    func schedule(options: Never?, _ action: @escaping () -> Void) { add(now.value, nil, action) }
    func schedule(after date: Time, tolerance: Time.Stride, options: Never?, _ action: @escaping () -> Void) {
        add(date.value, nil, action)
    }
    func schedule(
        after date: Time, interval: Time.Stride, tolerance: Time.Stride, options: Never?,
        _ action: @escaping () -> Void
    ) -> any Cancellable {
        let id = add(date.value, interval.value, action)
        return AnyCancellable { self.jobs.removeAll { $0.id == id } }
    }

    @discardableResult
    private func add(_ due: Double, _ interval: Double?, _ action: @escaping () -> Void) -> Int {
        nextID += 1
        jobs.append(Job(id: nextID, due: due, interval: interval, action: action))
        return nextID
    }

    var pending: Int { jobs.count }

    func advance(by seconds: Double) {
        let end = now.value + seconds
        while let index = jobs.indices.filter({ jobs[$0].due <= end }).min(by: { jobs[$0].due < jobs[$1].due }) {
            let job = jobs[index]
            now = Time(value: job.due)
            if let interval = job.interval { jobs[index].due += interval } else { jobs.remove(at: index) }
            job.action()
        }
        now = Time(value: end)
    }
}
