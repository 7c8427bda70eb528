import Combine
import Dispatch
import Testing

@Suite struct MergeTests {
    typealias Subject = PassthroughSubject<Int, TestError>

    @Test func valuesOfBothComeInTheOrderTheyAreSent() {
        let (a, b) = (Subject(), Subject())
        let recorder = Recorder<Int, TestError>()
        a.merge(with: b).subscribe(recorder)
        a.send(1)
        b.send(2)
        a.send(3)
        #expect(recorder.values == [1, 2, 3])
    }

    @Test func itEndsWhenTheLastEnds() {
        let (a, b) = (Subject(), Subject())
        let recorder = Recorder<Int, TestError>()
        Publishers.Merge(a, b).subscribe(recorder)
        a.send(completion: .finished)
        #expect(recorder.completion == nil)
        b.send(1)
        b.send(completion: .finished)
        #expect(recorder.values == [1])
        #expect(recorder.completion == .finished)
    }

    @Test func theFirstFailureEndsItAndCancelsTheOthers() {
        let (a, b) = (Probe<Int, TestError>(), Probe<Int, TestError>())
        let recorder = Recorder<Int, TestError>()
        Publishers.Merge(a, b).subscribe(recorder)
        a.send(1)
        a.send(completion: .failure(TestError()))
        b.send(2)
        #expect(recorder.values == [1])
        #expect(recorder.completion == .failure(TestError()))
        #expect(b.isCancelled)
    }

    @Test func aLimitedDemandIsKept() {
        let recorder = Recorder<Int, Never>(.max(2))
        Publishers.Merge([1, 2, 3].publisher, [10, 20, 30].publisher).subscribe(recorder)
        #expect(recorder.values.count == 2)
        recorder.request(.max(1))
        #expect(recorder.values.count == 3)
        #expect(recorder.completion == nil)
        recorder.request(.unlimited)
        #expect(recorder.values.sorted() == [1, 2, 3, 10, 20, 30])
        #expect(recorder.completion == .finished)
    }

    @Test func upstreamsAreAskedForOneAtATimeWhileTheDemandHasALimit() {
        let (a, b) = (Probe<Int, Never>(), Probe<Int, Never>())
        let recorder = Recorder<Int, Never>(.none)
        Publishers.Merge(a, b).subscribe(recorder)
        #expect(a.requested.isEmpty)
        recorder.request(.max(2))
        #expect(a.requested == [.max(1)] && b.requested == [.max(1)])
        a.send(1)
        #expect(a.requested == [.max(1), .max(1)])
        #expect(b.requested == [.max(1)])
        recorder.request(.unlimited)
        #expect(a.requested.last == .unlimited && b.requested.last == .unlimited)
    }

    @Test func aDemandThatComesWithTheValueCounts() {
        let recorder = Recorder<Int, Never>(.max(1), more: .max(1))
        Publishers.Merge((1...50).publisher, (51...100).publisher).subscribe(recorder)
        #expect(recorder.values.sorted() == Array(1...100))
        #expect(recorder.completion == .finished)
    }

    @Test func cancellingReachesAll() {
        let (a, b, c) = (Probe<Int, Never>(), Probe<Int, Never>(), Probe<Int, Never>())
        let recorder = Recorder<Int, Never>()
        Publishers.Merge3(a, b, c).subscribe(recorder)
        recorder.cancel()
        a.send(1)
        #expect(a.isCancelled && b.isCancelled && c.isCancelled)
        #expect(recorder.values.isEmpty)
    }

    @Test func aValueSentFromWithinAValueComesAfterIt() {
        let (a, b) = (Subject(), Subject())
        let recorder = Recorder<Int, TestError>()
        recorder.onValue = { if $0 < 3 { b.send($0 + 1) } }
        a.merge(with: b).subscribe(recorder)
        a.send(1)
        #expect(recorder.values == [1, 2, 3])
    }

    @Test func everyArityMerges() {
        func one(_ value: Int) -> Just<Int> { Just(value) }
        func values<P: Publisher>(_ publisher: P) -> [Int] where P.Output == Int, P.Failure == Never {
            let recorder = Recorder<Int, Never>()
            publisher.subscribe(recorder)
            return recorder.completion == .finished ? recorder.values : []
        }
        #expect(values(one(1).merge(with: Empty(), one(2))) == [1, 2])
        #expect(values(one(1).merge(with: one(2), one(3), one(4))) == Array(1...4))
        #expect(values(one(1).merge(with: one(2), one(3), one(4), one(5))) == Array(1...5))
        #expect(values(one(1).merge(with: one(2), one(3), one(4), one(5), one(6))) == Array(1...6))
        #expect(values(one(1).merge(with: one(2), one(3), one(4), one(5), one(6), one(7))) == Array(1...7))
        #expect(values(one(1).merge(with: one(2), one(3), one(4), one(5), one(6), one(7), one(8))) == Array(1...8))
        #expect(values(Publishers.MergeMany((1...9).map(one))) == Array(1...9))
        #expect(values(Publishers.MergeMany([Just<Int>]())) == [])
        #expect(values(one(1).merge(with: one(2))) == [1, 2])
    }

    @Test func chainsKeepTheirTypes() {
        let four: Publishers.Merge4<Just<Int>, Empty<Int, Never>, Just<Int>, Just<Int>> =
            Publishers.Merge(Just(1), Empty()).merge(with: Just(2)).merge(with: Just(3))
        let recorder = Recorder<Int, Never>()
        four.subscribe(recorder)
        #expect(recorder.values == [1, 2, 3])
        #expect(Publishers.Merge(Just(1), Just(2)) == Publishers.Merge(Just(1), Just(2)))
        #expect(Publishers.Merge(Just(1), Just(2)) != Publishers.Merge(Just(1), Just(3)))
        #expect(Publishers.Zip(Just(1), Just(2)) != Publishers.Zip(Just(1), Just(3)))
    }

    @Test func manyThreadsLoseNothingAndNeverOverlap() {
        let subjects = (0..<8).map { _ in PassthroughSubject<Int, Never>() }
        let recorder = Recorder<Int, Never>()
        Publishers.MergeMany(subjects).subscribe(recorder)
        let senders = Senders(subjects)
        DispatchQueue.concurrentPerform(iterations: 8) { index in
            for value in 0..<500 { senders.subjects[index].send(index * 500 + value) }
            senders.subjects[index].send(completion: .finished)
        }
        #expect(recorder.values.sorted() == Array(0..<4000))
        #expect(!recorder.didOverlap)
        #expect(recorder.completion == .finished)
        // What one sent keeps its order.
        let ofThird = recorder.values.filter { $0 / 500 == 3 }
        #expect(ofThird == ofThird.sorted())
    }

    private struct Senders: @unchecked Sendable {
        let subjects: [PassthroughSubject<Int, Never>]
        init(_ subjects: [PassthroughSubject<Int, Never>]) { self.subjects = subjects }
    }
}
