import BLELink
import BLEWire

extension HostStack {
    /// How long the controller may keep its buffers full: longer than any supervision timeout, by which a link ends whose peer
    /// takes nothing because it is gone.
    private static var stallPeriod: TimeSpan { .seconds(45) }

    /// When `handleTimeout` is due; nil while nothing can run out of time.
    package var nextTimeout: Instant? {
        var first: Instant?
        func consider(_ instant: Instant?) {
            guard let instant else { return }
            if let earlier = first, earlier <= instant { return }
            first = instant
        }
        consider(nextCommandTimeout)
        consider(connector.deadline)
        consider(stallEnds)
        if case .stopping(let until) = phase { consider(until) }
        for connection in connections { consider(connection.deadlines.next) }
        return first
    }

    /// Does what has become due. Calling it early or late does no harm.
    package mutating func handleTimeout(at now: Instant) {
        commandsChanged = true
        while let entry = commands.expire(at: now) { expired(entry, at: now) }
        if !connector.handleTimeout(at: now) { _ = recoverUnknownLink(at: now) }
        for connection in connections {
            for timer in LinkTimer.allCases where connection.deadlines.takeIfDue(timer, at: now) {
                // What was due before may have lost all links.
                guard connections.contains(where: { $0 === connection }) else { break }
                expired(timer, on: connection, at: now)
            }
        }
        if let ends = stallEnds, ends <= now { endStalledLinks(at: now) }
        if case .stopping(let until) = phase, until <= now { closeController() }
        finish(at: now)
    }

    /// Notes whether data waits for a controller that takes none.
    mutating func watchCompletions(at now: Instant) {
        guard transmitter.isStalled else { return stallEnds = nil }
        if stallEnds == nil { stallEnds = now + Self.stallPeriod }
    }

    /// The buffers of the controller are full, and it has said for long that it sent anything: perhaps it did, and the event was
    /// lost. The end of a link gives its buffers back (Vol 4, Part E, 4.3).
    private mutating func endStalledLinks(at now: Instant) {
        stallEnds = nil
        report(.missingCompletions)
        for connection in connections where transmitter.outstanding(connection.slot) > 0 {
            end(connection, .host(.stalledController), at: now)
        }
    }

    private mutating func expired(_ timer: LinkTimer, on connection: Connection, at now: Instant) {
        switch timer {
        case .attribute:
            connection.bearer.handleTimeout(at: now, output: &attributeOutput)
            flush(connection)
            endIfBearerFailed(connection, at: now)
        case .signalling:
            if connection.signalling.handleTimeout(at: now) == .parameterUpdateTimedOut { refuseParameters(connection) }
            connection.deadlines[.signalling] = connection.signalling.deadline
        case .channels: connection.channels.handleTimeout(at: now)
        case .parameterUpdate: refuseParameters(connection)
        case .disconnection: fail(.missingEvent, at: now)
        }
    }
}
