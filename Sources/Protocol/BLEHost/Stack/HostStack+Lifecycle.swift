import BLEAttribute
import BLELink
import BLEWire

extension HostStack {
    /// Resets the controller (Vol 4, Part E, 7.3.2) and runs the start-up sequence. `.ready` or `.failed` follows. Has
    /// no effect unless the host is off or has failed.
    package mutating func start(at now: Instant) {
        guard lifecycle.start(&output) else { return }
        beginStartUp(at: now)
        finish(at: now)
    }

    /// Ends links, scan and advertising. `.off` follows.
    package mutating func powerOff(at now: Instant) {
        switch lifecycle.phase {
        case .off:
            lifecycle.setState(.off, &output)
        case .stopping, .closing:
            break
        case .starting:
            closeController(at: now)
        case .running:
            lifecycle.stop(at: now)
            access.end()
            connections.cancelAllPostponed()
            for connection in connections { connection.end(.host(.powerOff), at: now, &output) }
            stopIfQuiet(at: now)
        }
        finish(at: now)
    }

    /// Takes the permanent end of the transport.
    package mutating func transportClosed(at now: Instant) {
        let wasPoweringOff = lifecycle.isPoweringOff
        lifecycle.phase = .off
        tearDown(.controllerLost, at: now)
        lifecycle.setState(wasPoweringOff ? .off : .failed(.transportClosed), &output)
        output.packets.removeAll(keepingCapacity: true)
    }

    private mutating func beginStartUp(at now: Instant) {
        output.packets.removeAll(keepingCapacity: true)
        var startUp = StartUp(
            configuration: configuration, fallbackAddress: access.fallbackAddress,
            hasCryptography: security.crypto != nil,
            refusesExtendedAdvertising: lifecycle.refusesExtendedAdvertising)
        let action = startUp.begin()
        lifecycle.phase = .starting(startUp)
        perform(action, at: now)
    }

    /// Performs an action of the start-up sequence.
    mutating func perform(_ action: StartUp.Action, at now: Instant) {
        switch action {
        case .send: lifecycle.sendStep(&output)
        case .fail(let failure): fail(failure, at: now)
        case .finish(let address):
            lifecycle.run()
            let capabilities = lifecycle.capabilities
            output.data.transmitter.configure(
                fragmentLength: capabilities.bufferLength, bufferCount: capabilities.bufferCount)
            access.begin(address, capabilities)
            access.privacy.begin(&security, capabilities, at: now)
            lifecycle.setState(.ready, &output)
        }
    }

    /// Handles a controller failure. All state is lost, and the start-up runs again unless it has failed too often.
    mutating func fail(_ failure: HostError, at now: Instant) {
        guard !lifecycle.isOff else { return }
        let wasPoweringOff = lifecycle.isPoweringOff
        lifecycle.phase = .off
        tearDown(.controllerLost, at: now)
        switch lifecycle.failed(wasPoweringOff: wasPoweringOff, at: now) {
        case .off: lifecycle.setState(.off, &output)
        case .end: lifecycle.setState(.failed(failure), &output)
        case .restart:
            if state == .ready { lifecycle.setState(.resetting(failure), &output) }
            beginStartUp(at: now)
        }
    }

    /// Resets a controller that has a link without a known handle, because no command can end that link. Resets at most
    /// once in `recoveryPeriod`, because some controllers keep their links over a reset. Returns whether it did.
    mutating func recoverUnknownLink(at now: Instant) -> Bool {
        if lifecycle.hasFailedRecently(at: now) { return false }
        fail(.missingEvent, at: now)
        return true
    }

    /// Removes all state about the controller. Links end for `reason`.
    private mutating func tearDown(_ reason: DisconnectionCause.HostReason, at now: Instant) {
        connections.cancelAllPostponed()
        while let connection = connections.last { remove(connection, .host(reason), at: now) }
        connections.reset()
        security.reset()
        output.reset()
        access.reset()
    }

    /// Continues a power-off after the last link has ended.
    mutating func stopIfQuiet(at now: Instant) {
        guard lifecycle.isStopping, connections.isEmpty, access.isQuiet else { return }
        closeController(at: now)
    }

    mutating func closeController(at now: Instant) {
        tearDown(.powerOff, at: now)
        output.packets.removeAll(keepingCapacity: true)
        lifecycle.phase = .closing
        output.commands.enqueue(HCI.Reset(), for: .powerOff)
    }
}
