import BLERuntime
import BLEWire
import Foundation
import Synchronization

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

    /// Lets virtual time pass until `condition` holds, or `timeout` has passed.
    ///
    /// - Parameters:
    ///   - timeout: the most virtual time that may pass.
    ///   - condition: asked before the first and after each step, while the world stands still, on a thread of the world's.
    /// - Returns: whether the condition held.
    @discardableResult
    public func run(timeout: Duration, until condition: @escaping @Sendable () -> Bool) async -> Bool {
        await run { engine, finish in engine.run(for: TimeSpan(timeout), until: condition, finish: finish) }
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

    /// The same as ``run(timeout:until:)`` for a plain thread, which waits. On the main thread the main queue is kept
    /// going.
    @available(*, noasync)
    @discardableResult
    public func runBlocking(timeout: Duration, until condition: @escaping @Sendable () -> Bool) -> Bool {
        runBlocking { engine, finish in engine.run(for: TimeSpan(timeout), until: condition, finish: finish) }
    }

    /// Lets the world run by itself, at its pace, until ``stop()``. At pace ``Pace/unlimited`` it keeps a processor busy as
    /// long as any device has something to do, and rests when none has.
    public func start() { stage.engine.start() }

    /// Ends what ``start()`` began. Time stands still from then on.
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

    @discardableResult
    private func runBlocking(_ begin: (VirtualTimeEngine, @escaping @Sendable (Bool) -> Void) -> UInt64) -> Bool {
        guard Thread.isMainThread else {
            let done = DispatchSemaphore(value: 0)
            let result = Mutex(false)
            _ = begin(stage.engine) { isMet in
                result.withLock { $0 = isMet }
                done.signal()
            }
            done.wait()
            return result.withLock { $0 }
        }
        // The main queue only moves inside the main run loop; a block on that queue ends its wait.
        let outcome = Mutex<Bool?>(nil)
        _ = begin(stage.engine) { isMet in
            outcome.withLock { $0 = isMet }
            DispatchQueue.main.async {}
        }
        while true {
            if let isMet = outcome.withLock({ $0 }) { return isMet }
            _ = RunLoop.main.run(mode: .default, before: Date(timeIntervalSinceNow: 0.02))
        }
    }
}
