import Combine
import Testing

extension Row {
    static let failing: [Row] = [
        Row("assertNoFailure(_:file:line:)", ends: .whenTheUpstreamFinishes) { Built($0.source.assertNoFailure()) },
        Row(
            "catch(_:)", ends: .whenTheUpstreamFinishes + .withTheReplacement, asks: .theSame + .theRestOfTheReplacement
        ) {
            let other = $0.other
            return Built($0.source.catch { _ in other })
        },
        Row(
            "tryCatch(_:)", ends: .whenTheUpstreamFinishes + .withTheReplacement + .orCannotReplace,
            asks: .theSame + .theRestOfTheReplacement
        ) {
            bench in
            Built(
                bench.source.tryCatch { error -> Source in
                    if bench.other.isCancelled { throw error }
                    return bench.other
                })
        },
        Row("retry(_:)", ends: .whenTheUpstreamFinishes + .afterTheRetries, asks: .theSame + .theRestOfTheRetry) {
            Built($0.source.retry(1))
        },
    ]

    static let timing: [Row] = [
        Row("measureInterval(using:options:)", feed: [1], gives: ["Stride(value: 0.0)"]) {
            Built($0.source.measureInterval(using: $0.scheduler))
        },
        Row(
            "debounce(for:scheduler:options:)", gives: ["3"], time: 1, asks: .allAndDrops, cancels: .andValuesOnTheirWay
        ) {
            Built($0.source.debounce(for: .seconds(1), scheduler: $0.scheduler))
        },
        Row("delay(for:tolerance:scheduler:options:)", time: 1, cancels: .andWhatIsOnItsWay) {
            Built($0.source.delay(for: .seconds(1), scheduler: $0.scheduler))
        },
        Row(
            "throttle(for:scheduler:latest:), true", gives: ["1", "3"], time: 2, ends: .throttled("1", "3"),
            asks: .allAndDrops, cancels: .andWhatIsOnItsWay
        ) { Built($0.source.throttle(for: .seconds(1), scheduler: $0.scheduler, latest: true)) },
        Row(
            "throttle(for:scheduler:latest:), false", gives: ["1", "2"], time: 2, ends: .throttled("1", "2"),
            asks: .allAndDrops, cancels: .andWhatIsOnItsWay
        ) { Built($0.source.throttle(for: .seconds(1), scheduler: $0.scheduler, latest: false)) },
        Row(
            "timeout(_:scheduler:options:customError:)", ends: .withTheUpstream + .whenItIsTooLate,
            cancels: .andWhatIsOnItsWay
        ) { Built($0.source.timeout(.seconds(5), scheduler: $0.scheduler, customError: { TestError() })) },
        Row("subscribe(on:options:)") { Built($0.source.subscribe(on: $0.scheduler)) },
        Row("receive(on:options:)", cancels: .andWhatIsOnItsWay) {
            Built($0.source.receive(on: $0.scheduler))
        },
    ]

    static let buffering: [Row] = [
        Row(
            "buffer(size:prefetch:whenFull:), keepFull", ends: .whenItIsEmpty, asks: .itsSize,
            cancels: .theUpstream
        ) { Built($0.source.buffer(size: 2, prefetch: .keepFull, whenFull: .dropNewest)) },
        Row(
            "buffer(size:prefetch:whenFull:), dropNewest", ends: .whenItIsEmpty,
            asks: .allAndKeeps("1", "2"), cancels: .theUpstream
        ) { Built($0.source.buffer(size: 2, prefetch: .byRequest, whenFull: .dropNewest)) },
        Row(
            "buffer(size:prefetch:whenFull:), dropOldest", ends: .whenItIsEmpty,
            asks: .allAndKeeps("2", "3"), cancels: .theUpstream
        ) { Built($0.source.buffer(size: 2, prefetch: .byRequest, whenFull: .dropOldest)) },
        Row(
            "buffer(size:prefetch:whenFull:), customError", ends: .whenItIsEmpty + .whenItIsFull, asks: .all,
            cancels: .theUpstream
        ) { Built($0.source.buffer(size: 2, prefetch: .byRequest, whenFull: .customError { TestError() })) },
    ]

