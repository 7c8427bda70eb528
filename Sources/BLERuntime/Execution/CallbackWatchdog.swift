import BLEAdapter
import Dispatch
import Logging

/// Says so when a callback does not return: then virtual time stands still, and a test seems to hang for no reason. Asks
/// every ten seconds whether the callback that is out is still the one that was out before.
///
/// On its engine's queue alone.
final class CallbackWatchdog {
    private var isOut = false
    private var count = 0
    private var countAtLastLook = 0
    private var timer: (any DispatchSourceTimer)?

    deinit { timer?.cancel() }

    func callbackIsOut(on queue: DispatchQueue) {
        isOut = true
        count &+= 1
        guard timer == nil else { return }
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.schedule(deadline: .now() + .seconds(10), repeating: .seconds(10), leeway: .seconds(1))
        timer.setEventHandler { [weak self] in self?.look() }
        timer.resume()
        self.timer = timer
    }

    func callbackReturned() { isOut = false }

    private func look() {
        defer { countAtLastLook = count }
        guard isOut, count == countAtLastLook else { return }
        LibraryLog.logger().warning(
            "A callback has not returned for ten seconds, and virtual time stands still meanwhile. Does it wait for another callback, or is its queue blocked (the main queue by a blocked main thread)?"
        )
    }
}
