import BLELink
import BLEWire

extension HostStack {
    /// The longest time that the controller may keep its buffers full. It exceeds every supervision timeout (at most 32
    /// s; Vol 6, Part B, 4.5.2), after which a link without its peer ends.
    private static var stallPeriod: TimeSpan { .seconds(45) }

    /// The time at which `handleTimeout` is due; nil if no timer runs.
    package var nextTimeout: Instant? {
        var first: Instant?
        func consider(_ instant: Instant?) {
            guard let instant else { return }
            if let earlier = first, earlier <= instant { return }
            first = instant
        }
        consider(nextCommandTimeout)
        consider(initiator.deadline)
        consider(privacy?.manager.deadline)
        if isPrivacyDue { consider(.zero) }
        consider(stallEnds)
        if case .stopping(let until) = phase { consider(until) }
        // By index: a loop over the elements would retain them.
        for index in connections.indices { consider(connections[index].deadlines.next) }
        return first
    }

    /// Handles the timers that are due. An early or a late call is allowed.
    package mutating func handleTimeout(at now: Instant) {
        commandsChanged = true
        while let entry = commands.expire(at: now) { expired(entry, at: now) }
        if !initiator.handleTimeout(at: now) { _ = recoverUnknownLink(at: now) }
        rotateAddress(at: now)
        for connection in connections {
            for timer in LinkTimer.allCases where connection.deadlines.takeIfDue(timer, at: now) {
                // An earlier timer may have removed all links.
                guard connections.contains(where: { $0 === connection }) else { break }
                expired(timer, on: connection, at: now)
            }
        }
        if let ends = stallEnds, ends <= now { endStalledLinks(at: now) }
        if case .stopping(let until) = phase, until <= now { closeController(at: now) }
        finish(at: now)
    }

    /// Starts or stops the timer for data that the controller does not complete.
    mutating func watchCompletions(at now: Instant) {
        guard transmitter.isStalled else { return stallEnds = nil }
        if stallEnds == nil { stallEnds = now + Self.stallPeriod }
    }

    /// Ends the links whose packets fill the controller's buffers. The controller has completed none for `stallPeriod`,
    /// perhaps because an event was lost. The end of a link returns its buffers (Vol 4, Part E, 4.3).
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
        case .security: securityTimedOut(connection, at: now)
        case .parameterUpdate: refuseParameters(connection)
        case .disconnection:
            if connection.isDisconnectHeld { sendDisconnect(connection, at: now) } else { fail(.missingEvent, at: now) }
        }
    }
}
