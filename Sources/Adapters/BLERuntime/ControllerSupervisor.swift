import BLEAdapter
import BLEHost
import BLEHostAdapter
import BLEStore
import BLETransport
import BLEWire
import Dispatch
import Logging

/// Opens a controller for a host, and reopens it after a loss, according to its source's `RecoveryPolicy`.
///
/// While the controller cannot be used, the adapter's state is:
/// - `.poweredOff`: its radio is switched off, or the shared radio does not run;
/// - `.unauthorized`: this program lacks the permission to use it, which is final;
/// - `.resetting`: it worked and is expected to return;
/// - `.unsupported`: any other reason.
///
/// The supervisor lives as long as its adapter.
///
/// `@unchecked Sendable`: all state is used only in steps of the executor and between them.
package final class ControllerSupervisor: @unchecked Sendable {
    private let source: any ControllerSource
    private let executor: RealTimeExecutor
    private let capture: HCICapture?
    private let report: Report
    private let log = LibraryLog.logger()
    /// Owns this object.
    private var driver: HostDriver? { executor.owner }
    private var recovery: ControllerRecovery
    private var timesReady = 0
    private var watcher: AnyObject?
    /// The failure that was reported last. Attempts do not repeat it.
    private var reportedSentence = ""
    /// The number of the scheduled attempt. A timer with another number has been superseded.
    private var attempt = 0

    /// Receives each new failure: its kind, and a sentence.
    package typealias Report = @Sendable (ControllerError.Kind, String) -> Void

    private init(
        _ source: any ControllerSource, _ executor: RealTimeExecutor, _ capture: HCICapture?,
        _ report: @escaping Report
    ) {
        self.source = source
        self.executor = executor
        self.capture = capture
        self.report = report
        recovery = ControllerRecovery(source.recoveryPolicy)
    }

    /// Creates an adapter with the controller of `source`. Fails if the system has no descriptor or no thread left.
    ///
    /// - Parameters:
    ///   - store: The persistent data of peers and of restorable managers.
    ///   - capture: Records the packets between host and controller.
    ///   - onPower: Called before each state `.poweredOn`.
    ///   - report: Receives each new failure before the state that it leads to.
    package static func adapter(
        for source: any ControllerSource, seed: UInt64, configuration: HostConfiguration, store: DeviceStore,
        capture: HCICapture? = nil, callbackRules: CallbackRules = CallbackRules(),
        onPower: @escaping @Sendable () -> Void = {},
        report: @escaping Report = { _, sentence in LibraryLog.logger().error("\(sentence)") }
    ) throws(TransportError) -> HostAdapter {
        let executor = try RealTimeExecutor(label: "bluetooth.\(source.name)")
        var random = SeededRandom(seed: seed)
        let adapter = HostAdapter(
            executor: executor, configuration: configuration, store: store, random: random.fork(),
            callbackRules: callbackRules)
        let supervisor = ControllerSupervisor(source, executor, capture, report)
        adapter.submit { driver in
            driver.stateOfFailure = source.recoveryPolicy.stateOfFailure
            driver.onFailure = { supervisor.hostFailed($0) }
            driver.onFailureNote = { sentence, isReset in report(isReset ? .beingReset : .failed, sentence) }
            driver.onPower = onPower
            supervisor.watch()
            supervisor.open()
        }
        return adapter
    }

    private func watch() {
        watcher = source.watch(on: executor.queue) { [weak self] in
            guard let self else { return }
            executor.runBetweenSteps { self.surroundingsChanged() }
        }
    }

    private func open() {
        recovery.attemptStarted()
        executor.queue.async { [weak self] in
            guard let self else { return }
            source.open(on: executor.queue) { [weak self] result in
                guard let self else { return }
                executor.runBetweenSteps { self.openingEnded(result) }
            }
        }
    }

    private func openingEnded(_ result: Result<TransportConnection, ControllerOpeningError>) {
        guard let driver else { return }
        switch result {
        case .success(let connection):
            reportedSentence = ""
            let stream = PolledStream(connection) { [executor] block in
                executor.queue.async { executor.runBetweenSteps(block) }
            }
            driver.attach(stream, capture: capture, executor: executor) { [weak self] in
                self?.powerOffIfBlocked() ?? false
            }
        case .failure(let failure):
            let state = recovery.openingFailed(failure.reason, at: executor.now)
            if let details = failure.details { log.debug("\(details)") }
            // The log already has the loss of a controller behind a socket. Failed attempts are not logged until the
            // adapter's state changes.
            if state == .resetting, source.recoveryPolicy.requiresLoss {
                log.debug("\(failure.sentence)")
            } else {
                reportOnce(failure.kind, failure.sentence)
            }
            driver.setState(state)
            scheduleAttempt()
        }
        driver.flush()
    }

    private func reportOnce(_ kind: ControllerError.Kind, _ sentence: String) {
        guard sentence != reportedSentence else { return }
        reportedSentence = sentence
        report(kind, sentence)
    }

    /// Handles a failure of the host: the connection ended, or the controller does not work as specified.
    private func hostFailed(_ failure: HostError) {
        guard let driver else { return }
        driver.detach()
        recovery.hostFailed(
            connectionEnded: failure == .transportClosed, workedAgain: driver.timesReady != timesReady, at: executor.now
        )
        timesReady = driver.timesReady
        scheduleAttempt()
    }

    /// Powers the host off if the radio is switched off, which is not a failure of the controller. Returns whether it
    /// is off.
    private func powerOffIfBlocked() -> Bool {
        guard let driver, source.isBlocked() else { return false }
        reportOnce(.blocked, "The radio of \(source.name) was switched off.")
        driver.block()
        recovery.blocked(at: executor.now)
        scheduleAttempt()
        return true
    }

    private func surroundingsChanged() {
        guard let driver else { return }
        if driver.isAttached {
            if powerOffIfBlocked() { driver.flush() }
        } else {
            recovery.surroundingsChanged(at: executor.now)
            scheduleAttempt()
        }
    }

    /// Sets a timer for the next attempt and supersedes the timer before.
    private func scheduleAttempt() {
        attempt += 1
        guard let instant = recovery.nextAttempt else { return }
        let number = attempt
        let delay = max(0, (instant - executor.now).nanoseconds)
        executor.queue.asyncAfter(deadline: .now() + .nanoseconds(Int(delay))) { [weak self] in
            guard let self else { return }
            executor.runBetweenSteps {
                guard number == self.attempt, self.recovery.nextAttempt != nil else { return }
                self.open()
            }
        }
    }
}
