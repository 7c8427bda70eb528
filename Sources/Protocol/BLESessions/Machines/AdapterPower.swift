import BLEAdapter
import BLEHost

/// Whether the adapter is on, is to be on, and has a controller.
struct AdapterPower {
    /// What the host does next.
    enum Command { case nothing, start, powerOff, closeTransport }

    /// What a change of the host means for sessions.
    enum Change {
        case nothing
        case ready
        case off
        /// The adapter is gone, so that sessions lose their services.
        case gone(as: AdapterState, HostError, isFinal: Bool)
    }

    private(set) var state = AdapterState.unknown
    /// Whether the host has a controller.
    private(set) var isAttached = false
    private var wantsPower = true
    /// The adapter is going away. Links that end now are not reported: sessions get the state instead.
    private(set) var isGoingDown = false
    /// The number of times that the host has become ready.
    private(set) var timesReady = 0
    /// The adapter's state after the host has failed and the controller is not expected to return.
    var stateOfFailure = AdapterState.unsupported

    /// Whether sessions can use the controller.
    var isUsable: Bool { state == .poweredOn && !isGoingDown }

    /// Returns true if the state changes.
    mutating func setState(_ new: AdapterState) -> Bool {
        guard new != state else { return false }
        state = new
        return true
    }

    mutating func beginGoingDown() { isGoingDown = true }

    mutating func endGoingDown() { isGoingDown = false }

    /// Takes a new controller. Powers it on if the adapter is to be on.
    mutating func attach(_ host: HostState) -> Command {
        isAttached = true
        isGoingDown = false
        if wantsPower { return .start }
        return host == .off ? .nothing : .powerOff
    }

    /// Takes the loss of the controller.
    mutating func detach(_ host: HostState) -> Command {
        guard isAttached else { return .nothing }
        isAttached = false
        isGoingDown = true
        // A host in the state `.failed` has reported its end already.
        if case .failed = host { return .nothing }
        return .closeTransport
    }

    /// Ends the links because the radio was switched off from outside.
    mutating func prepareToBlock(_ host: HostState) -> Command {
        guard isAttached else { return .nothing }
        isGoingDown = true
        // A host that is powering off treats the end of its transport as the end of the power-off.
        return host == .off ? .nothing : .powerOff
    }

    /// Takes the end of the transport after that.
    mutating func block(_ host: HostState) -> Command {
        isAttached = false
        return host == .off ? .nothing : .closeTransport
    }

    /// Turns Bluetooth off. The host disconnects its links first.
    mutating func powerOff(_ host: HostState) -> Command {
        wantsPower = false
        // A host in the state `.off` reports no further end.
        guard isAttached, !isGoingDown, host != .off else { return .nothing }
        isGoingDown = true
        return .powerOff
    }

    /// Turns Bluetooth on.
    mutating func powerOn() -> Command {
        wantsPower = true
        // A power-off under way ends first.
        guard isAttached, !isGoingDown else { return .nothing }
        return .start
    }

    /// Whether the adapter starts again after a power-off.
    var startsAgain: Bool { wantsPower && isAttached }

    mutating func hostChanged(_ new: HostState) -> Change {
        switch new {
        case .starting: return .nothing
        case .ready:
            isGoingDown = false
            timesReady += 1
            return .ready
        case .off:
            isGoingDown = false
            return .off
        case .resetting(let failure): return .gone(as: .resetting, failure, isFinal: false)
        case .failed(let failure):
            // A controller that worked and then disappeared may return.
            let mayComeBack = failure == .transportClosed && timesReady > 0 && state != stateOfFailure
            return .gone(as: mayComeBack ? .resetting : stateOfFailure, failure, isFinal: true)
        }
    }
}
