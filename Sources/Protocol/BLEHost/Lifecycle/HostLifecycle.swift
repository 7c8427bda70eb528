import BLEWire

/// The life of a host: off, starting, running, stopping. It decides what follows a failure of the controller, and keeps what the start-up
/// sequence has learned about it.
struct HostLifecycle: Sendable {
    enum Phase: Sendable {
        case off
        /// Indirect, so that a running host stays small.
        indirect case starting(StartUp)
        case running
        /// Powering off: links are ending.
        case stopping(until: Instant)
        /// Powering off: the last Reset is under way.
        case closing
    }

    /// What follows a failure.
    enum Recovery: Hashable, Sendable {
        /// The host was powering off and is off now.
        case off
        /// The start-up sequence runs again.
        case restart
        /// The host has failed too often.
        case end
    }

    /// The time that a power-off waits for the disconnection of the links.
    private static var powerOffPeriod: TimeSpan { .seconds(1) }

    var phase = Phase.off
    private(set) var state: HostState = .off
    var capabilities = ControllerCapabilities()
    /// Whether the controller has failed at a command of extended advertising since `start`. The next start-up chooses the legacy commands.
    private(set) var refusesExtendedAdvertising = false
    private var failures = 0
    private var lastFailure: Instant?
    private let startAttempts: Int
    private let recoveryPeriod: TimeSpan

    init(configuration: HostConfiguration) {
        startAttempts = configuration.startAttempts
        recoveryPeriod = configuration.recoveryPeriod
    }

    // MARK: Phases

    var isOff: Bool { if case .off = phase { true } else { false } }
    var isRunning: Bool { if case .running = phase { true } else { false } }
    /// Whether links are ending for a power-off.
    var isStopping: Bool { if case .stopping = phase { true } else { false } }
    /// Whether a power-off is under way.
    var isPoweringOff: Bool {
        switch phase {
        case .stopping, .closing: true
        case .off, .starting, .running: false
        }
    }
    /// The end of the wait for the disconnection of the links.
    var deadline: Instant? { if case .stopping(let until) = phase { until } else { nil } }

    mutating func setState(_ new: HostState, _ output: inout HostOutput) {
        guard state != new else { return }
        state = new
        output.events.append(.stateChanged(new))
    }

    /// Starts a host that is off. Returns false if it is not.
    mutating func start(_ output: inout HostOutput) -> Bool {
        guard isOff else { return false }
        lastFailure = nil
        refusesExtendedAdvertising = false
        setState(.starting, &output)
        return true
    }

    /// Begins to power off.
    mutating func stop(at now: Instant) { phase = .stopping(until: now + Self.powerOffPeriod) }

    // MARK: Start-up

    /// Passes an input to the start-up sequence. Returns nil if it does not run, or if the answer is not to its current command.
    mutating func advance(
        _ opcode: HCI.Opcode, _ input: (inout StartUp) -> StartUp.Action
    ) -> StartUp.Action? {
        guard case .starting(var startUp) = phase, startUp.step.opcode == opcode else { return nil }
        let action = input(&startUp)
        phase = .starting(startUp)
        return action
    }

    /// Sends the command of the current step.
    func sendStep(_ output: inout HostOutput) {
        if case .starting(let startUp) = phase { startUp.send(&output.commands) }
    }

    /// Ends the start-up sequence.
    mutating func run() {
        if case .starting(let startUp) = phase { capabilities = startUp.capabilities }
        phase = .running
    }

    // MARK: Failures

    /// Takes note that the controller did not answer a command, or does not have it although it lists it. Returns whether that is one of
    /// extended advertising, in place of which the host can use a legacy one after a reset.
    mutating func lacks(_ opcode: HCI.Opcode) -> Bool {
        guard isRunning, capabilities.usesExtendedAdvertising,
            ControllerCapabilities.extendedAdvertisingCommands.contains(opcode)
        else { return false }
        refusesExtendedAdvertising = true
        return true
    }

    /// Takes note of a failure whose links have ended.
    mutating func failed(wasPoweringOff: Bool, at now: Instant) -> Recovery {
        phase = .off
        if wasPoweringOff { return .off }
        failures = hasFailedRecently(at: now) ? failures + 1 : 1
        lastFailure = now
        return failures < startAttempts ? .restart : .end
    }

    /// Whether a failure is so recent that another counts with it.
    func hasFailedRecently(at now: Instant) -> Bool {
        lastFailure.map { now - $0 < recoveryPeriod } ?? false
    }
}
