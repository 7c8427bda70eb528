import Combine
import Testing

// How operators end.
extension Aspect {
    static let withTheUpstream = Aspect("with its upstream") { row in
        for completion in [Subscribers.Completion<TestError>.finished, .failure(TestError())] {
            let bench = Bench(row)
            bench.play()
            #expect(bench.values == row.gives)
            #expect(bench.completion == nil)
            bench.end(completion)
            #expect(bench.values == row.gives)
            #expect(bench.completion == completion)
        }
    }

    static let whenTheUpstreamFinishes = Aspect("when its upstream finishes") { row in
        let bench = Bench(row)
        bench.play()
        #expect(bench.values == row.gives && bench.completion == nil)
        bench.end(.finished)
        #expect(bench.values == row.gives && bench.completion == .finished)
    }

    /// It has one value, known when the upstream finishes.
    static let withItsValue = Aspect("with its value when the upstream finishes; at once when that fails") { row in
        let bench = Bench(row)
        bench.play()
        #expect(bench.values.isEmpty && bench.completion == nil)
        bench.end(.finished)
        #expect(bench.values == row.gives && bench.completion == .finished)
        let failed = Bench(row)
        failed.play()
        failed.end(.failure(TestError()))
        #expect(failed.values.isEmpty && failed.completion == .failure(TestError()))
    }

    static let atOnce = Aspect(
        "right after the element that decides, and cancels its upstream; with its upstream if there is no such element"
    ) { row in
        let bench = Bench(row)
        bench.play()
        #expect(bench.values == row.gives)
        #expect(bench.completion == .finished)
        #expect(bench.source.isCancelled)
        let failed = Bench(row)
        failed.end(.failure(TestError()))
        #expect(failed.completion == .failure(TestError()))
    }

    /// What the closures of the rows throw at the element -1.
    static let orThrows = Aspect("a thrown error ends it and cancels its upstream") { row in
        let bench = Bench(row)
        bench.source.send(-1)
        #expect(bench.completion == .failure(TestError()))
        #expect(bench.source.isCancelled)
    }
}

// What operators ask for.
extension Aspect {
    static let theSame = Aspect("what it is asked for") { row in
        let bench = Bench(row, .none)
        #expect(bench.source.asked == .none)
        bench.recorder.request(.max(2))
        bench.scheduler.advance(by: 0)
        #expect(bench.source.asked == .max(2))
        bench.recorder.request(.max(3))
        bench.scheduler.advance(by: 0)
        #expect(bench.source.asked == .max(5))
        bench.recorder.request(.unlimited)
        bench.scheduler.advance(by: 0)
        #expect(bench.source.asked == .unlimited)
    }

    static func theSame(andReplaces dropped: Int...) -> Aspect {
        Aspect("what it is asked for, and one more for each dropped element") { row in
            theSame.prove(row)
            let bench = Bench(row, .max(1))
            bench.source.send(dropped)
            #expect(bench.values.isEmpty)
            #expect(bench.source.asked == .max(1 + dropped.count))
        }
    }

    static let allAndWaits = Aspect("all; its value waits until it is asked for") { row in
        let bench = Bench(row, .none)
        #expect(bench.source.asked == .unlimited)
        bench.play()
        bench.source.end(.finished)
        #expect(bench.values.isEmpty && bench.completion == nil)
        bench.recorder.request(.max(1))
        #expect(bench.values == row.gives && bench.completion == .finished)
    }

    static let allAndDrops = Aspect("all; a value that comes without demand is dropped") { row in
        let bench = Bench(row, .none)
        #expect(bench.source.asked == .unlimited)
        bench.play()
        bench.recorder.request(.unlimited)
        bench.scheduler.advance(by: row.time)
        #expect(bench.values.isEmpty)
        bench.play()
        #expect(!bench.values.isEmpty)
    }
}

// What a cancellation does.
extension Aspect {
    static let theUpstream = Aspect("cancels its upstream") { row in
        let bench = Bench(row)
        #expect(!bench.source.isCancelled)
        bench.cancel()
        #expect(bench.source.isCancelled)
        bench.play()
        bench.end(.finished)
        #expect(bench.values.isEmpty && bench.completion == nil)
    }

    static let both = Aspect("cancels all its upstreams") { row in
        let bench = Bench(row)
        #expect(!bench.source.isCancelled && !bench.other.isCancelled)
        bench.cancel()
        #expect(bench.source.isCancelled && bench.other.isCancelled)
    }

    static let andValuesOnTheirWay = Aspect("cancels its upstream and the values on their way") { row in
        let bench = Bench(row)
        bench.source.send(row.feed)
        let before = bench.values
        bench.recorder.cancel()
        #expect(bench.source.isCancelled)
        bench.scheduler.advance(by: 100)
        #expect(bench.values == before && bench.completion == nil)
        bench.end(.finished)
        #expect(bench.scheduler.pending == 0 && bench.completion == nil)
    }

    static let andWhatIsOnItsWay = Aspect("cancels its upstream and what is on its way, values and end") { row in
        andValuesOnTheirWay.prove(row)
        let ended = Bench(row)
        ended.source.send(row.feed)
        ended.source.end(.finished)
        ended.recorder.cancel()
        ended.scheduler.advance(by: 100)
        #expect(ended.completion == nil)
    }
}
