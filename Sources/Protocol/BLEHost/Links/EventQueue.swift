import BLEAttribute
import BLEWire

/// The events of a host for its driver, in order, with the octets to which they refer.
package struct EventQueue: Sendable {
    package var pending: [HostEvent] = []
    /// The end of an operation, if it is the first event and `separatesCompletion` is set. It precedes `pending`.
    package private(set) var completion: HostCompletion?
    /// The same for a read whose value is in the arena.
    package private(set) var read: HostReadCompletion?
    /// Whether `completion` and `read` are used. Most calls end one operation and nothing else, which costs less apart from the other events.
    package var separatesCompletion = false
    /// The output of the attribute bearers, which all links share. Its arena is that of the events: a bearer stores values where the
    /// driver reads them.
    package var attributes = ATTOutput()
    /// The violations by the controller.
    private var violations = ViolationReporter()

    /// Whether there are no events, with `completion` and `read`.
    var isEmpty: Bool { completion == nil && read == nil && pending.isEmpty }

    mutating func append(_ event: consuming HostEvent) { pending.append(event) }

    /// Removes and returns the end of an operation that precedes `pending`. The value of a read gets an array.
    package mutating func takeCompletion() -> HostCompletion? {
        guard let done = read.take() else { return completion.take() }
        let value = attributes.arena.copy(done.value)
        return HostCompletion(link: done.link, id: done.id, result: .success(.value(value)))
    }

    /// Empties events and their arena. Both keep their capacity.
    package mutating func removeAll() {
        if completion != nil { completion = nil }
        read = nil
        pending.empty()
        attributes.arena.removeAll()
    }

    /// Emits a violation by the controller, or by the peer of `connection`, unless its reporter leaves it out.
    mutating func report(_ violation: ProtocolViolation, on connection: Connection? = nil) {
        let isAdmitted =
            if let connection { connection.violations.admits(violation) } else { violations.admits(violation) }
        if isAdmitted { pending.append(.protocolViolation(connection?.identifier, violation)) }
    }

    /// Forgets the violations by a controller that starts again.
    mutating func controllerRestarts() { violations = ViolationReporter() }

    mutating func emit(_ event: PairingEvent, of connection: Connection) {
        if !connection.isSilent { pending.append(.pairing(connection.identifier, event)) }
    }

    /// Passes the end of an operation on, without the work for events if it is the first one.
    mutating func complete(_ done: consuming ATTCompletion, on connection: Connection) {
        if connection.isSilent { return }
        if separatesCompletion, isEmpty {
            completion = HostCompletion(link: connection.identifier, id: done.id, result: done.result)
        } else {
            pending.append(.completed(connection.identifier, id: done.id, done.result))
        }
    }

    /// The same for a read.
    mutating func complete(_ done: ATTReadCompletion, on connection: Connection) {
        if connection.isSilent { return }
        if separatesCompletion, isEmpty {
            read = HostReadCompletion(link: connection.identifier, id: done.id, value: done.value)
        } else {
            let value = attributes.arena.copy(done.value)
            pending.append(.completed(connection.identifier, id: done.id, .success(.value(value))))
        }
    }
}
