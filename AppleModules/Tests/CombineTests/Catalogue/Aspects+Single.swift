import Combine
import Testing

// What holds for one operator or two.
extension Aspect {
    static let throwsAtTheSecond = Aspect("a thrown error ends it and cancels its upstream") { row in
        let bench = Bench(row)
        bench.source.send(1, -1)
        #expect(bench.completion == .failure(TestError()))
        #expect(bench.source.isCancelled)
    }

    static let replacesNothing = Aspect("without any element its own comes first, once it is asked for") { row in
        let bench = Bench(row, .none)
        bench.end(.finished)
        #expect(bench.values.isEmpty && bench.completion == nil)
        bench.recorder.request(.max(1))
        #expect(bench.values == ["0"] && bench.completion == .finished)
        let failed = Bench(row)
        failed.end(.failure(TestError()))
        #expect(failed.values.isEmpty && failed.completion == .failure(TestError()))
    }

    static let replacesTheFailure = Aspect("a failure becomes its element, once it is asked for, and the end") { row in
        let bench = Bench(row, .max(1))
        bench.source.send(1)
        bench.end(.failure(TestError()))
        #expect(bench.values == ["1"] && bench.completion == nil)
        bench.recorder.request(.max(1))
        #expect(bench.values == ["1", "0"] && bench.completion == .finished)
    }

    static let replacesARepeated = Aspect("one more for each repeated element") { row in
        let bench = Bench(row, .max(1))
        bench.source.send(1, 1, 1)
        #expect(bench.values == ["1"])
        #expect(bench.source.asked == .max(3))
    }

    static let all = Aspect("all") { row in
        #expect(Bench(row, .none).source.asked == .unlimited)
    }

    static let withTheRest = Aspect("with the rest when its upstream finishes; without it when that fails") { row in
        let bench = Bench(row)
        bench.play()
        #expect(bench.values == ["[1, 2]"] && bench.completion == nil)
        bench.end(.finished)
        #expect(bench.values == ["[1, 2]", "[3]"] && bench.completion == .finished)
        let failed = Bench(row)
        failed.play()
        failed.end(.failure(TestError()))
        #expect(failed.values == ["[1, 2]"] && failed.completion == .failure(TestError()))
    }

    static func asMany(times factor: Int) -> Aspect {
        Aspect("as many elements as the arrays hold that it is asked for") { row in
            let bench = Bench(row, .max(2))
            #expect(bench.source.asked == .max(2 * factor))
            bench.recorder.request(.max(1))
            #expect(bench.source.asked == .max(3 * factor))
        }
    }

    static let allAndKeepsArrays = Aspect("all from the first request on; arrays wait until they are asked for") {
        row in
        let bench = Bench(row, .max(1))
        #expect(bench.source.asked == .unlimited)
        bench.play()
        bench.play()
        #expect(bench.values == row.gives)
        bench.recorder.request(.max(1))
        #expect(bench.values == row.gives + row.gives)
    }

    static let atTheSignal = Aspect("at the first element of the other, however that ends") { row in
        let bench = Bench(row)
        #expect(bench.other.asked == .max(1))
        bench.source.send(1)
        bench.other.send(0)
        #expect(bench.values == ["1"] && bench.completion == .finished)
        #expect(bench.source.isCancelled && bench.other.isCancelled)
        let other = Bench(row)
        other.other.end(.failure(TestError()))
        other.play()
        #expect(other.values == row.gives && other.completion == nil)
    }

    static let withTheSignalThatNeverCame = Aspect("with the other one if that has no element") { row in
        let bench = Bench(row)
        bench.other.end(.finished)
        #expect(bench.completion == .finished && bench.source.isCancelled)
        let opened = Bench(row, .max(2))
        opened.source.send(1)
        opened.other.send(0)
        opened.other.end(.finished)
        opened.source.send(2, 3)
        #expect(opened.values == ["2", "3"] && opened.completion == nil)
        opened.end(.failure(TestError()))
        #expect(opened.completion == .failure(TestError()))
    }

    static let oneMoreAtTheStart = Aspect("what it is asked for and as many as it drops") { row in
        let bench = Bench(row, .max(2))
        #expect(bench.source.asked == .max(3))
        bench.recorder.request(.max(1))
        #expect(bench.source.asked == .max(4))
    }
}

