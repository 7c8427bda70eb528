import Combine
import Foundation
import Testing

/// What programs with CoreBluetooth use of Combine and OpenCombine has: that it is there, and behaves in this build.
@Suite struct OperatorTests {
    @Test func timeoutDebounceThrottleAndDelayFollowAScheduler() {
        let scheduler = VirtualScheduler()
        let subject = PassthroughSubject<Int, TestError>()
        let timedOut = Recorder<Int, TestError>()
        subject.timeout(.seconds(5), scheduler: scheduler, customError: { TestError() }).subscribe(timedOut)
        let debounced = Recorder<Int, TestError>()
        subject.debounce(for: .seconds(1), scheduler: scheduler).subscribe(debounced)
        let throttled = Recorder<Int, TestError>()
        subject.throttle(for: .seconds(1), scheduler: scheduler, latest: true).subscribe(throttled)
        let delayed = Recorder<Int, TestError>()
        subject.delay(for: .seconds(2), scheduler: scheduler).subscribe(delayed)
        for value in 1...4 {
            subject.send(value)
            scheduler.advance(by: 0.4)
        }
        #expect(debounced.values.isEmpty)
        scheduler.advance(by: 3)
        #expect(debounced.values == [4])
        #expect(throttled.values.last == 4 && throttled.values.count < 4)
        #expect(delayed.values == [1, 2, 3, 4])
        #expect(timedOut.completion == nil)
        scheduler.advance(by: 5)
        #expect(timedOut.completion == .failure(TestError()))
    }

    @Test func retrySharesAndCatches() {
        var attempts = 0
        let flaky = Deferred { () -> AnyPublisher<Int, TestError> in
            attempts += 1
            return attempts < 3
                ? Fail(error: TestError()).eraseToAnyPublisher()
                : Just(attempts).setFailureType(to: TestError.self).eraseToAnyPublisher()
        }
        let recorder = Recorder<Int, Never>()
        flaky.retry(2).catch { _ in Just(-1) }.share().subscribe(recorder)
        #expect(recorder.values == [3])
    }

    @Test func flatMapZipAndSwitchToLatest() {
        let zipped = Recorder<String, Never>()
        [1, 2, 3].publisher.zip(["a", "b"].publisher) { "\($0)\($1)" }.subscribe(zipped)
        #expect(zipped.values == ["1a", "2b"])
        let flat = Recorder<Int, Never>()
        [1, 2].publisher.flatMap(maxPublishers: .max(1)) { [$0, $0 * 10].publisher }.subscribe(flat)
        #expect(flat.values == [1, 10, 2, 20])
        let subject = PassthroughSubject<PassthroughSubject<Int, Never>, Never>()
        let latest = Recorder<Int, Never>()
        subject.switchToLatest().subscribe(latest)
        let (a, b) = (PassthroughSubject<Int, Never>(), PassthroughSubject<Int, Never>())
        subject.send(a)
        a.send(1)
        subject.send(b)
        a.send(2)
        b.send(3)
        #expect(latest.values == [1, 3])
    }

    // If this does not compile, OpenCombine was built while a module Combine lay beside it, and left these conformances out:
    // remove .build and build again.
    @Test func queuesAndRunLoopsAreSchedulers() async {
        func isScheduler<S: Scheduler>(_ scheduler: S) -> Bool { scheduler.minimumTolerance >= 0 }
        #expect(isScheduler(DispatchQueue.main))
        #expect(isScheduler(RunLoop.main))
        #expect(isScheduler(OperationQueue.main))
        let queue = DispatchQueue(label: "combine")
        let values = await withCheckedContinuation { continuation in
            var bag: Set<AnyCancellable> = []
            // On the queue, so that the values come after `bag` has the subscription.
            queue.sync {
                [1, 2, 3].publisher.receive(on: queue).collect().sink { values in
                    dispatchPrecondition(condition: .onQueue(queue))
                    continuation.resume(returning: values)
                    bag.removeAll()
                }.store(in: &bag)
            }
        }
        #expect(values == [1, 2, 3])
    }

    @Test func valuesCanBeAwaited() async {
        var seen: [Int] = []
        for await value in [1, 2, 3].publisher.values { seen.append(value) }
        #expect(seen == [1, 2, 3])
        let future = Future<Int, Never> { $0(.success(7)) }
        #expect(await future.value == 7)
    }

    @Test func publishedPropertiesPublish() {
        final class Model: ObservableObject {
            @Published var count = 0
        }
        let model = Model()
        var seen: [Int] = []
        var willChange = 0
        let bag = [
            model.$count.sink { seen.append($0) }, model.objectWillChange.sink { willChange += 1 },
        ]
        model.count = 1
        model.count = 2
        #expect(seen == [0, 1, 2])
        #expect(willChange == 2)
        withExtendedLifetime(bag) {}
    }
}
