import BLEAdapter
import Dispatch
import Logging

/// Logs a message when a callback does not return: virtual time then stands still, and a test seems to hang. Every ten
/// seconds a timer checks whether the same callback still runs.
///
/// Used only on its engine's queue.
final class CallbackWatchdog {
    private var isRunning = false
    private var count = 0
    private var countAtLastCheck = 0
    private var timer: (any DispatchSourceTimer)?

    deinit { timer?.cancel() }

    func callbackStarted(on queue: DispatchQueue) {
        isRunning = true
        count &+= 1
        guard timer == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .seconds(10), repeating: .seconds(10), leeway: .seconds(1))
        timer.setEventHandler { [weak self] in self?.check() }
        timer.resume()
        self.timer = timer
    }

    func callbackReturned() { isRunning = false }

    private func check() {
        defer { countAtLastCheck = count }
        guard isRunning, count == countAtLastCheck else { return }
        LibraryLog.logger().warning(
            "A callback has not returned for ten seconds, and virtual time stands still meanwhile. Does it wait for another callback, or is its queue blocked (the main queue by a blocked main thread)?"
        )
    }
}