// Two upstreams after each other.
extension Aspect {
    static let withTheAppended = Aspect("with its own elements when the upstream finishes; at once when that fails") {
        row in
        let bench = Bench(row, .max(4))
        bench.play()
        bench.end(.finished)
        #expect(bench.values == ["1", "2", "3", "8"] && bench.completion == nil)
        bench.recorder.request(.max(1))
        #expect(bench.values == ["1", "2", "3", "8", "9"] && bench.completion == .finished)
        let failed = Bench(row)
        failed.end(.failure(TestError()))
        #expect(failed.values.isEmpty && failed.completion == .failure(TestError()))
    }

    static let withTheSecond = Aspect("with the second; with the first if that fails") { row in
        for completion in [Subscribers.Completion<TestError>.finished, .failure(TestError())] {
            let bench = Bench(row)
            bench.play()
            #expect(bench.other.subscriptions == 0)
            bench.end(.finished)
            bench.other.send(4)
            #expect(bench.values == row.gives + ["4"] && bench.completion == nil)
            bench.other.end(completion)
            #expect(bench.completion == completion)
        }
        let failed = Bench(row)
        failed.end(.failure(TestError()))
        #expect(failed.completion == .failure(TestError()) && failed.other.subscriptions == 0)
    }

    static let theSameOfTheSecond = Aspect("what it is asked for; of the second what is left") { row in
        let bench = Bench(row, .max(5))
        #expect(bench.source.asked == .max(5))
        bench.play()
        bench.end(.finished)
        #expect(bench.other.asked == .max(2))
        bench.recorder.request(.max(1))
        #expect(bench.other.asked == .max(3))
    }

    static let whatIsLeft = Aspect("what is left when its own elements are gone") { row in
        let bench = Bench(row, .max(1))
        #expect(bench.values == ["8"] && bench.source.subscriptions == 0)
        bench.recorder.request(.max(4))
        #expect(bench.values == ["8", "9"] && bench.source.asked == .max(3))
    }

    static let afterThePrepended = Aspect("cancels its upstream once that has begun, else never begins it") { row in
        let bench = Bench(row)
        bench.cancel()
        #expect(bench.source.isCancelled)
        let early = Bench(row, .max(1))
        early.cancel()
        #expect(early.source.subscriptions == 0 && early.values == ["8"])
    }

    static let withTheFirst = Aspect("with its upstream, which comes second; with the first if that fails") { row in
        let bench = Bench(row)
        #expect(bench.source.subscriptions == 0)
        bench.other.end(.finished)
        bench.play()
        bench.end(.finished)
        #expect(bench.values == row.gives && bench.completion == .finished)
        let failed = Bench(row)
        failed.other.end(.failure(TestError()))
        #expect(failed.completion == .failure(TestError()) && failed.source.subscriptions == 0)
    }

    static let theSameOfTheFirst = Aspect("what it is asked for; of its upstream what is left") { row in
        let bench = Bench(row, .max(3))
        #expect(bench.other.asked == .max(3))
        bench.other.send(7)
        bench.other.end(.finished)
        #expect(bench.source.asked == .max(2))
    }

    static let thePrepended = Aspect("cancels the one that runs") { row in
        let bench = Bench(row)
        bench.cancel()
        #expect(bench.other.isCancelled && bench.source.subscriptions == 0)
        let later = Bench(row)
        later.other.end(.finished)
        later.cancel()
        #expect(later.source.isCancelled)
    }
}

// Several upstreams at the same time.
extension Aspect {
    static let withTheLast = Aspect("with the last of them; at once when one fails, and cancels the others") { row in
        let bench = Bench(row)
        bench.play()
        #expect(bench.values == row.gives)
        bench.source.end(.finished)
        #expect(bench.completion == nil)
        bench.other.end(.finished)
        #expect(bench.completion == .finished)
        let failed = Bench(row)
        failed.other.end(.failure(TestError()))
        #expect(failed.completion == .failure(TestError()) && failed.source.isCancelled)
    }

