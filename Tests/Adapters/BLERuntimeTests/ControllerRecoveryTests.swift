import BLEAdapter
import BLETransport
import BLEWire
import Testing

@testable import BLEHostAdapter
@testable import BLERuntime

/// The recovery of the three kinds of controller, as a value.
@Suite struct ControllerRecoveryTests {
    private func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: 0) + .milliseconds(milliseconds) }

    /// Fails nine attempts to open a controller; gives the delays between them in milliseconds.
    private func delays(_ recovery: inout ControllerRecovery, from start: Instant, _ state: AdapterState) -> [Int64] {
        var now = start
        var delays: [Int64] = []
        for _ in 0..<9 {
            recovery.attemptStarted()
            #expect(recovery.nextAttempt == nil)
            #expect(recovery.openingFailed(.unavailable, at: now) == state)
            guard let next = recovery.nextAttempt else {
                Issue.record("no attempt after \(delays)")
                break
            }
            delays.append((next - now).nanoseconds / 1_000_000)
            now = next
        }
        return delays
    }

    // MARK: An adapter of this machine

    @Test func attemptsToOpenAnAdapterBackOffUpTo30Seconds() {
        var recovery = ControllerRecovery(.systemAdapter)
        let delays = delays(&recovery, from: at(0), .unsupported)
        #expect(delays == [500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000])
    }

    @Test func aLostAdapterIsResettingFor5Seconds() {
        var recovery = ControllerRecovery(.systemAdapter)
        recovery.hostFailed(connectionEnded: true, workedAgain: true, at: at(10_000))
        #expect(recovery.nextAttempt == at(10_500))
        #expect(recovery.openingFailed(.unavailable, at: at(10_500)) == .resetting)
        #expect(recovery.openingFailed(.unavailable, at: at(14_900)) == .resetting)
        #expect(recovery.openingFailed(.unavailable, at: at(15_000)) == .unsupported)
    }

    @Test func anAdapterThatFailsAtEachStartBacksOff() {
        var recovery = ControllerRecovery(.systemAdapter)
        recovery.hostFailed(connectionEnded: false, workedAgain: true, at: at(0))
        recovery.hostFailed(connectionEnded: false, workedAgain: false, at: at(600))
        #expect(recovery.nextAttempt == at(1600))
        recovery.hostFailed(connectionEnded: true, workedAgain: false, at: at(2000))
        #expect(recovery.nextAttempt == at(4000))
        recovery.hostFailed(connectionEnded: true, workedAgain: true, at: at(5000))
        #expect(recovery.nextAttempt == at(5500))
    }

    @Test func aMissingPermissionIsFinal() {
        var recovery = ControllerRecovery(.systemAdapter)
        #expect(recovery.openingFailed(.notPermitted, at: at(0)) == .unauthorized)
        #expect(recovery.nextAttempt == nil)
        recovery.surroundingsChanged(at: at(1))
        #expect(recovery.nextAttempt == nil)
    }

    @Test func aSwitchedOffRadioIsPoweredOffAndOpenedWhenTheSwitchChanges() {
        var recovery = ControllerRecovery(.systemAdapter)
        for second in 0..<8 { #expect(recovery.openingFailed(.blocked, at: at(1000 * second)) == .poweredOff) }
        recovery.surroundingsChanged(at: at(9000))
        #expect(recovery.nextAttempt == at(9000))
        // The delays begin anew.
        _ = recovery.openingFailed(.blocked, at: at(9000))
        #expect(recovery.nextAttempt == at(9500))
    }

    @Test func afterTheSwitchAnAbsentAdapterIsNotResetting() {
        var recovery = ControllerRecovery(.systemAdapter)
        recovery.hostFailed(connectionEnded: true, workedAgain: true, at: at(0))
        recovery.blocked(at: at(100))
        #expect(recovery.openingFailed(.unavailable, at: at(600)) == .unsupported)
    }

    @Test(
        arguments: [
            (.permissionDenied, false, .notPermitted), (.blocked, false, .blocked), (.notFound, true, .blocked),
            (.notFound, false, .unavailable), (.addressInUse, true, .unavailable), (.system, false, .unavailable),
        ] as [(TransportError.Kind, Bool, ControllerOpeningError.Reason)])
    func theErrorOfAnAdapterDecidesItsState(
        _ kind: TransportError.Kind, _ isBlocked: Bool, _ reason: ControllerOpeningError.Reason
    ) {
        let failure = ControllerOpeningError(adapter: TransportError(kind, "No."), isBlocked: isBlocked)
        #expect(failure.reason == reason && failure.sentence == "No.")
    }

    // MARK: A socket

    @Test func aSocketThatCannotBeOpenedAtFirstIsUnsupportedForGood() {
        var recovery = ControllerRecovery(.socket)
        #expect(recovery.openingFailed(.unavailable, at: at(0)) == .unsupported)
        #expect(recovery.nextAttempt == nil)
    }

    @Test func aSocketWhoseControllerNeverStartedIsNotOpenedAgain() {
        var recovery = ControllerRecovery(.socket)
        recovery.hostFailed(connectionEnded: true, workedAgain: false, at: at(0))
        #expect(recovery.nextAttempt == nil)
    }

    @Test func aLostSocketIsResettingAndOpenedAgainUntilItWorks() {
        var recovery = ControllerRecovery(.socket)
        recovery.hostFailed(connectionEnded: true, workedAgain: true, at: at(0))
        #expect(recovery.nextAttempt == at(1000))
        #expect(
            delays(&recovery, from: at(1000), .resetting) == [
                2000, 4000, 8000, 16000, 30000, 30000, 30000, 30000, 30000,
            ])
        // It connects, and ends before the controller is ready: the delay does not start anew.
        recovery.hostFailed(connectionEnded: true, workedAgain: false, at: at(200_000))
        #expect(recovery.nextAttempt == at(230_000))
        recovery.hostFailed(connectionEnded: true, workedAgain: true, at: at(300_000))
        #expect(recovery.nextAttempt == at(301_000))
    }

    @Test func aSocketWhoseControllerStopsWorkingIsNotOpenedAgain() {
        var recovery = ControllerRecovery(.socket)
        recovery.hostFailed(connectionEnded: false, workedAgain: true, at: at(0))
        #expect(recovery.nextAttempt == nil)
    }

    // MARK: The shared radio

    @Test func aSharedRadioIsPoweredOffAndTriedEachSecond() {
        var recovery = ControllerRecovery(.sharedRadio)
        #expect(delays(&recovery, from: at(0), .poweredOff) == [Int64](repeating: 1000, count: 9))
    }

    @Test(arguments: [true, false]) func aLostSharedRadioIsTriedEachSecond(connectionEnded: Bool) {
        var recovery = ControllerRecovery(.sharedRadio)
        for second in 0..<5 {
            recovery.hostFailed(connectionEnded: connectionEnded, workedAgain: second == 0, at: at(1000 * second))
            #expect(recovery.nextAttempt == at(1000 * second + 1000))
        }
        #expect(recovery.openingFailed(.unavailable, at: at(5000)) == .poweredOff)
        #expect(recovery.nextAttempt == at(6000))
    }
}
