import BLEAdapter
import BLEWire
import Testing

@testable import BLEBlueZAdapter

/// A session of a peripheral that is disturbed at each of its messages reaches its goals, and leaves nothing behind.
struct PeripheralEndingTests {
    private static let limit = 900

    /// Runs a session to its end.
    ///
    /// - Parameter isRecent: Whether subscribers have sockets; else values are signals.
    static func run(
        _ disturbance: Disturbance, isRecent: Bool, _ undisturbed: Census? = nil
    ) -> Outcome {
        let bench = EndingBench(disturbance, isRecent: isRecent)
        var outcome = Outcome()
        var program: PeripheralProgram? = PeripheralProgram(bench, isRecent: isRecent)
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
        if let undisturbed { outcome.failures += census.differences(from: undisturbed) }
        outcome.trace = program?.trace.suffix(30) ?? []
        program?.release()
        program = nil
        bench.release()
        bench.scheduler.run(for: .seconds(30))
        outcome.failures += bench.leftovers().map { "\($0) left" }
        return outcome
    }

    @Test(arguments: [true, false]) func anUndisturbedSessionReachesItsGoals(isRecent: Bool) {
        let outcome = Self.run(.none, isRecent: isRecent)
        #expect(outcome.failures == [])
        #expect(outcome.messages > 20)
    }

    @Test(arguments: Fault.allCases, [true, false])
    func aFaultAtEachMessageIsSurvived(fault: Fault, isRecent: Bool) {
        let undisturbed = Self.run(.none, isRecent: isRecent)
        var failures = Failures()
        for number in 0...undisturbed.messages {
            let outcome = Self.run(.fault(fault, number), isRecent: isRecent, undisturbed.census)
            failures.add("\(fault) at message \(number)", outcome)
        }
        #expect(failures.lines == [])
    }

    @Test(arguments: WrongAnswer.allCases) func aWrongAnswerToEachCallIsSurvived(answer: WrongAnswer) {
        let undisturbed = Self.run(.none, isRecent: true)
        var failures = Failures()
        for number in 0..<undisturbed.calls {
            let outcome = Self.run(.answer(answer, number), isRecent: true, undisturbed.census)
            failures.add("\(answer) to call \(number)", outcome)
        }
        #expect(failures.lines == [])
    }
}
