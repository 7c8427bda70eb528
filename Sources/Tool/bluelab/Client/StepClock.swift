import BLEAdapter
import BLESimulator
import Dispatch
import Synchronization

/// The time of the steps of a command: that of the machine, or that of a simulated world.
///
/// The time of a world must not pass while a step works. Each wait of a step calls `rest`, and the end of a wait calls `work`, so a world that several
/// scripts use runs only while all of them wait. Of these scripts, one works at a time, in the order in which their waits end: equal runs have equal orders.
@MainActor
final class StepClock {
    /// The time of the machine.
    static let machine = StepClock()

    private let start = ContinuousClock.now
    private nonisolated let world: QueueClock?
    /// The number of scripts that do not wait.
    private nonisolated let working = Atomic(0)
    /// The number of waits that have ended.
    private nonisolated let ends = Atomic(0)
    private var settled: CheckedContinuation<Void, Never>?
    /// The scripts of a world whose waits have ended while another one works.
    private var ready: [() -> Void] = []

    /// - Parameter clock: The clock of a world; nil for the time of the machine.
    init(_ clock: VirtualClock? = nil) { world = clock.map { QueueClock($0) } }

    /// The time since the creation.
    var now: Duration { world?.now ?? .now - start }

    /// Whether the clock is that of a world.
    nonisolated var isVirtual: Bool { world != nil }

    /// A call of `after` that can be cancelled.
    @MainActor
    final class Timer {
        private var isCancelled = false
        fileprivate var task: Task<Void, any Error>?

        fileprivate func run(_ body: @MainActor () -> Void) { if !isCancelled { body() } }

        func cancel() {
            isCancelled = true
            task?.cancel()
        }
    }

    /// Calls `body` after some time, unless the timer is cancelled.
    func after(_ time: Duration, _ body: @escaping @MainActor () -> Void) -> Timer {
        let timer = Timer()
        if let world {
            world.schedule(at: world.now + time, on: .main) { MainActor.assumeIsolated { timer.run(body) } }
        } else {
            timer.task = Task {
                try await Task.sleep(for: time)
                timer.run(body)
            }
        }
        return timer
    }

    /// Calls `body` on the main queue as soon as possible, before the time of a world passes.
    nonisolated func soon(_ body: @escaping @MainActor @Sendable () -> Void) {
        let call: @Sendable () -> Void = { MainActor.assumeIsolated(body) }
        if let world { world.schedule(at: world.now, on: .main, call) } else { DispatchQueue.main.async(execute: call) }
    }

    // MARK: Scripts

    /// Whether a script works.
    private var isWorking: Bool { working.load(ordering: .acquiring) > 0 }

    /// The number of waits that have ended. May be read on any thread: a world that runs stops when it changes. A script may wait again, or end, before
    /// the world looks, so that the world would miss that the script worked.
    nonisolated var endedWaits: Int { ends.load(ordering: .acquiring) }

    /// A script begins, or its wait ends. Calls `resume`, in a world once no other script works.
    func work(_ resume: @escaping () -> Void) {
        ends.add(1, ordering: .acquiringAndReleasing)
        guard isWorking, isVirtual else { return begin(resume) }
        ready.append(resume)
    }

    private func begin(_ resume: () -> Void) {
        working.add(1, ordering: .acquiringAndReleasing)
        resume()
    }

    /// A script waits, or ends.
    func rest() {
        guard working.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 else { return }
        if !ready.isEmpty { return begin(ready.removeFirst()) }
        settled?.resume()
        settled = nil
    }

    /// Returns when all scripts wait or have ended.
    func settle() async {
        guard isWorking else { return }
        await withCheckedContinuation { settled = $0 }
    }
}
