import BLEWire
import Dispatch

/// A timer on a queue for one deadline at a time. The timer is made with the first deadline.
package struct DeadlineTimer {
    private let queue: DispatchQueue
    private let leeway: DispatchTimeInterval
    private let handler: @Sendable () -> Void
    private var source: (any DispatchSourceTimer)?
    package private(set) var deadline: Instant?

    /// - Parameter handler: Called on the queue after the deadline. It calls `fired` first.
    package init(
        on queue: DispatchQueue, leeway: DispatchTimeInterval = .milliseconds(10),
        handler: @escaping @Sendable () -> Void
    ) {
        (self.queue, self.leeway, self.handler) = (queue, leeway, handler)
    }

    /// The deadline has passed: the same one can be set again.
    package mutating func fired() { deadline = nil }

    /// Sets the next deadline; nil for none.
    package mutating func set(_ next: Instant?, at now: Instant) {
        guard next != deadline else { return }
        deadline = next
        guard let next else { return source?.schedule(deadline: .distantFuture) ?? () }
        let source = self.source ?? makeSource()
        let delay = max(0, (next - now).nanoseconds)
        source.schedule(deadline: .now() + .nanoseconds(Int(delay)), leeway: leeway)
    }

    /// Sets the deadline if it is earlier than the one that is set. For deadlines that mostly move before they come.
    package mutating func advance(to next: Instant?, at now: Instant) {
        guard let next, deadline.map({ next < $0 }) ?? true else { return }
        set(next, at: now)
    }

    private mutating func makeSource() -> any DispatchSourceTimer {
        let source = DispatchSource.makeTimerSource(queue: queue)
        source.setEventHandler(handler: handler)
        source.schedule(deadline: .distantFuture)
        source.resume()
        self.source = source
        return source
    }

    package mutating func cancel() {
        source?.cancel()
        (source, deadline) = (nil, nil)
    }
}
