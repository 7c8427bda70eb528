import Combine
import Testing

/// Chains of operators as programs write them.
@Suite struct ChainTests {
    @Test func aPrefixedSubjectLetsTheChainBehindItComplete() {
        let (subject, inner) = (PassthroughSubject<Int, Never>(), PassthroughSubject<String, Never>())
        let recorder = Recorder<String, Never>()
        subject.prefix(1).flatMap { _ in inner }.subscribe(recorder)
        subject.send(1)
        inner.send("a")
        #expect(recorder.values == ["a"] && recorder.completion == nil)
        inner.send(completion: .finished)
        #expect(recorder.completion == .finished)
    }

    @Test func aPrefixOfNothingFinishesAtOnce() {
        let source = Source()
        let recorder = Recorder<Int, TestError>(.none)
        source.prefix(0).subscribe(recorder)
        #expect(recorder.completion == .finished && source.isCancelled)
    }

    @Test func aValueSentInTheMiddleOfTheLastIsNotCarried() {
        let subject = PassthroughSubject<Int, Never>()
        let recorder = Recorder<Int, Never>()
        recorder.onValue = { if $0 == 1 { subject.send(2) } }
        subject.prefix(1).subscribe(recorder)
        subject.send(1)
        #expect(recorder.values == [1] && recorder.completion == .finished)
    }

    @Test func threeAndFourAreZippedByTheirPlaces() {
        let (three, four) = (Recorder<[Int], Never>(.max(1), more: .max(1)), Recorder<[Int], Never>())
        let (a, b, c, d) = ([1, 2, 3].publisher, [10, 20].publisher, [100, 200].publisher, [1000].publisher)
        a.zip(b, c) { [$0, $1, $2] }.subscribe(three)
        Publishers.Zip4(a, b, c, d).map { [$0, $1, $2, $3] }.subscribe(four)
        #expect(three.values == [[1, 10, 100], [2, 20, 200]] && three.completion == .finished)
        #expect(four.values == [[1, 10, 100, 1000]] && four.completion == .finished)
        #expect(a.zip(b, c) == a.zip(b, c))
    }

    @Test func aLimitOfPublishersIsKept() {
        let source = Source()
        let inners = [Source(), Source(), Source()]
        let recorder = Recorder<Int, TestError>()
        source.flatMap(maxPublishers: .max(2)) { inners[$0] }.subscribe(recorder)
        #expect(source.asked == .max(2))
        source.send(0, 1)
        inners[0].send(1)
        #expect(source.asked == .max(2))
        inners[0].end(.finished)
        #expect(source.asked == .max(3) && recorder.values == [1])
    }

    @Test func aCancellationFromWithinTheClosureReachesTheNewPublisher() {
        let (source, inner) = (Source(), Source())
        let recorder = Recorder<Int, TestError>()
        source.flatMap { _ -> Source in
            recorder.cancel()
            return inner
        }.subscribe(recorder)
        source.send(1)
        #expect(inner.isCancelled && source.isCancelled)
    }