    static let watching: [Row] = [
        Row("handleEvents(receiveSubscription:…)") { Built($0.source.handleEvents(receiveOutput: { _ in })) },
        Row("print(_:to:)") { Built($0.source.print("", to: Nowhere())) },
        Row("breakpoint(receiveSubscription:…)") { Built($0.source.breakpoint(receiveOutput: { _ in false })) },
        Row("breakpointOnError()", ends: .whenTheUpstreamFinishes) { Built($0.source.breakpointOnError()) },
    ]

    static let sharing: [Row] = [
        Row("share()", asks: .allFromTheFirst, cancels: .withTheLastSubscriber) { Built($0.source.share()) },
        Row("multicast(_:), autoconnect()", asks: .allFromTheFirst, cancels: .withTheLastSubscriber) {
            Built($0.source.multicast { PassthroughSubject() }.autoconnect())
        },
        Row("multicast(subject:), autoconnect()", asks: .allFromTheFirst, cancels: .withTheLastSubscriber) {
            Built($0.source.multicast(subject: PassthroughSubject()).autoconnect())
        },
        Row(
            "makeConnectable(), autoconnect()", ends: .whenTheUpstreamFinishes, asks: .allFromTheFirst,
            cancels: .withTheLastSubscriber
        ) {
            Built($0.source.assertNoFailure().makeConnectable().autoconnect())
        },
    ]
}

struct Nowhere: TextOutputStream {
    mutating func write(_ string: String) {}
}

extension Aspect {
    static let withTheReplacement = Aspect("a failure makes it go on with the new publisher, and end with that") {
        row in
        for completion in [Subscribers.Completion<TestError>.finished, .failure(TestError())] {
            let bench = Bench(row)
            bench.source.send(1)
            bench.end(.failure(TestError()))
            #expect(bench.completion == nil)
            bench.other.send(2)
            bench.other.end(completion)
            #expect(bench.values == ["1", "2"] && bench.completion == completion)
        }
        let cancelled = Bench(row)
        cancelled.end(.failure(TestError()))
        cancelled.cancel()
        #expect(cancelled.other.isCancelled)
    }

    static let orCannotReplace = Aspect("a thrown error ends it") { row in
        let bench = Bench(row)
        bench.other.cancel()
        bench.end(.failure(TestError()))
        #expect(bench.completion == .failure(TestError()) && bench.other.subscriptions == 0)
    }

    static let theRestOfTheReplacement = Aspect("of the new publisher what is left") { row in
        let bench = Bench(row, .max(3))
        bench.source.send(1)
        bench.end(.failure(TestError()))
        #expect(bench.other.asked == .max(2))
    }

    static let afterTheRetries = Aspect("a failure makes it subscribe again, as often as it may; then it fails") {
        row in
        let bench = Bench(row)
        bench.source.send(1)
        bench.end(.failure(TestError()))
        #expect(bench.source.subscriptions == 2 && bench.completion == nil)
        bench.source.send(2)
        bench.end(.failure(TestError()))
        #expect(bench.source.subscriptions == 2)
        #expect(bench.values == ["1", "2"] && bench.completion == .failure(TestError()))
    }

    static let theRestOfTheRetry = Aspect("of a new subscription what is left") { row in
        let bench = Bench(row, .max(3))
        bench.source.send(1)
        #expect(bench.source.asked == .max(3))
        bench.end(.failure(TestError()))
        #expect(bench.source.asked == .max(5))
    }

    static func throttled(_ expected: String...) -> Aspect {
        Aspect("with its upstream, after the element that waits") { row in
            let bench = Bench(row)
            bench.source.send(1)
            bench.scheduler.advance(by: 0.1)
            bench.source.send(2, 3)
            bench.source.end(.finished)
            #expect(bench.values == ["1"])
            bench.scheduler.advance(by: 1)
            #expect(bench.values == expected && bench.completion == .finished)
        }
    }

