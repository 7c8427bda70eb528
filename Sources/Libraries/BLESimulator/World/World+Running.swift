import BLEAdapter
import BLEVirtualRadio
import BLEWire
import Foundation

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
                engine.run(for: TimeSpan(timeout), until: .onEngineQueue { condition() }, finish: finish)
            }
        }
        let engine = radio.engine
        let (requests, requesting) = AsyncStream.makeStream(of: Request.self)
        let number = engine.run(
            for: TimeSpan(timeout), until: .elsewhere { requesting.yield(.evaluate(answer: $0)) },
            finish: { requesting.yield(.ended($0)) })
        for await request in requests {
            switch request {
            case .evaluate(let answer): answer(engine.evaluate(condition))
            case .ended(let isMet): return isMet
            }
        }
        // The task was cancelled.
        engine.abandon(number)
        return false
    }

    /// Does what is due at the present time, with the calls that programs have made since the last run. Time does not pass.
    package func settle() async {
        _ = await run { engine, finish in
            engine.run(for: nil, until: .onEngineQueue { engine.isSettled }, finish: finish)
        }
    }

    /// A message of the engine to a run whose condition is evaluated elsewhere.
    private enum Request: Sendable {
        case evaluate(answer: @Sendable (Bool) -> Void)
        case ended(Bool)
    }

    /// The same as ``run(for:)`` for a plain thread, which waits. On the main thread the main queue keeps running.
    ///
    /// - Precondition: the caller is not inside a callback or condition of this world, where time stands still.
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
        requireMovableTime()
        let engine = radio.engine
        let requests = BlockingMailbox<Request>()
        _ = engine.run(
            for: TimeSpan(timeout), until: .elsewhere { requests.post(.evaluate(answer: $0)) },
            finish: { requests.post(.ended($0)) })
        while true {
            switch requests.wait() {
            case .evaluate(let answer): answer(engine.evaluate(condition))
            case .ended(let isMet): return isMet
            }
        }
    }

    /// Advances virtual time up to and including a time since the world began, and blocks the thread. Returns early when `isInterrupted` returns true.
    ///
    /// At the end, everything that is due at the time reached is done. A run in several parts is therefore equal to a run in one part, and a call
    /// between two parts happens at a defined place of the run. ``runBlocking(timeout:until:)`` evaluates its condition on the calling thread, which costs
    /// a change of threads for each step; this method evaluates it on the world's queue and costs a call. A clock that stops every few milliseconds of real time, or after
    /// a number of packets, uses this method.
    ///
    /// ```swift
    /// /// Advances at most an hour of virtual time, and at most 10 ms of real time.
    /// func advance(_ world: World) {
    ///     let end = ContinuousClock.now + .milliseconds(10)
    ///     world.runBlocking(until: world.now + .seconds(3600)) { _ in ContinuousClock.now >= end }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - time: The time since the world began. In the past, the method only does what is due.
    ///   - isInterrupted: Called after each step on the world's queue, with the number of callbacks that the world has run since it began. No callback runs meanwhile, so
    ///     the closure may read objects that callbacks change. It must be fast and must not call the world.
    /// - Precondition: The caller is not inside a callback, a condition or an observer of this world, where time stands still.
    @available(*, noasync)
    public func runBlocking(
        until time: Duration, interruptedBy isInterrupted: @escaping @Sendable (_ callbackCount: Int) -> Bool
    ) {
        requireMovableTime()
        let engine = radio.engine
        let deadline = Instant.zero + TimeSpan(time)
        let end = BlockingMailbox<Bool>()
        if deadline > engine.currentTime {
            let interruption = VirtualTimeEngine.Condition.onEngineQueue { isInterrupted(engine.callbackCount) }
            engine.run(for: deadline - engine.currentTime, until: interruption, finish: { end.post($0) })
            _ = end.wait()
        }
        engine.run(for: nil, until: .onEngineQueue { engine.isSettled }, finish: { end.post($0) })
        _ = end.wait()
    }

    /// Lets the world run by itself, at its pace, until ``stop()``. At pace ``Pace/unlimited`` it keeps a processor busy as
    /// long as any device has something to do, and rests when none has.
    public func start() { radio.engine.start() }

    /// Ends what ``start()`` began. Time stands still from then on.
    public func stop() { radio.engine.stop() }

    private func run(_ begin: (VirtualTimeEngine, @escaping @Sendable (Bool) -> Void) -> UInt64) async -> Bool {
        let engine = radio.engine
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
        requireMovableTime()
        let end = BlockingMailbox<Bool>()
        _ = begin(radio.engine) { end.post($0) }
        _ = end.wait()
    }

    /// Ends the program where a blocking run would wait for ever.
    private func requireMovableTime() {
        precondition(
            !radio.engine.isHeldByCaller,
            "World.runBlocking was called inside a delegate callback, a condition or an observer of the same world. Virtual time stands "
                + "still until that returns, so the run would never end. Return first, and run the world from a test or a thread of its own."
        )
    }
}
