import BLEWire
import Dispatch

/// A timer on a queue for one deadline at a time. The timer is made with the first deadline.
struct DeadlineTimer {
    private let queue: DispatchQueue
    private let handler: @Sendable () -> Void
    private var source: (any DispatchSourceTimer)?
    private(set) var deadline: Instant?

    /// - Parameter handler: Called on the queue after the deadline. It calls `fired` first.
    init(on queue: DispatchQueue, handler: @escaping @Sendable () -> Void) {
        (self.queue, self.handler) = (queue, handler)
    }

    /// The deadline has passed: the same one can be set again.
    mutating func fired() { deadline = nil }

    /// Sets the next deadline; nil for none.
    mutating func set(_ next: Instant?, at now: Instant) {
        guard next != deadline else { return }
        deadline = next
        guard let next else { return source?.schedule(deadline: .distantFuture) ?? () }
        let source = self.source ?? makeSource()
        let delay = max(0, (next - now).nanoseconds)
        source.schedule(deadline: .now() + .nanoseconds(Int(delay)), leeway: .milliseconds(10))
    }

    private mutating func makeSource() -> any DispatchSourceTimer {
        let source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler(handler: handler)
        source.schedule(deadline: .distantFuture)
        source.resume()
        self.source = source
        return source
    }

    mutating func cancel() {
        source?.cancel()
        source = nil
    }
}
