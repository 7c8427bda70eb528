import BLEController
import Dispatch
import Glibc
import Synchronization

/// The threads that compute the receptions of a radio's beacons, besides the one that uses the radio.
///
/// The parts of a slice take less time than to wake a thread, so a helper keeps looking for its next part for a short time after one. Then it ends,
/// and the next part begins it again. The caller computes a part itself if the helper has not begun it.
final class RadioThreads: Sendable {
    private let helpers: [Helper]

    /// - Parameter count: The number of threads, including the caller's.
    init(count: Int) { helpers = (1..<max(2, count)).map { _ in Helper() } }

    /// Calls `body` with each number below `count` on the threads, and returns after all calls have returned. Only one thread calls this function at
    /// a time.
    func run(_ count: Int, _ body: @Sendable (Int) -> Void) {
        withoutActuallyEscaping(body) { body in
            let used = helpers.prefix(count - 1)
            for (index, helper) in used.enumerated() { helper.begin { body(index + 1) } }
            body(0)
            for part in used.count + 1..<max(count, used.count + 1) { body(part) }
            for helper in used { helper.finish() }
        }
    }
}

/// A thread that computes one part after the other.
private final class Helper: Sendable {
    private let queue = DispatchQueue(label: "radio.beacons", qos: .userInitiated)
    /// The number of the last part that the caller passed, of the last one that a thread began, and of the last one that the helper completed.
    private let passed = Atomic(0)
    private let claimed = Atomic(0)
    private let completed = Atomic(0)
    private let isRunning = Atomic(false)
    /// The last part. The caller writes it before `passed`. Only the thread that claims the part reads it.
    nonisolated(unsafe) private var part: (@Sendable () -> Void)?
    /// The time for which the helper looks for a next part, in nanoseconds.
    private static let patience: UInt64 = 1_000_000

    func begin(_ part: @escaping @Sendable () -> Void) {
        self.part = part
        passed.add(1, ordering: .sequentiallyConsistent)
        if start() { queue.async { self.work() } }
    }

    /// Waits for the part, or computes it if the helper has not begun.
    func finish() {
        let number = passed.load(ordering: .relaxed)
        if claim(number) {
            part?()
        } else {
            var looks = 0
            while completed.load(ordering: .acquiring) != number {
                looks += 1
                // The helper's processor may be in use.
                if looks % 1000 == 0 { sched_yield() }
            }
        }
        part = nil
    }

    private func start() -> Bool {
        isRunning.compareExchange(expected: false, desired: true, ordering: .sequentiallyConsistent).exchanged
    }

    private func claim(_ number: Int) -> Bool {
        claimed.compareExchange(expected: number - 1, desired: number, ordering: .acquiringAndReleasing).exchanged
    }

    /// Not inlined, so that no reference to the part remains after its completion.
    @inline(never) private func compute() { part?() }

    private func work() {
        var last = claimed.load(ordering: .acquiring)
        var (looks, end) = (0, UInt64.max)
        while true {
            let number = passed.load(ordering: .sequentiallyConsistent)
            if number != last {
                last = number
                end = .max
                guard claim(number) else { continue }
                compute()
                completed.store(number, ordering: .releasing)
            } else {
                looks += 1
                guard looks % 1000 == 0 else { continue }
                let now = DispatchTime.now().uptimeNanoseconds
                if end == .max { end = now + Self.patience }
                guard now >= end else { continue }
                isRunning.store(false, ordering: .sequentiallyConsistent)
                // A part that was passed meanwhile has not started the helper again.
                guard passed.load(ordering: .sequentiallyConsistent) != last, start() else { return }
            }
        }
    }
}
