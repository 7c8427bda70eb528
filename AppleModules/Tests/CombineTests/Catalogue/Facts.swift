import Combine
import Foundation
import Testing

/// One line of the second table: a publisher without an upstream, or a subscriber, and what it does.
struct Fact: @unchecked Sendable, CustomTestStringConvertible {
    let name: String
    let sentence: String
    let prove: () async -> Void

    init(_ name: String, _ sentence: String, _ prove: @escaping () async -> Void) {
        self.name = name
        self.sentence = sentence
        self.prove = prove
    }

    var testDescription: String { name }
}

/// What one thread sets and reads.
private final class Flag: @unchecked Sendable { var isSet = false }

/// A timer does not end a turn of a run loop on Linux, so a turn is short.
private func runForAMoment() { _ = RunLoop.current.run(mode: .default, before: Date(timeIntervalSinceNow: 0.005)) }

/// Asks a publisher for nothing, then for one element after another, and notes what it has each time.
private func steps<P: Publisher>(_ publisher: P, _ count: Int) -> [([P.Output], Subscribers.Completion<P.Failure>?)] {
    let recorder = Recorder<P.Output, P.Failure>(.none)
    publisher.subscribe(recorder)
    var result = [(recorder.values, recorder.completion)]
    for _ in 0..<count {
        recorder.request(.max(1))
        result.append((recorder.values, recorder.completion))
    }
    return result
}

private func expectCancelled<P: Publisher>(_ publisher: P) {
    let recorder = Recorder<P.Output, P.Failure>(.none)
    publisher.subscribe(recorder)
    recorder.cancel()
    recorder.request(.unlimited)
    #expect(recorder.values.isEmpty && recorder.completion == nil)
}

extension Fact {
    static let publishers: [Fact] = [
        Fact("Just", "has its element once it is asked, and finishes with it; nothing after a cancellation") {
            let all = steps(Just(1), 1)
            #expect(all[0].0.isEmpty && all[0].1 == nil)
            #expect(all[1].0 == [1] && all[1].1 == .finished)
            expectCancelled(Just(1))
        },
        Fact("Optional.publisher, Result.publisher", "as Just; without an element, or with an error, it ends at once") {
            let all = steps(Optional(1).publisher, 1)
            #expect(all[0].0.isEmpty && all[1].0 == [1] && all[1].1 == .finished)
            #expect(steps(Int?.none.publisher, 0)[0].1 == .finished)
            #expect(steps(Result<Int, TestError>.failure(TestError()).publisher, 0)[0].1 == .failure(TestError()))
            #expect(steps(Result<Int, TestError>.success(3).publisher, 1)[1].0 == [3])
            expectCancelled(Optional(1).publisher)
        },
        Fact("Sequence.publisher", "has as many elements as it is asked for, and finishes with the last") {
            let all = steps([1, 2].publisher, 2)
            #expect(all[0].0.isEmpty && all[1].0 == [1] && all[1].1 == nil)
            #expect(all[2].0 == [1, 2] && all[2].1 == .finished)
            #expect(steps([Int]().publisher, 0)[0].1 == .finished)
            expectCancelled([1, 2].publisher)
        },
        Fact("Future", "runs once, when it is made; each subscriber gets its result when it asks, a failure at once") {
            var runs = 0
            let future = Future<Int, TestError> {
                runs += 1
                $0(.success(7))
                $0(.success(8))
            }
            #expect(runs == 1)
            for _ in 0..<2 {
                let all = steps(future, 1)
                #expect(all[0].0.isEmpty && all[1].0 == [7] && all[1].1 == .finished)
            }
            #expect(runs == 1)
            var promise: Future<Int, TestError>.Promise?
            let waiting = Future<Int, TestError> { promise = $0 }
            let (heard, gone) = (Recorder<Int, TestError>(), Recorder<Int, TestError>())
            waiting.subscribe(heard)
            waiting.subscribe(gone)
            gone.cancel()
            promise?(.failure(TestError()))
            #expect(heard.completion == .failure(TestError()) && gone.completion == nil)
        },
        Fact("Deferred", "makes a publisher for each subscriber") {
            var made = 0
            let deferred = Deferred { () -> Just<Int> in
                made += 1
                return Just(made)
            }
            #expect(made == 0)
            #expect(steps(deferred, 1)[1].0 == [1] && steps(deferred, 1)[1].0 == [2])
            expectCancelled(deferred)
        },
        Fact("Empty", "finishes at once, or never") {
            #expect(steps(Empty<Int, Never>(), 0)[0].1 == .finished)
            #expect(steps(Empty<Int, Never>(completeImmediately: false), 1)[1].1 == nil)
        },
        Fact("Fail", "fails at once") {
            #expect(steps(Fail<Int, TestError>(error: TestError()), 0)[0].1 == .failure(TestError()))
        },
        Fact("Record", "has its elements as it is asked for them, then its end") {
            let record = Record<Int, TestError>(output: [1, 2], completion: .failure(TestError()))
            let all = steps(record, 2)
            #expect(all[1].0 == [1] && all[1].1 == nil && all[2].0 == [1, 2] && all[2].1 == .failure(TestError()))
            expectCancelled(record)
        },
        Fact("PassthroughSubject", "drops what a subscriber did not ask for; a late subscriber gets the end at once") {
            let subject = PassthroughSubject<Int, TestError>()
            let (first, second) = (Recorder<Int, TestError>(.max(1)), Recorder<Int, TestError>())
            subject.subscribe(first)
            subject.subscribe(second)
            subject.send(1)
            subject.send(2)
            first.request(.max(1))
            subject.send(3)
            #expect(first.values == [1, 3] && second.values == [1, 2, 3])
            second.cancel()
            subject.send(completion: .failure(TestError()))
            subject.send(4)
            #expect(first.values == [1, 3] && first.completion == .failure(TestError()) && second.completion == nil)
            #expect(steps(subject, 0)[0].1 == .failure(TestError()))
        },
        Fact(
            "CurrentValueSubject",
            "has its value for each new subscriber; without demand the newest waits; after the end it has only that"
        ) {
            let subject = CurrentValueSubject<Int, TestError>(1)
            let recorder = Recorder<Int, TestError>(.max(1))
            subject.subscribe(recorder)
            subject.send(2)
            subject.value = 3
            #expect(recorder.values == [1] && subject.value == 3)
            recorder.request(.max(1))
            #expect(recorder.values == [1, 3])
            subject.send(completion: .finished)
            subject.send(4)
            #expect(recorder.completion == .finished && subject.value == 3)
            let late = steps(subject, 1)
            #expect(late[1].0.isEmpty && late[1].1 == .finished)
        },
        Fact("Published", "has its value at once and each new one before the property has it; so does objectWillChange")
        {
            final class Model: ObservableObject { @Published var count = 0 }
            let model = Model()
            let (values, limited) = (Recorder<Int, Never>(), Recorder<Int, Never>(.max(1)))
            var inProperty: [Int] = []
            values.onValue = { _ in inProperty.append(model.count) }
            model.$count.subscribe(values)
            model.$count.subscribe(limited)
            var changes = 0
            let watching = model.objectWillChange.sink { changes += 1 }
            model.count = 1
            model.count = 2
            values.cancel()
            model.count = 3
            #expect(values.values == [0, 1, 2] && inProperty == [0, 0, 1] && changes == 3)
            #expect(limited.values == [0])
            withExtendedLifetime(watching) {}
        },
        Fact(
            "NotificationCenter.publisher(for:object:)",
            "has each notification that it is asked for, until it is cancelled"
        ) {
            let (center, name) = (NotificationCenter(), Notification.Name("combine"))
            let (limited, recorder) = (Recorder<Notification, Never>(.max(1)), Recorder<Notification, Never>())
            center.publisher(for: name).subscribe(limited)
            center.publisher(for: name).subscribe(recorder)
            center.post(name: name, object: nil)
            center.post(name: Notification.Name("other"), object: nil)
            center.post(name: name, object: nil)
            #expect(limited.values.count == 1 && recorder.values.count == 2)
            recorder.cancel()
            center.post(name: name, object: nil)
            #expect(recorder.values.count == 2)
        },
        Fact("Timer.publish(every:on:in:)", "fires from connect() on, on its run loop, until it is cancelled") {
            // A run loop of its own: a task has no thread that stays.
            await withCheckedContinuation { continuation in
                Thread.detachNewThread {
                    var fired = 0
                    var timer: AnyCancellable? = Timer.publish(every: 0.001, on: .current, in: .default)
                        .autoconnect().sink { _ in fired += 1 }
                    let end = Date(timeIntervalSinceNow: 30)
                    while fired < 3, Date() < end { runForAMoment() }
                    #expect(fired >= 3)
                    timer?.cancel()
                    timer = nil
                    let before = fired
                    let flag = Flag()
                    let later = Timer(timeInterval: 0.01, repeats: false) { _ in flag.isSet = true }
                    RunLoop.current.add(later, forMode: .default)
                    while !flag.isSet, Date() < end { runForAMoment() }
                    #expect(flag.isSet && fired == before)
                    continuation.resume()
                }
            }
        },
    ]

