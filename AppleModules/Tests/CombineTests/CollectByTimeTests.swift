import Combine
import Testing

@Suite struct CollectByTimeTests {
    @Test func valuesComeAtTheEndOfTheirInterval() {
        let scheduler = VirtualScheduler()
        let subject = PassthroughSubject<Int, TestError>()
        let recorder = Recorder<[Int], TestError>()
        subject.collect(.byTime(scheduler, .seconds(1))).subscribe(recorder)
        subject.send(1)
        subject.send(2)
        #expect(recorder.values.isEmpty)
        scheduler.advance(by: 1)
        #expect(recorder.values == [[1, 2]])
        scheduler.advance(by: 3)
        #expect(recorder.values == [[1, 2]])
        subject.send(3)
        subject.send(completion: .finished)
        #expect(recorder.values == [[1, 2], [3]])
        #expect(recorder.completion == .finished)
        #expect(scheduler.pending == 0)
    }

    @Test func aFullArrayDoesNotWait() {
        let scheduler = VirtualScheduler()
        let subject = PassthroughSubject<Int, Never>()
        let recorder = Recorder<[Int], Never>()
        subject.collect(.byTimeOrCount(scheduler, .seconds(1), 2)).subscribe(recorder)
        for value in 1...5 { subject.send(value) }
        #expect(recorder.values == [[1, 2], [3, 4]])
        scheduler.advance(by: 1)
        #expect(recorder.values == [[1, 2], [3, 4], [5]])
    }

    @Test func aFailureComesWithoutTheRest() {
        let scheduler = VirtualScheduler()
        let subject = PassthroughSubject<Int, TestError>()
        let recorder = Recorder<[Int], TestError>()
        subject.collect(.byTime(scheduler, .seconds(1))).subscribe(recorder)
        subject.send(1)
        subject.send(completion: .failure(TestError()))
        #expect(recorder.values.isEmpty)
        #expect(recorder.completion == .failure(TestError()))
    }

    @Test func demandIsKeptAndCancellingStopsTheTimer() {
        let scheduler = VirtualScheduler()
        let probe = Probe<Int, Never>()
        let recorder = Recorder<[Int], Never>(.max(1))
        probe.collect(.byTime(scheduler, .seconds(1))).subscribe(recorder)
        for value in 1...3 {
            probe.send(value)
            scheduler.advance(by: 1)
        }
        #expect(recorder.values == [[1]])
        recorder.request(.max(1))
        #expect(recorder.values == [[1], [2]])
        recorder.cancel()
        #expect(probe.isCancelled)
        #expect(scheduler.pending == 0)
    }
}
