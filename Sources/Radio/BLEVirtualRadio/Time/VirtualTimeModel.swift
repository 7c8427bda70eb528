import BLEWire

/// A model that an engine steps through virtual time, such as a radio with its controllers and hosts. The engine calls
/// it on one queue.
package protocol VirtualTimeModel: AnyObject {
    /// The time of the next event; nil if the model waits for calls.
    var nextDeadline: Instant? { get }

    /// The end of a quiet time: before it, no event reaches a host or an observer if the model is not called. Nil if the next event may. With a
    /// pace, the engine may handle the events of a quiet time together and late.
    var quietUntil: Instant? { get }

    /// Runs all events that are due up to and including `now`.
    func advance(to now: Instant)

    /// Exchanges packets between controllers and hosts until none waits. Takes no virtual time.
    func exchangePackets()

    /// Whether hosts outside this process take part. They use real time, and no engine can stop them.
    var hasExternalHosts: Bool { get }

    /// Sends the packets that wait for external hosts. Called when the engine pauses, and after each turn otherwise.
    ///
    /// - Parameter isPolling: Whether to also read from external hosts, without waiting for an event of their sockets.
    func exchangeWithExternalHosts(isPolling: Bool)
}

extension VirtualTimeModel {
    package var quietUntil: Instant? { nil }
    package var hasExternalHosts: Bool { false }
    package func exchangeWithExternalHosts(isPolling: Bool) {}
}