    static let subscribers: [Fact] = [
        Fact("sink", "asks for all; ends with its AnyCancellable") {
            let source = Source()
            var (values, ends) = ([Int](), 0)
            var sink: AnyCancellable? = source.sink(
                receiveCompletion: { _ in ends += 1 }, receiveValue: { values.append($0) })
            #expect(source.asked == .unlimited && sink != nil)
            source.send(1)
            sink = nil
            #expect(source.isCancelled && values == [1] && ends == 0)
            let other = Source()
            let kept = other.sink(receiveCompletion: { _ in ends += 1 }, receiveValue: { _ in })
            other.end(.finished)
            #expect(ends == 1)
            kept.cancel()
        },
        Fact("assign(to:on:)", "asks for all and sets the property, until it is cancelled") {
            final class Model { var count = 0 }
            let (model, source) = (Model(), Source())
            let assignment = source.assertNoFailure().assign(to: \.count, on: model)
            source.send(5)
            #expect(source.asked == .unlimited && model.count == 5)
            assignment.cancel()
            #expect(source.isCancelled)
        },
        Fact("assign(to:)", "sets a published property for as long as that lives") {
            final class Model: ObservableObject { @Published var count = 0 }
            let source = Source()
            var model: Model? = Model()
            source.assertNoFailure().assign(to: &model!.$count)
            source.send(5)
            #expect(model?.count == 5)
            model = nil
            #expect(source.isCancelled)
        },
        Fact("subscribe(subject)", "hands everything to a subject, until it is cancelled") {
            let (source, subject, recorder) = (
                Source(), PassthroughSubject<Int, TestError>(), Recorder<Int, TestError>()
            )
            subject.subscribe(recorder)
            let connection = source.subscribe(subject)
            source.send(1)
            #expect(recorder.values == [1])
            connection.cancel()
            #expect(source.isCancelled)
        },
        Fact(
            "values",
            "is a sequence that asks for one element at a time, ends as the publisher does, and throws its failure"
        ) {
            var seen: [Int] = []
            for await value in [1, 2, 3].publisher.values { seen.append(value) }
            #expect(seen == [1, 2, 3])
            await #expect(throws: TestError.self) {
                for try await _ in Fail<Int, TestError>(error: TestError()).values {}
            }
        },
    ]
}
