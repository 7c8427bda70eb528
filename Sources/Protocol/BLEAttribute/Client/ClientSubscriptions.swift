import BLEWire

/// One subscriber's share in a client characteristic configuration of the peer.
package struct ClientSubscription: Hashable, Sendable {
    /// The subscriber's number, as given to `submit`.
    package var subscriber: Int
    package var valueHandle: UInt16
    /// The last handle of the characteristic.
    package var end: UInt16
}

/// The subscriptions of the client side of a bearer.
///
/// A server keeps one client characteristic configuration for each client (Vol 3, Part G, 3.3.3.3), and several
/// subscribers share the bearer. The configuration is written for the first subscriber of a value and after the last
/// one has left.
struct ClientSubscriptions {
    /// In the order of the subscriptions.
    private(set) var entries: [ClientSubscription] = []

    /// Records a change that is about to start. Returns whether the configuration has to be written.
    mutating func change(_ task: Subscription, by subscriber: Int) -> Bool {
        let isShared = entries.contains { $0.valueHandle == task.valueHandle && $0.subscriber != subscriber }
        remove(task, of: subscriber)
        if task.mode != .off {
            entries.append(ClientSubscription(subscriber: subscriber, valueHandle: task.valueHandle, end: task.end))
        }
        return !isShared
    }

    mutating func remove(_ task: Subscription, of subscriber: Int) {
        entries.removeAll { $0.valueHandle == task.valueHandle && $0.subscriber == subscriber }
    }

    /// Removes the subscriptions of one subscriber. Returns those whose value has no subscriber left.
    mutating func removeAll(of subscriber: Int) -> [ClientSubscription] {
        let ended = entries.filter { $0.subscriber == subscriber }
        entries.removeAll { $0.subscriber == subscriber }
        return ended.filter { !contains($0.valueHandle) }
    }

    /// Removes the subscriptions to values that changed or no longer exist (Vol 3, Part G, 7.1).
    mutating func removeAll(in range: HandleRange) {
        entries.removeAll { range.contains($0.valueHandle) }
    }

    /// Stores a value with its subscribers.
    func store(
        _ value: Span<UInt8>, of valueHandle: UInt16, isIndication: Bool, in arena: inout EventArena
    ) -> ReceivedValue {
        let first = arena.subscribers.count
        for index in entries.indices where entries[index].valueHandle == valueHandle {
            arena.subscribers.append(entries[index].subscriber)
        }
        return ReceivedValue(
            handle: valueHandle, octets: arena.store(value), isIndication: isIndication,
            subscribers: first..<arena.subscribers.count)
    }

    /// Emits a value with its subscribers.
    func deliver(_ value: Span<UInt8>, of valueHandle: UInt16, isIndication: Bool, output: inout ATTOutput) {
        output.emit(.value(store(value, of: valueHandle, isIndication: isIndication, in: &output.arena)))
    }

    func contains(_ valueHandle: UInt16) -> Bool { entries.contains { $0.valueHandle == valueHandle } }
}
