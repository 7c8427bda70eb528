import BLEAdapter
import BLETransport
import BLEWire
import Testing

@testable import BLERuntime

@Suite struct AdapterRecoveryTests {
    private func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: 0) + .milliseconds(milliseconds) }

    @Test func attemptsGrowRarerUpToHalfAMinute() {
        var recovery = AdapterRecovery()
        var now = at(0)
        var delays: [Int64] = []
        for _ in 0..<9 {
            recovery.attemptStarted()
            #expect(recovery.nextAttempt == nil)
            #expect(recovery.failed(.notFound, at: now) == .unsupported)
            guard let next = recovery.nextAttempt else { break }
            delays.append((next - now).nanoseconds / 1_000_000)
            now = next
        }
        #expect(delays == [500, 1000, 2000, 4000, 8000, 16000, 30000, 30000, 30000])
    }

    @Test func anAdapterThatWorkedIsExpectedBackForAWhile() {
        var recovery = AdapterRecovery()
        recovery.lost(at: at(10_000), workedAgain: true)
        #expect(recovery.nextAttempt == at(10_500))
        #expect(recovery.failed(.notFound, at: at(10_500)) == .resetting)
        #expect(recovery.failed(.system, at: at(14_900)) == .resetting)
        #expect(recovery.failed(.notFound, at: at(15_000)) == .unsupported)
    }

    @Test func anAdapterThatEndsAtEachStartIsNotTriedFasterAndFaster() {
        var recovery = AdapterRecovery()
        recovery.lost(at: at(0), workedAgain: true)
        recovery.lost(at: at(600), workedAgain: false)
        #expect(recovery.nextAttempt == at(1600))
        recovery.lost(at: at(2000), workedAgain: false)
        #expect(recovery.nextAttempt == at(4000))
        recovery.lost(at: at(5000), workedAgain: true)
        #expect(recovery.nextAttempt == at(5500))
    }

    @Test func aMissingRightIsFinal() {
        var recovery = AdapterRecovery()
        #expect(recovery.failed(.permissionDenied, at: at(0)) == .unauthorized)
        #expect(recovery.nextAttempt == nil)
        recovery.somethingChanged(at: at(1))
        #expect(recovery.nextAttempt == nil)
    }

    @Test func aSwitchedOffRadioIsPoweredOffAndLookedAtWhenTheSwitchIsThrown() {
        var recovery = AdapterRecovery()
        for second in 0..<8 { #expect(recovery.failed(.blocked, at: at(1000 * second)) == .poweredOff) }
        recovery.somethingChanged(at: at(9000))
        #expect(recovery.nextAttempt == at(9000))
        // And then patience begins anew.
        _ = recovery.failed(.blocked, at: at(9000))
        #expect(recovery.nextAttempt == at(9500))
    }

    @Test func afterTheSwitchAnAbsentAdapterIsNotAResettingOne() {
        var recovery = AdapterRecovery()
        recovery.lost(at: at(0), workedAgain: true)
        recovery.blocked(at: at(100))
        #expect(recovery.failed(.notFound, at: at(600)) == .unsupported)
    }
}
