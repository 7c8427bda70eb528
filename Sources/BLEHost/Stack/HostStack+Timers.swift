import BLELink
import BLEWire

extension HostStack {
    /// When `handleTimeout` is due; nil while nothing can run out of time.
    package var nextTimeout: Instant? {
        var first: Instant?
        func consider(_ instant: Instant?) {
            guard let instant else { return }
            if let earlier = first, earlier <= instant { return }
            first = instant
        }
        consider(commands.deadline)
        consider(connector.deadline)
        if case .stopping(let until) = phase { consider(until) }
        for connection in connections { consider(connection.deadlines.next) }
        return first
    }

    /// Does what has become due. Calling it early or late does no harm.
    package mutating func handleTimeout(at now: Instant) {
        while let entry = commands.expire(at: now) { expired(entry, at: now) }
        connector.handleTimeout(at: now)
        for connection in connections {
            for timer in LinkTimer.allCases where connection.deadlines.takeIfDue(timer, at: now) {
                // What was due before may have lost all links.
                guard connections.contains(where: { $0 === connection }) else { break }
                expired(timer, on: connection, at: now)
            }
        }
        if case .stopping(let until) = phase, until <= now { closeController() }
        finish(at: now)
    }

    private mutating func expired(_ timer: LinkTimer, on connection: Connection, at now: Instant) {
        switch timer {
        case .attribute:
            connection.bearer.handleTimeout(at: now, output: &attributeOutput)
            flush(connection)
            if connection.bearer.hasFailed { end(connection, at: now) }
        case .signalling:
            if connection.signalling.handleTimeout(at: now) == .parameterUpdateTimedOut { refuseParameters(connection) }
            connection.deadlines[.signalling] = connection.signalling.deadline
        case .channels: connection.channels.handleTimeout(at: now)
        case .parameterUpdate: refuseParameters(connection)
        case .disconnection: fail(.missingEvent, at: now)
        }
    }
}