    // That these compile is the test: on Apple's systems whether a publisher can fail chooses among four functions.
    @Test func publishersThatFailAndThoseThatDoNotGoTogether() {
        let never = Just(1)
        let failing = Just(1).setFailureType(to: TestError.self)
        func expect<P: Publisher>(_ publisher: P, _ value: Int, fails: P.Failure.Type) where P.Output == Int {
            let recorder = Recorder<Int, P.Failure>()
            publisher.subscribe(recorder)
            #expect(recorder.values == [value])
        }
        expect(never.flatMap { Just($0 + 1) }, 2, fails: Never.self)
        expect(never.flatMap { Just($0 + 1).setFailureType(to: TestError.self) }, 2, fails: TestError.self)
        expect(failing.flatMap { Just($0 + 1) }, 2, fails: TestError.self)
        expect(failing.flatMap { Just($0 + 1).setFailureType(to: TestError.self) }, 2, fails: TestError.self)
        expect(
            never.flatMap { value -> AnyPublisher<Int, Never> in Just(value + 1).eraseToAnyPublisher() }, 2,
            fails: Never.self)
        let chained = never.flatMap { value in
            let next = value + 1
            return Just(next).flatMap { Just($0 + 1) }
        }.flatMap { Just($0).setFailureType(to: TestError.self).flatMap { Just($0 + 1) } }
        expect(chained, 4, fails: TestError.self)
        expect(never.map { Just($0 + 1) }.switchToLatest(), 2, fails: Never.self)
        expect(never.map { Just($0 + 1).setFailureType(to: TestError.self) }.switchToLatest(), 2, fails: TestError.self)
        expect(failing.map { Just($0 + 1) }.switchToLatest(), 2, fails: TestError.self)
        expect(
            failing.map { Just($0 + 1).setFailureType(to: TestError.self) }.switchToLatest(), 2, fails: TestError.self)
        let trying = never.tryMap { $0 }
        expect(trying.flatMap { Just($0 + 1) }, 2, fails: (any Error).self)
        expect(trying.flatMap { Just($0 + 1).setFailureType(to: (any Error).self) }, 2, fails: (any Error).self)
        expect(trying.flatMap { Just($0).tryMap { $0 + 1 } }, 2, fails: (any Error).self)
        expect(trying.map { Just($0 + 1) }.switchToLatest(), 2, fails: (any Error).self)
        expect(trying.map { Just($0).tryMap { $0 + 1 } }.switchToLatest(), 2, fails: (any Error).self)
        expect(never.tryMap { Just($0 + 1) }.switchToLatest(), 2, fails: (any Error).self)
        expect(failing.mapError { $0 as any Error }.flatMap { Just($0 + 1) }, 2, fails: (any Error).self)
        expect(
            trying.flatMap { value -> AnyPublisher<Int, any Error> in
                let next = value + 1
                return Just(next).setFailureType(to: (any Error).self).eraseToAnyPublisher()
            }, 2, fails: (any Error).self)
        expect(
            trying.tryMap { value -> AnyPublisher<Int, any Error> in
                Just(value + 1).setFailureType(to: (any Error).self).eraseToAnyPublisher()
            }.switchToLatest(), 2, fails: (any Error).self)
        expect(
            trying.eraseToAnyPublisher().flatMap(maxPublishers: .max(1)) { Just($0 + 1) }, 2, fails: (any Error).self)
        var cancellables: Set<AnyCancellable> = []
        var received: [Int] = []
        trying.flatMap { value in Future<Int, any Error> { $0(.success(value + 1)) } }
            .sink(receiveCompletion: { _ in }) { received.append($0) }.store(in: &cancellables)
        trying.map { value in Future<Int, any Error> { $0(.success(value)) } }.switchToLatest()
            .sink(receiveCompletion: { _ in }, receiveValue: { received.append($0) }).store(in: &cancellables)
        #expect(received == [2, 1])
        expect(failing.tryCatch { _ in Just(0) }.flatMap { Just($0 + 1) }, 2, fails: (any Error).self)
    }

    /// A publisher of a program's own has all operators, and so has what `some` and `any` hide.
    @Test func operatorsAreThereForPublishersOfTheProgram() {
        struct Own: Publisher {
            typealias Output = Int
            typealias Failure = Never
            func receive<S: Subscriber>(subscriber: S) where S.Input == Int, S.Failure == Never {
                [1, 2, 3].publisher.subscribe(subscriber)
            }
        }
        func hidden() -> some Publisher<Int, Never> { Own().prefix(2) }
        func erased(_ publisher: any Publisher<Int, Never>) -> AnyPublisher<Int, Never> {
            publisher.eraseToAnyPublisher()
        }
        let recorder = Recorder<Int, Never>()
        erased(hidden()).zip(Own()).map { $0 * $1 }.prefix(2).subscribe(recorder)
        #expect(recorder.values == [1, 4] && recorder.completion == .finished)
    }
}
