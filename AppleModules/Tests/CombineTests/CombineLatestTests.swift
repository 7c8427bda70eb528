import Combine
import Testing

@Suite struct CombineLatestTests {
    typealias Subject = PassthroughSubject<Int, TestError>

    @Test func aCombinationComesOnceAllHaveAValueThenWithEachChange() {
        let (a, b) = (Subject(), PassthroughSubject<String, TestError>())
        let recorder = Recorder<String, TestError>()
        a.combineLatest(b) { "\($0)\($1)" }.subscribe(recorder)
        a.send(1)
        a.send(2)
        #expect(recorder.values.isEmpty)
        b.send("x")
        a.send(3)
        b.send("y")
        #expect(recorder.values == ["2x", "3x", "3y"])
    }

    @Test func itEndsWhenAllEndAndFailsWithTheFirst() {
        let (a, b) = (Subject(), Subject())
        let recorder = Recorder<Int, TestError>()
        a.combineLatest(b) { $0 + $1 }.subscribe(recorder)
        a.send(1)
        a.send(completion: .finished)
        b.send(2)
        #expect(recorder.values == [3])
        #expect(recorder.completion == nil)
        b.send(completion: .finished)
        #expect(recorder.completion == .finished)

        let (c, d) = (Subject(), Probe<Int, TestError>())
        let second = Recorder<Int, TestError>()
        Publishers.CombineLatest(c, d).map { $0 + $1 }.subscribe(second)
        c.send(completion: .failure(TestError()))
        #expect(second.completion == .failure(TestError()))
        #expect(d.isCancelled)
    }

    @Test func withoutDemandOnlyTheNewestWaits() {
        let (a, b) = (Subject(), Subject())
        let recorder = Recorder<Int, TestError>(.max(1))
        a.combineLatest(b) { $0 * 10 + $1 }.subscribe(recorder)
        a.send(1)
        b.send(1)
        b.send(2)
        b.send(3)
        #expect(recorder.values == [11])
        recorder.request(.max(2))
        #expect(recorder.values == [11, 13])
        a.send(2)
        #expect(recorder.values == [11, 13, 23])
    }

    @Test func threeAndFourCombine() {
        let three = Recorder<[Int], Never>()
        Just(1).combineLatest(Just(2), [3, 4].publisher).map { [$0, $1, $2] }.subscribe(three)
        #expect(three.values == [[1, 2, 3], [1, 2, 4]])
        #expect(three.completion == .finished)
        let four = Recorder<Int, Never>()
        Just(1).combineLatest(Just(2), Just(3), Just(4)) { $0 + $1 + $2 + $3 }.subscribe(four)
        #expect(four.values == [10])
    }

    @Test func optionalValuesAreValues() {
        let a = PassthroughSubject<Int?, Never>()
        let recorder = Recorder<Bool, Never>()
        a.combineLatest(Just(1)) { value, _ in value == nil }.subscribe(recorder)
        a.send(nil)
        a.send(1)
        #expect(recorder.values == [true, false])
    }

    @Test func cancellingReachesAll() {
        let (a, b) = (Probe<Int, Never>(), Probe<Int, Never>())
        let recorder = Recorder<Int, Never>()
        a.combineLatest(b) { $0 + $1 }.subscribe(recorder)
        recorder.cancel()
        #expect(a.isCancelled && b.isCancelled)
    }
}