    static let whenItIsTooLate = Aspect("when the time is over it fails, or finishes without an error of its own") {
        row in
        let bench = Bench(row)
        bench.scheduler.advance(by: 4)
        bench.source.send(1)
        bench.scheduler.advance(by: 4.9)
        #expect(bench.values == ["1"] && bench.completion == nil)
        bench.scheduler.advance(by: 0.1)
        #expect(bench.completion == .failure(TestError()) && bench.source.isCancelled)
        #expect(bench.scheduler.pending == 0)
        let finished = Recorder<Int, TestError>()
        Source().timeout(.seconds(1), scheduler: bench.scheduler).subscribe(finished)
        bench.scheduler.advance(by: 1)
        #expect(finished.completion == .finished)
    }

    static let whenItIsEmpty = Aspect("with its upstream once it is empty; a failure comes at once") { row in
        let bench = Bench(row, .none)
        bench.source.send(1, 2)
        bench.end(.finished)
        bench.recorder.request(.max(1))
        #expect(bench.values == ["1"] && bench.completion == nil)
        bench.recorder.request(.max(2))
        #expect(bench.values == ["1", "2"] && bench.completion == .finished)
        let failed = Bench(row, .none)
        failed.source.send(1)
        failed.end(.failure(TestError()))
        #expect(failed.values.isEmpty && failed.completion == .failure(TestError()))
    }

    static let whenItIsFull = Aspect(
        "an element too many cancels its upstream; the error comes after what is in the buffer"
    ) {
        row in
        let bench = Bench(row, .none)
        bench.play()
        #expect(bench.source.isCancelled)
        bench.recorder.request(.max(3))
        #expect(bench.values == ["1", "2"] && bench.completion == .failure(TestError()))
    }

    static let itsSize = Aspect("as many as fit, and one more for each that leaves") { row in
        let bench = Bench(row, .none)
        #expect(bench.source.asked == .max(2))
        bench.source.send(1, 2)
        bench.recorder.request(.max(1))
        #expect(bench.values == ["1"] && bench.source.asked == .max(3))
    }

    static func allAndKeeps(_ kept: String...) -> Aspect {
        Aspect("all; of what is too much it keeps \(kept == ["1", "2"] ? "the oldest" : "the newest")") { row in
            let bench = Bench(row, .none)
            #expect(bench.source.asked == .unlimited)
            bench.play()
            bench.recorder.request(.max(5))
            #expect(bench.values == kept)
        }
    }

    static let allFromTheFirst = Aspect("all; a subscriber gets what it asks for and misses the rest") { row in
        let bench = Bench(row, .max(1))
        #expect(bench.source.asked == .unlimited)
        bench.play()
        #expect(bench.values == ["1"])
        bench.recorder.request(.max(1))
        bench.source.send(4, 5)
        #expect(bench.values == ["1", "4"])
    }

    static let withTheLastSubscriber = Aspect(
        "its upstream has one subscription, which ends with the last subscriber; the next one makes a new one"
    ) { row in
        let bench = Bench(row)
        let shared = row.make(bench).publisher
        let (first, second) = (Recorder<String, TestError>(), Recorder<String, TestError>())
        bench.recorder.cancel()
        let before = bench.source.subscriptions
        shared.subscribe(first)
        shared.subscribe(second)
        #expect(bench.source.subscriptions == before + 1)
        first.cancel()
        first.cancel()
        #expect(!bench.source.isCancelled)
        second.cancel()
        #expect(bench.source.isCancelled)
        // One that cancels in the middle of its subscription leaves nothing behind.
        let hasty = Recorder<String, TestError>()
        Just(0).setFailureType(to: TestError.self).append(bench.other).share().map { "\($0)" }.first().subscribe(hasty)
        #expect(hasty.values == ["0"] && bench.other.isCancelled)
        let again = Recorder<String, TestError>()
        shared.subscribe(again)
        bench.source.send(7)
        #expect(bench.source.subscriptions == before + 2 && again.values == ["7"])
    }
}
