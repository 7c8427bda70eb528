/// Delivers events to a callback and to any number of streams.
package final class EventSource<Event: Sendable>: Sendable {
    /// The events that a stream keeps until its program takes them; older ones are dropped.
    private static var limit: Int { 1024 }

    private struct State {
        var continuations: [Int: AsyncStream<Event>.Continuation] = [:]
        var next = 0
        var isOver = false
    }

    private let state = Lock(State())
    private let onEvent: @Sendable (Event) -> Void
    private let isLast: @Sendable (Event) -> Bool

    /// - Parameter isLast: Whether an event ends the streams.
    package init(
        _ onEvent: @escaping @Sendable (Event) -> Void, isLast: @escaping @Sendable (Event) -> Bool = { _ in false }
    ) {
        self.onEvent = onEvent
        self.isLast = isLast
    }

    deinit { finish() }

    /// Delivers an event.
    package func report(_ event: Event) {
        onEvent(event)
        for continuation in state.withLock({ Array($0.continuations.values) }) { continuation.yield(event) }
        if isLast(event) { finish() }
    }

    /// Ends the streams.
    package func finish() {
        let continuations = state.withLock { state in
            state.isOver = true
            defer { state.continuations = [:] }
            return Array(state.continuations.values)
        }
        for continuation in continuations { continuation.finish() }
    }

    /// Returns a stream of the events from now on.
    package func stream() -> AsyncStream<Event> {
        let (stream, continuation) = AsyncStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingNewest(Self.limit))
        let number = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            defer { state.next += 1 }
            state.continuations[state.next] = continuation
            return state.next
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { _ = $0.continuations.removeValue(forKey: number) }
        }
        return stream
    }
}