    static let allOfBoth = Aspect("all of each; a later tuple replaces one without demand") { row in
        let bench = Bench(row, .none)
        #expect(bench.source.asked == .none && bench.other.asked == .none)
        bench.recorder.request(.max(1))
        #expect(bench.source.asked == .unlimited && bench.other.asked == .unlimited)
        bench.other.send(10)
        bench.source.send(1, 2, 3)
        #expect(bench.values == ["(1, 10)"])
        bench.recorder.request(.max(1))
        #expect(bench.values == ["(1, 10)", "(3, 10)"])
    }

    static let oneOfEach = Aspect("one of each at a time, all once it is asked for all") { row in
        let bench = Bench(row, .max(5))
        #expect(bench.source.asked == .max(1) && bench.other.asked == .max(1))
        bench.source.send(1)
        #expect(bench.source.asked == .max(2) && bench.other.asked == .max(1))
        bench.recorder.request(.unlimited)
        #expect(bench.source.asked == .unlimited && bench.other.asked == .unlimited)
    }

    static let withTheFirstThatIsUsedUp = Aspect(
        "with the first that has ended and whose elements are used up; at once when one fails"
    ) { row in
        let bench = Bench(row)
        bench.source.send(1, 2)
        bench.source.end(.finished)
        bench.other.send(10)
        #expect(bench.values == ["(1, 10)"] && bench.completion == nil)
        bench.other.send(20)
        #expect(bench.values == ["(1, 10)", "(2, 20)"] && bench.completion == .finished)
        #expect(bench.other.isCancelled)
        let failed = Bench(row)
        failed.source.send(1)
        failed.other.end(.failure(TestError()))
        #expect(failed.completion == .failure(TestError()) && failed.source.isCancelled)
    }

    static let theSameOfBoth = Aspect("what it is asked for, of each") { row in
        let bench = Bench(row, .max(2))
        #expect(bench.source.asked == .max(2) && bench.other.asked == .max(2))
        bench.source.send(1)
        bench.other.send(1)
        bench.recorder.request(.max(1))
        #expect(bench.source.asked == .max(3) && bench.other.asked == .max(3))
        let refilled = Bench(row, .max(1), more: .max(1))
        refilled.source.send(1)
        refilled.other.send(1)
        #expect(refilled.source.asked == .max(2) && refilled.other.asked == .max(2))
    }

    static let withTheLastInner = Aspect(
        "when its upstream has finished and the last publisher too; at once when one fails, and cancels the others"
    ) { row in
        let bench = Bench(row)
        bench.source.send(1, 2, 9)
        bench.source.end(.finished)
        #expect(bench.values == ["1", "2"] && bench.completion == nil)
        bench.other.send(3)
        bench.other.end(.finished)
        #expect(bench.values == ["1", "2", "3"] && bench.completion == .finished)
        let inner = Bench(row)
        inner.source.send(9)
        inner.other.end(.failure(TestError()))
        #expect(inner.completion == .failure(TestError()) && inner.source.isCancelled)
        let outer = Bench(row)
        outer.source.send(9)
        outer.source.end(.failure(TestError()))
        #expect(outer.completion == .failure(TestError()) && outer.other.isCancelled)
    }

    static let oneOfEachInner = Aspect(
        "as many publishers as it may, one element of each at a time, all once it is asked for all"
    ) { row in
        let bench = Bench(row, .max(1))
        #expect(bench.source.asked == .unlimited)
        bench.source.send(9)
        #expect(bench.other.asked == .max(1))
        bench.other.send(1)
        #expect(bench.values == ["1"] && bench.other.asked == .max(2))
        bench.other.send(2)
        #expect(bench.values == ["1"] && bench.other.asked == .max(2))
        bench.recorder.request(.unlimited)
        #expect(bench.values == ["1", "2"] && bench.other.asked == .unlimited)
    }

    static let allOfTheOuter = Aspect("all publishers; of the latest what it is asked for and is still open") { row in
        let bench = Bench(row, .max(3))
        #expect(bench.source.asked == .unlimited)
        bench.source.send(1, 9)
        #expect(bench.values == ["1"] && bench.other.asked == .max(2))
        bench.recorder.request(.max(2))
        #expect(bench.other.asked == .max(4))
    }

    static let innersToo = Aspect("cancels its upstream and the publishers that run") { row in
        let bench = Bench(row)
        bench.source.send(9)
        bench.cancel()
        #expect(bench.source.isCancelled && bench.other.isCancelled)
    }
}
