import Combine
import Foundation
import Testing

/// A publisher that does what the test says and counts what is asked of it.
final class Source: Publisher, Subscription, @unchecked Sendable {
    typealias Output = Int
    typealias Failure = TestError

    private var downstream: AnySubscriber<Int, TestError>?
    /// All that was asked for, by requests and in return for values.
    private(set) var asked = Subscribers.Demand.none
    private(set) var subscriptions = 0
    private(set) var isCancelled = false

    func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == TestError {
        downstream = AnySubscriber(subscriber)
        subscriptions += 1
        isCancelled = false
        subscriber.receive(subscription: self)
    }

    func request(_ demand: Subscribers.Demand) { asked += demand }

    func cancel() {
        isCancelled = true
        downstream = nil
    }

    func send(_ values: Int...) { send(values) }
    func send(_ values: [Int]) { for value in values { asked += downstream?.receive(value) ?? .none } }

    func end(_ completion: Subscribers.Completion<TestError>) {
        let last = downstream
        downstream = nil
        last?.receive(completion: completion)
    }
}

/// An operator between sources and a recorder.
final class Bench {
    let source = Source()
    let other = Source()
    let scheduler = VirtualScheduler()
    let recorder: Recorder<String, TestError>
    private let row: Row

    init(_ row: Row, _ demand: Subscribers.Demand = .unlimited, more: Subscribers.Demand = .none) {
        self.row = row
        recorder = Recorder(demand, more: more)
        row.make(self).publisher.subscribe(recorder)
        scheduler.advance(by: 0)
    }

    var values: [String] { recorder.values }
    var completion: Subscribers.Completion<TestError>? { recorder.completion }

    /// Sends the elements of the row, and lets the time pass that it needs.
    func play() {
        source.send(row.feed)
        scheduler.advance(by: row.time)
    }

    func end(_ completion: Subscribers.Completion<TestError>) {
        source.end(completion)
        scheduler.advance(by: row.time)
    }

    func cancel() {
        recorder.cancel()
        scheduler.advance(by: 0)
    }
}

/// A publisher whose values are written out, and what it is.
struct Built {
    let publisher: AnyPublisher<String, TestError>
    let type: Any.Type

    init<P: Publisher>(_ publisher: P) where P.Failure == TestError {
        type = P.self
        self.publisher = publisher.map { String(describing: $0) }.eraseToAnyPublisher()
    }

    init<P: Publisher>(_ publisher: P) where P.Failure == Never {
        type = P.self
        self.publisher =
            publisher.map { String(describing: $0) }.setFailureType(to: TestError.self).eraseToAnyPublisher()
    }

    init<P: Publisher>(_ publisher: P) where P.Failure == any Error {
        type = P.self
        self.publisher = publisher.map { String(describing: $0) }
            .mapError { $0 as? TestError ?? TestError() }.eraseToAnyPublisher()
    }
}

/// One line of the table: an operator and how it ends, asks and is cancelled, each with its proof.
struct Row: @unchecked Sendable, CustomTestStringConvertible {
    let name: String
    let make: (Bench) -> Built
    /// What the source sends.
    let feed: [Int]
    /// What comes of it.
    let gives: [String]
    /// How long that takes.
    let time: Double
    let ends: Aspect
    let asks: Aspect
    let cancels: Aspect

    init(
        _ name: String, feed: [Int] = [1, 2, 3], gives: [String] = ["1", "2", "3"], time: Double = 0,
        ends: Aspect = .withTheUpstream, asks: Aspect = .theSame, cancels: Aspect = .theUpstream,
        _ make: @escaping (Bench) -> Built
    ) {
        self.name = name
        self.make = make
        self.feed = feed
        self.gives = gives
        self.time = time
        self.ends = ends
        self.asks = asks
        self.cancels = cancels
    }

    var testDescription: String { name }

    /// Where the code is that runs.
    var origin: String {
        let type = String(reflecting: make(Bench(Row("", { _ in Built(Empty<Int, TestError>()) }))).type)
        return type.hasPrefix("Combine.") ? "this module" : "OpenCombine"
    }
}

/// A sentence of the table and what proves it.
struct Aspect {
    let sentence: String
    let prove: (Row) -> Void

    init(_ sentence: String, _ prove: @escaping (Row) -> Void) {
        self.sentence = sentence
        self.prove = prove
    }

    static func + (a: Aspect, b: Aspect) -> Aspect {
        Aspect("\(a.sentence); \(b.sentence)") {
            a.prove($0)
            b.prove($0)
        }
    }
}
