import BLEAdapter
import Dispatch
import Foundation
import Phrases
import Synchronization

/// Runs a room in virtual time on a thread of its own.
///
/// The thread alternates between calls and slices of time. A call therefore always finds the room at rest, and waits for at most one slice.
package final class RoomEngine: Sendable {
    private struct Call {
        /// Whether the call waits for the end of a seek.
        let waits: Bool
        let body: @Sendable (RoomDriver) -> Void
    }

    private struct Mailbox {
        /// In the order of their arrival.
        var calls: [Call] = []
        var snapshots: Set<String> = []
        var isEnded = false
    }

    private let mailbox = Lock(Mailbox())
    private let arrival = DispatchSemaphore(value: 0)
    /// Whether a call waits, so that a slice ends early.
    private let hasCalls = StopFlag()

    /// - Parameters:
    ///   - programs: The programs that devices can run.
    ///   - scenes: The scenes that the user can begin.
    ///   - scene: The scene at the start. Time does not run yet.
    ///   - keepsSteps: Whether changes of the user can be undone.
    ///   - clock: The real time in nanoseconds.
    ///   - onChange: Called on the thread of the engine, at most 30 times a second.
    package init(
        programs: [WorldProgramKind], scenes: [RoomScene], scene: String, seed: UInt64 = 1, keepsSteps: Bool = true,
        clock: @escaping @Sendable () -> Int64 = RoomDriver.realTime,
        onChange: @escaping @Sendable (RoomChanges) -> Void
    ) throws {
        let timeline = try RoomTimeline(
            programs: programs, scenes: scenes, scene: scene, seed: seed, undoLimit: keepsSteps ? RoomSteps.limit : 0,
            changed: { [weak self] device in self?.noteSnapshot(device) })
        // The thread is the only user of the driver from here on.
        nonisolated(unsafe) let driver = RoomDriver(timeline, clock: clock, onChange: onChange)
        let thread = Thread { [weak self] in
            Self.run(driver) { self }
        }
        thread.name = "studio.room"
        thread.stackSize = 1 << 20
        thread.start()
    }

    deinit { end() }

    /// Ends the thread.
    package func end() {
        mailbox.withLock { $0.isEnded = true }
        hasCalls.set()
        arrival.signal()
    }

    private func noteSnapshot(_ device: String) { mailbox.withLock { _ = $0.snapshots.insert(device) } }

    // MARK: Calls

    /// Runs `body` on the room between two slices of time.
    ///
    /// - Parameter waits: Whether a call during a seek waits for its end. Calls that change the room wait.
    package func perform<Result: Sendable>(
        waits: Bool = false, _ body: @escaping @Sendable (RoomDriver) throws -> Result
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { continuation in
            let isTaken = submit(waits: waits) { driver in
                continuation.resume(with: Swift.Result { try body(driver) })
            }
            if !isTaken { continuation.resume(throwing: PhrasedError.ended) }
        }
    }

    /// Goes to a time in nanoseconds. Returns when the room is there, or when another command ends the seek.
    @discardableResult
    package func seek(to time: Int64) async throws -> RoomDriver.SeekEnd {
        try await perform { (driver: RoomDriver, finish: @escaping Finish<RoomDriver.SeekEnd>) in
            driver.seek(to: time, finish)
        }
    }

    package typealias Finish<Result> = (Swift.Result<Result, any Error>) -> Void

    /// Runs `body` on the room between two slices of time. The result comes later, for example at the end of a seek.
    ///
    /// - Parameters:
    ///   - waits: Whether the call waits for the end of a seek.
    ///   - body: Calls `finish` once, on the thread of the engine.
    package func perform<Result: Sendable>(
        waits: Bool = false, _ body: @escaping @Sendable (RoomDriver, _ finish: @escaping Finish<Result>) throws -> Void
    ) async throws -> Result {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Result, any Error>) in
            let isTaken = submit(waits: waits) { driver in
                do {
                    try body(driver) { continuation.resume(with: $0) }
                } catch {
                    continuation.resume(throwing: error)
                }
            }
            if !isTaken { continuation.resume(throwing: PhrasedError.ended) }
        }
    }

    /// The number of calls that have not begun.
    var waitingCallCount: Int { mailbox.withLock { $0.calls.count } }

    /// Returns false after the end.
    private func submit(waits: Bool, _ body: @escaping @Sendable (RoomDriver) -> Void) -> Bool {
        let isTaken = mailbox.withLock { mailbox in
            guard !mailbox.isEnded else { return false }
            mailbox.calls.append(Call(waits: waits, body: body))
            return true
        }
        hasCalls.set()
        arrival.signal()
        return isTaken
    }

    // MARK: The thread

    private static func run(_ driver: RoomDriver, _ engine: () -> RoomEngine?) {
        while let delay = engine()?.turn(driver) {
            guard delay > 0, let arrival = engine()?.arrival else { continue }
            // The engine may end meanwhile, which signals the semaphore.
            _ = arrival.wait(timeout: delay == .max ? .distantFuture : .now() + .nanoseconds(Int(delay)))
        }
        driver.close()
    }

    /// Runs the calls and one slice. Returns the nanoseconds until the next turn, `.max` if only a call begins one; nil at the end.
    private func turn(_ driver: RoomDriver) -> Int64? {
        hasCalls.clear()
        let (calls, snapshots, isEnded) = mailbox.withLock { mailbox in
            defer {
                mailbox.calls = []
                mailbox.snapshots = []
            }
            return (mailbox.calls, mailbox.snapshots, mailbox.isEnded)
        }
        var deferred: [Call] = []
        for call in calls {
            // A call before this one may have begun a seek. The end answers all calls.
            if call.waits, driver.isSeeking, !isEnded { deferred.append(call) } else { call.body(driver) }
        }
        guard !isEnded else { return nil }
        if !deferred.isEmpty { mailbox.withLock { $0.calls.insert(contentsOf: deferred, at: 0) } }
        let delay = driver.turn(interruptedBy: hasCalls, snapshots)
        let hasWaiting = mailbox.withLock { mailbox in
            mailbox.calls.contains { !$0.waits || !driver.isSeeking }
        }
        return hasWaiting ? 0 : delay
    }
}
