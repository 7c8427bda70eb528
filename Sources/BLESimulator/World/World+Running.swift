import BLEAdapter
import BLERuntime
import BLEWire
import Foundation

extension World {
    /// Lets this much virtual time pass; returns when everything due by then has happened. Ends early when the task is
    /// cancelled.
    public func run(for duration: Duration) async {
        _ = await run { engine, finish in engine.run(for: TimeSpan(duration), until: nil, finish: finish) }
    }

    /// Lets virtual time pass up to and including this time since the world began. Does nothing if that has passed.
    public func run(until time: Duration) async {
        let deadline = Instant.zero + TimeSpan(time)
        _ = await run { engine, finish in engine.run(until: deadline, finish: finish) }
    }

    /// Lets virtual time pass until `condition` holds, or `timeout` has passed. Ends early when the task is cancelled.
    ///
    /// The condition may read objects that delegate methods write, such as an ordinary delegate class, from whatever queue those
    /// methods run on: the world stands still while `condition` is evaluated, no delegate method runs meanwhile, and the
    /// caller waits.
    ///
    /// - Parameters:
    ///   - timeout: the most virtual time that may pass.
    ///   - isolation: the caller's actor, on which `condition` is evaluated; nil: a thread of the world.
    ///   - condition: evaluated before the first and after each step.
    /// - Returns: whether the condition held.
    @discardableResult
    public func run(
        timeout: Duration, isolation: isolated (any Actor)? = #isolation, until condition: @escaping () -> Bool
    ) async -> Bool {
        guard isolation != nil else {
            // A closure of a caller without an actor has no isolation of its own. Its captures are the caller's, and the caller is
            // suspended until the engine's queue is through with the closure.
            nonisolated(unsafe) let condition = condition
            return await run { engine, finish in
                engine.run(for: TimeSpan(timeout), until: .here { condition() }, finish: finish)
            }
        }
        let (questions, asking) = AsyncStream.makeStream(of: Question.self)
        let number = stage.engine.run(
            for: TimeSpan(timeout), until: .elsewhere { asking.yield(.holds(answer: $0)) },
            finish: { asking.yield(.ended($0)) })
        for await question in questions {
            switch question {
            case .holds(let answer): answer(condition())
            case .ended(let isMet): return isMet
            }
        }
        // The task was cancelled.
        stage.engine.abandon(number)
        return false
    }

    /// What the engine tells a run whose condition is evaluated on an actor.
    private enum Question: Sendable {
        case holds(answer: @Sendable (Bool) -> Void)
        case ended(Bool)
    }

    /// The same as ``run(for:)`` for a plain thread, which waits. On the main thread the main queue is kept going.
    @available(*, noasync)
    public func runBlocking(for duration: Duration) {
        runBlocking { engine, finish in engine.run(for: TimeSpan(duration), until: nil, finish: finish) }
    }

    /// The same as ``run(until:)`` for a plain thread, which waits. On the main thread the main queue is kept going.
    @available(*, noasync)
    public func runBlocking(until time: Duration) {
        let deadline = Instant.zero + TimeSpan(time)
        runBlocking { engine, finish in engine.run(until: deadline, finish: finish) }
    }

    /// The same as ``run(timeout:isolation:until:)`` for a plain thread, which waits and evaluates `condition`. On the main thread
    /// the main queue is kept going.
    @available(*, noasync)
    @discardableResult
    public func runBlocking(timeout: Duration, until condition: () -> Bool) -> Bool {
        let questions = BlockingMailbox<Question>()
        _ = stage.engine.run(
            for: TimeSpan(timeout), until: .elsewhere { questions.post(.holds(answer: $0)) },
            finish: { questions.post(.ended($0)) })
        while true {
            switch questions.wait() {
            case .holds(let answer): answer(condition())
            case .ended(let isMet): return isMet
            }
        }
    }

    /// Lets the world run by itself, at its pace, until ``stop()``. At pace ``Pace/unlimited`` it keeps a processor busy as
    /// long as any device has something to do, and rests when none has.
    public func start() { stage.engine.start() }

    /// Ends what ``start()`` began. Time stands still from then on.
    public func stop() { stage.engine.stop() }

    private func run(_ begin: (VirtualTimeEngine, @escaping @Sendable (Bool) -> Void) -> UInt64) async -> Bool {
        let engine = stage.engine
        let goal = Lock<(number: UInt64?, isCancelled: Bool)>((nil, false))
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let number = begin(engine) { continuation.resume(returning: $0) }
                let isCancelled = goal.withLock { goal in
                    goal.number = number
                    return goal.isCancelled
                }
                if isCancelled { engine.abandon(number) }
            }
        } onCancel: {
            let number = goal.withLock { goal in
                goal.isCancelled = true
                return goal.number
            }
            if let number { engine.abandon(number) }
        }
    }

    private func runBlocking(_ begin: (VirtualTimeEngine, @escaping @Sendable (Bool) -> Void) -> UInt64) {
        let end = BlockingMailbox<Bool>()
        _ = begin(stage.engine) { end.post($0) }
        _ = end.wait()
    }
}
