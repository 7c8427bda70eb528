import BLEAdapter
import BLEHost
import BLEWire

/// The adapter's state, and calls of the driver that change it.
extension HostSessions {
    package var state: AdapterState { power.state }
    /// Whether the host has a controller.
    package var isAttached: Bool { power.isAttached }
    /// The number of times that the host has become ready.
    package var timesReady: Int { power.timesReady }
    /// The adapter's state after the host has failed and the controller is not expected to return.
    package var stateOfFailure: AdapterState {
        get { power.stateOfFailure }
        set { power.stateOfFailure = newValue }
    }

    /// Reports a change of the adapter's state to every session.
    package mutating func setState(_ new: AdapterState) {
        if power.setState(new) { register.report(new, &context) }
    }

    /// Takes a new controller. Powers it on if the adapter is to be on.
    package mutating func attach(at now: Instant) {
        let command = power.attach(context.host.state)
        if command == .nothing { setState(.poweredOff) }
        perform(command, at: now)
    }

    /// Takes the loss of the controller.
    package mutating func detach(at now: Instant) { perform(power.detach(context.host.state), at: now) }

    /// Ends the links because the radio was switched off from outside. The driver sends `packets`, closes the
    /// transport and calls `block`.
    package mutating func prepareToBlock(at now: Instant) {
        perform(power.prepareToBlock(context.host.state), at: now)
    }

    /// Records that the radio is off and the transport closed. Local services and advertising requests stay, as after a
    /// power-off by the user.
    package mutating func block(at now: Instant) {
        guard power.isAttached else { return setState(.poweredOff) }
        perform(power.block(context.host.state), at: now)
    }

    /// Turns Bluetooth off. The host disconnects its links first.
    package mutating func powerOff(at now: Instant) { perform(power.powerOff(context.host.state), at: now) }

    /// Turns Bluetooth on.
    package mutating func powerOn(at now: Instant) { perform(power.powerOn(), at: now) }

    private mutating func perform(_ command: AdapterPower.Command, at now: Instant) {
        switch command {
        case .nothing: break
        case .start: context.host.start(at: now)
        case .powerOff: context.host.powerOff(at: now)
        case .closeTransport: context.host.transportClosed(at: now)
        }
    }
}
