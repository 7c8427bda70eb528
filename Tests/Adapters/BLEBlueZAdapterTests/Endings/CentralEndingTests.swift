import BLEAdapter
import BLEWire
import Testing

@testable import BLEBlueZAdapter

/// What a session led to.
struct Outcome {
    var messages = 0
    var calls = 0
    var failures: [String] = []
    /// The last events of a session that failed.
    var trace: [String] = []
    var census: Census?
}

/// The failures of many sessions: the first one with its events.
struct Failures {
    private(set) var lines: [String] = []

    mutating func add(_ title: String, _ outcome: Outcome) {
        guard !outcome.failures.isEmpty else { return }
        if lines.isEmpty { lines = outcome.trace }
        lines.append("\(title): \(outcome.failures.joined(separator: "; "))")
    }
}

/// A session of a central that is disturbed at each of its messages reaches its goals, and leaves nothing behind.
struct CentralEndingTests {
    /// The longest time of a session, in seconds.
    private static let limit = 900

    /// Runs a session to its end.
    static func run(_ disturbance: Disturbance, _ undisturbed: Census? = nil, version: Int = 87) -> Outcome {
        let bench = EndingBench(disturbance, version: version)
        var outcome = Outcome()
        let allowsWrongValues = if case .answer = disturbance { true } else { false }
        var program: CentralProgram? = CentralProgram(bench, allowsWrongValues: allowsWrongValues)
        let end = Instant.zero + .seconds(limit)
        while let program, !program.isDone, bench.scheduler.now < end, program.violations.isEmpty {
            bench.scheduler.run(for: .milliseconds(20))
            program.step()
        }
        if program?.isDone != true {
            outcome.failures.append("it does not reach its goals: \(program?.situation ?? "")")
        }
        (outcome.messages, outcome.calls) = (bench.messages, bench.calls)
        bench.rest()
        outcome.failures += program?.violations ?? []
        let census = bench.census()
        outcome.census = census
        if let undisturbed {
            outcome.failures += census.differences(from: undisturbed)
        }
        outcome.trace = program?.trace.suffix(30) ?? []
        program?.release()
        program = nil
        bench.release()
        bench.scheduler.run(for: .seconds(30))
        outcome.failures += bench.leftovers().map { "\($0) left" }
        return outcome
    }

    @Test func anUndisturbedSessionReachesItsGoals() {
        let outcome = Self.run(.none)
        #expect(outcome.failures == [])
        #expect(outcome.messages >= 50)
    }

    @Test(arguments: Fault.allCases) func aFaultAtEachMessageIsSurvived(fault: Fault) {
        let undisturbed = Self.run(.none)
        var failures = Failures()
        for number in 0...undisturbed.messages {
            let outcome = Self.run(.fault(fault, number), undisturbed.census)
            failures.add("\(fault) at message \(number)", outcome)
        }
        #expect(failures.lines == [])
    }

    /// bluetoothd of an older system tells less.
    @Test(arguments: [Fault.end, .objects]) func aFaultOfAnOlderVersionIsSurvived(fault: Fault) {
        let undisturbed = Self.run(.none, version: 55)
        var failures = Failures()
        for number in 0...undisturbed.messages {
            let outcome = Self.run(.fault(fault, number), undisturbed.census, version: 55)
            failures.add("\(fault) at message \(number)", outcome)
        }
        #expect(failures.lines == [])
    }

    @Test(arguments: Fault.allCases) func anotherFaultSoonAfterIsSurvived(fault: Fault) {
        let gap = 3
        let undisturbed = Self.run(.none)
        var failures = Failures()
        for number in 0...undisturbed.messages {
            let outcome = Self.run(.twice(fault, number, gap: gap), undisturbed.census)
            failures.add("\(fault) at message \(number) and \(gap) later", outcome)
        }
        #expect(failures.lines == [])
    }

    @Test(arguments: WrongAnswer.allCases) func aWrongAnswerToEachCallIsSurvived(answer: WrongAnswer) {
        let undisturbed = Self.run(.none)
        var failures = Failures()
        for number in 0..<undisturbed.calls {
            let outcome = Self.run(.answer(answer, number), undisturbed.census)
            failures.add("\(answer) to call \(number)", outcome)
        }
        #expect(failures.lines == [])
    }
}
