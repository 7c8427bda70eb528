import BLELink
import BLEWire

extension HostStack {
    /// The time at which `handleTimeout` is due; nil if no timer runs.
    package var nextTimeout: Instant? {
        var first: Instant?
        func consider(_ instant: Instant?) {
            guard let instant else { return }
            if let earlier = first, earlier <= instant { return }
            first = instant
        }
        consider(output.commands.deadline)
        consider(output.data.stallEnds)
        consider(access.initiator.deadline)
        consider(access.syncs.deadline)
        consider(access.privacy.deadline)
        consider(lifecycle.deadline)
        // By index: a loop over the elements would retain them.
        for index in connections.indices { consider(connections[index].deadlines.next) }
        return first
    }

    /// Handles the timers that are due. An early or a late call is allowed.
    package mutating func handleTimeout(at now: Instant) {
        while let entry = output.commands.expire(at: now) { expired(entry, at: now) }
        if !access.initiator.handleTimeout(at: now) { _ = recoverUnknownLink(at: now) }
        access.privacy.rotateAddress(at: now, using: &security.crypto)
        for connection in connections {
            for timer in LinkTimer.allCases where connection.deadlines.takeIfDue(timer, at: now) {
                // An earlier timer may have removed all links.
                guard connections.contains(where: { $0 === connection }) else { break }
                expired(timer, on: connection, at: now)
            }
        }
        if output.data.takeStall(at: now) { endStalledLinks(at: now) }
        if let until = lifecycle.deadline, until <= now { closeController(at: now) }
        finish(at: now)
    }

    /// Ends the links whose packets fill the controller's buffers. The controller has completed none for 45 s,
    /// perhaps because an event was lost. The end of a link returns its buffers (Vol 4, Part E, 4.3).
    private mutating func endStalledLinks(at now: Instant) {
        output.events.report(.missingCompletions)
        for connection in connections where output.data.transmitter.outstanding(connection.slot) > 0 {
            connection.end(.host(.stalledController), at: now, &output)
        }
    }

    private mutating func expired(_ timer: LinkTimer, on connection: Connection, at now: Instant) {
        switch timer {
        case .attribute:
            connection.bearer.handleTimeout(at: now, output: &output.events.attributes)
            output.flush(connection)
            connection.endIfBearerFailed(at: now, &output)
        case .signalling: connection.signallingTimedOut(at: now, &output)
        case .channels:
            connection.channels.handleTimeout(at: now)
            connection.serveEnhancedBearers(database: &database, at: now, &output)
        case .bearers: connection.openEnhancedBearers(at: now, &output)
        case .security:
            security.timedOut(connection, at: now, &output)
            settleSecurity()
        case .parameterUpdate: connection.refuseParameters(&output)
        case .disconnection: if !connection.endRefusal(at: now, &output) { fail(.missingEvent, at: now) }
        }
    }
}
