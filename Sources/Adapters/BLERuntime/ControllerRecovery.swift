import BLEAdapter
import BLEHostAdapter
import BLEWire

/// The rules for reopening a kind of controller, and the adapter's state until then.
package struct RecoveryPolicy: Hashable, Sendable {
    /// The delay of the first attempt after a loss. Each failed attempt doubles it.
    package var firstDelay: TimeSpan
    package var longestDelay: TimeSpan
    /// The state while the controller does not work and is not expected to return.
    package var stateOfFailure: AdapterState
    /// The time after a loss for which the adapter is `.resetting` if the controller cannot be opened; nil for no
    /// limit.
    package var resettingPeriod: TimeSpan?
    /// Whether a controller is reopened only if it has worked and its connection ended.
    package var requiresLoss: Bool

    package init(
        firstDelay: TimeSpan, longestDelay: TimeSpan, stateOfFailure: AdapterState, resettingPeriod: TimeSpan?,
        requiresLoss: Bool
    ) {
        self.firstDelay = firstDelay
        self.longestDelay = longestDelay
        self.stateOfFailure = stateOfFailure
        self.resettingPeriod = resettingPeriod
        self.requiresLoss = requiresLoss
    }

    /// A controller behind a socket or a serial port. If it cannot be opened or does not start at first, the adapter
    /// stays `.unsupported`. After it has worked, it is opened again after 1 s, 2 s, 4 s and so on up to 30 s.
    package static let socket = RecoveryPolicy(
        firstDelay: .seconds(1), longestDelay: .seconds(30), stateOfFailure: .unsupported, resettingPeriod: nil,
        requiresLoss: true)

    /// An adapter of this machine. It is opened again after 0.5 s, 1 s, 2 s and so on up to 30 s. A USB reset removes
    /// the adapter for a moment, so it counts as returning for 5 s.
    package static let systemAdapter = RecoveryPolicy(
        firstDelay: .milliseconds(500), longestDelay: .seconds(30), stateOfFailure: .unsupported,
        resettingPeriod: .seconds(5), requiresLoss: false)

    /// A shared radio. A program may start before it, so the adapter is `.poweredOff` and the library tries the socket
    /// each second.
    package static let sharedRadio = RecoveryPolicy(
        firstDelay: .seconds(1), longestDelay: .seconds(1), stateOfFailure: .poweredOff,
        resettingPeriod: .seconds(0), requiresLoss: false)
}

/// The attempts to open a controller, as a value: the time is an argument.
struct ControllerRecovery {
    private let policy: RecoveryPolicy
    /// The time to open the controller; nil if no attempt is due.
    private(set) var nextAttempt: Instant?
    private var delay: TimeSpan
    private var lostAt: Instant?

    init(_ policy: RecoveryPolicy) {
        self.policy = policy
        delay = policy.firstDelay
    }

    mutating func attemptStarted() { nextAttempt = nil }

    /// Takes a failure of the host.
    ///
    /// - Parameters:
    ///   - connectionEnded: Whether the cause is the end of the connection to the controller.
    ///   - workedAgain: Whether the controller was ready since the last failure.
    mutating func hostFailed(connectionEnded: Bool, workedAgain: Bool, at now: Instant) {
        if workedAgain {
            delay = policy.firstDelay
            lostAt = now
        }
        if policy.requiresLoss, !connectionEnded || lostAt == nil {
            nextAttempt = nil
        } else {
            scheduleAttempt(now)
        }
    }

    /// Takes a failed attempt to open the controller. Returns the adapter's state.
    mutating func openingFailed(_ reason: ControllerOpeningError.Reason, at now: Instant) -> AdapterState {
        switch reason {
        case .notPermitted:
            // Capabilities given to the program's file take effect at its next start (capabilities(7)).
            nextAttempt = nil
            return .unauthorized
        case .blocked:
            scheduleAttempt(now)
            return .poweredOff
        case .unavailable:
            if policy.requiresLoss, lostAt == nil {
                nextAttempt = nil
                return policy.stateOfFailure
            }
            scheduleAttempt(now)
            guard let lostAt else { return policy.stateOfFailure }
            let isExpectedBack = policy.resettingPeriod.map { now - lostAt < $0 } ?? true
            return isExpectedBack ? .resetting : policy.stateOfFailure
        }
    }

    /// Takes the switch-off of the radio while the controller was in use.
    mutating func blocked(at now: Instant) {
        delay = policy.firstDelay
        lostAt = nil
        scheduleAttempt(now)
    }

    /// Takes a change of a radio switch, or an added or removed adapter. A later attempt becomes due now.
    mutating func surroundingsChanged(at now: Instant) {
        guard nextAttempt != nil else { return }
        delay = policy.firstDelay
        nextAttempt = now
    }

    private mutating func scheduleAttempt(_ now: Instant) {
        nextAttempt = now + delay
        delay = min(delay + delay, policy.longestDelay)
    }
}
