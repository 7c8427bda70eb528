import BLEWire
import Dispatch

/// The executor of a host with real hardware: a serial queue, and a timer on the monotonic clock.
///
/// `@unchecked Sendable`: the timer and the core are touched on `queue` alone.
final class RealTimeExecutor: AdapterExecutor, @unchecked Sendable {
    let queue: DispatchQueue
    private var timer: (any DispatchSourceTimer)?
    private weak var core: HostCore?
    private var armedFor: Instant?

    init(label: String) { queue = DispatchQueue(label: label) }

    deinit { timer?.cancel() }

    /// Nanoseconds of the monotonic clock.
    var now: Instant { Instant(nanoseconds: Int64(clamping: DispatchTime.now().uptimeNanoseconds)) }

    func submit(_ call: @escaping @Sendable () -> Void) { queue.async(execute: call) }

    func deliver(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) { queue.async(execute: body) }

    func deliver(block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue) {
        queue.async(execute: block)
    }

    func deliver(handing start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void) { start(nil) }

    func schedule(_ core: HostCore, at deadline: Instant?) {
        self.core = core
        guard armedFor != deadline else { return }
        armedFor = deadline
        guard let deadline else {
            timer?.schedule(deadline: .distantFuture)
            return
        }
        let timer = self.timer ?? makeTimer()
        self.timer = timer
        timer.schedule(
            deadline: DispatchTime(uptimeNanoseconds: UInt64(max(1, deadline.nanoseconds))), leeway: .microseconds(100))
    }

    private func makeTimer() -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: queue)
        timer.setEventHandler { [weak self] in
            guard let self, let core else { return }
            armedFor = nil
            core.handleTimeout()
            core.flush()
        }
        timer.resume()
        return timer
    }
}
