import BLEAdapter
import BLERuntime
import BLEWire
import Foundation
import Synchronization

extension World {
    /// Advances virtual time by a duration. Returns when all events in that time are processed. Ends early when the task is
    /// cancelled.
    public func run(for duration: Duration) async {
        _ = await run { engine, finish in engine.run(for: TimeSpan(duration), until: nil, finish: finish) }
    }

    /// Advances virtual time up to and including a time since the start of the world. A time in the past has no effect.
    public func run(until time: Duration) async {
        let deadline = Instant.zero + TimeSpan(time)
        _ = await run { engine, finish in engine.run(until: deadline, finish: finish) }
    }

    /// Advances virtual time until `condition` returns true or `timeout` has passed. Ends early when the task is cancelled.
    ///
    /// The condition may read objects that delegate methods change on any queue: while the world evaluates it, time stands still,
    /// no delegate method runs, and the caller waits.
    ///
    /// - Parameters:
    ///   - timeout: The most virtual time that may pass.
    ///   - isolation: The actor on which `condition` is evaluated; nil selects a thread of the world.
    ///   - condition: Evaluated before the first and after each step.
    /// - Returns: Whether the condition returned true.
    @discardableResult
    public func run(
        timeout: Duration, isolation: isolated (any Actor)? = #isolation, until condition: @escaping () -> Bool
    ) async -> Bool {
        guard isolation != nil else {
            // A closure of a caller without an actor has no isolation. The caller owns its captures, and is suspended until the
            // engine's queue has finished with the closure.
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

    /// The events of a run whose condition is evaluated on an actor.
    private enum Question: Sendable {
        case holds(answer: @Sendable (Bool) -> Void)
        case ended(Bool)
    }

    /// Advances virtual time like ``run(for:)`` and blocks the thread. On the main thread it runs the main queue meanwhile.
    @available(*, noasync)
    public func runBlocking(for duration: Duration) {
        runBlocking { engine, finish in engine.run(for: TimeSpan(duration), until: nil, finish: finish) }
    }

    /// Advances virtual time like ``run(until:)`` and blocks the thread. On the main thread it runs the main queue meanwhile.
    @available(*, noasync)
    public func runBlocking(until time: Duration) {
        let deadline = Instant.zero + TimeSpan(time)
        runBlocking { engine, finish in engine.run(until: deadline, finish: finish) }
    }

    /// Advances virtual time like ``run(timeout:isolation:until:)``, blocks the thread, and evaluates `condition` on it. On the
    /// main thread it runs the main queue meanwhile.
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

    /// Runs the world at its pace until ``stop()``. At the pace ``Pace/unlimited`` the world uses a whole processor while any
    /// device has events.
    public func start() { stage.engine.start() }

    /// Stops the run that ``start()`` began. Time stands still from then on.
    public func stop() { stage.engine.stop() }

    private func run(_ begin: (VirtualTimeEngine, @escaping @Sendable (Bool) -> Void) -> UInt64) async -> Bool {
        let engine = stage.engine
        let goal = Mutex<(number: UInt64?, isCancelled: Bool)>((nil, false))
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
