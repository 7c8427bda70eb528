import BLETransport
import Dispatch

/// Runs the steps of an engine with a pace at real times, and serves the streams of its external hosts: with the thread of a
/// `PollingGroup`, or with a dispatch timer if the system has no thread or no descriptor left.
///
/// `@unchecked Sendable`: used only on the engine's queue.
final class EngineTimer: @unchecked Sendable {
    /// Serves streams; nil without a thread.
    private(set) var group: PollingGroup?
    private let queue: DispatchQueue
    private let step: @Sendable (_ serveStreams: () -> Void) -> Bool
    /// The number of times that the thread has ended a wait.
    private(set) var waitCount = 0
    private var timer: (any DispatchSourceTimer)?
    /// Whether the group's thread runs a step. It computes its next wait afterwards.
    private var isStepping = false
    private var nextWait = PollingGroup.Wait.unlimited
    /// The time at which the thread's wait ends, in nanoseconds of the monotonic clock; 0 if it does not wait.
    private var sleepsUntil: UInt64 = 0

    /// - Parameter step: Serves the ready streams with its argument and runs what is due. Returns false if the engine is gone.
    init(queue: DispatchQueue, step: @escaping @Sendable (_ serveStreams: () -> Void) -> Bool) {
        self.queue = queue
        self.step = step
    }

    deinit { timer?.cancel() }

    /// Starts the thread. Called once, before any other use.
    func start() {
        group = try? PollingGroup(queue: queue) { [weak self] in self?.attend($0) }
    }

    private func attend(_ serveStreams: () -> Void) -> PollingGroup.Wait? {
        isStepping = true
        waitCount &+= 1
        nextWait = .unlimited
        let exists = step(serveStreams)
        isStepping = false
        switch nextWait {
        case .none: sleepsUntil = 0
        case .until(let time): sleepsUntil = time
        case .unlimited: sleepsUntil = .max
        }
        return exists ? nextWait : nil
    }

    /// Runs a step at a time of the monotonic clock, in nanoseconds. A thread that wakes earlier keeps its time: waking it to wait
    /// longer would cost more.
    func set(_ time: UInt64) {
        guard let group else {
            let timer = self.timer ?? makeTimer()
            self.timer = timer
            return timer.schedule(deadline: DispatchTime(uptimeNanoseconds: time), leeway: .microseconds(20))
        }
        if isStepping {
            nextWait = .until(time)
        } else if time < sleepsUntil {
            sleepsUntil = 0
            group.wake()
        }
    }

    /// Runs another step after the blocks that wait on the queue, on the same thread. Returns false outside the steps of the
    /// thread.
    func repeatStep() -> Bool {
        if isStepping { nextWait = .none }
        return isStepping
    }

    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        let step = step
        timer.setEventHandler { _ = step {} }
        timer.resume()
        return timer
    }
}
