import Dispatch
import Foundation
import Testing

@testable import BLETransport

@Suite(.timeLimit(.minutes(10))) struct ProcessSignalsRealTimeTests {
    /// A libdispatch source loses such a signal in one of three runs of a program on two cores.
    @Test func aSignalArrivesAsSoonAsTheInitialiserHasReturned() async {
        let (numbers, continuation) = AsyncStream<Int32>.makeStream()
        let signals = ProcessSignals([SIGUSR1, SIGUSR2], on: .global()) { continuation.yield($0) }
        kill(getpid(), SIGUSR1)
        kill(getpid(), SIGUSR2)
        var received: Set<Int32> = []
        for await number in numbers {
            received.insert(number)
            if received.count == 2 { break }
        }
        #expect(received == [SIGUSR1, SIGUSR2])
        signals.cancel()
    }

    @Test func eachReceiverGetsItsSignalsUntilItIsCancelled() async {
        let (first, toFirst) = AsyncStream<Int32>.makeStream()
        let (second, toSecond) = AsyncStream<Int32>.makeStream()
        let cancelled = ProcessSignals([SIGWINCH], on: .global()) { _ in toFirst.finish() }
        cancelled.cancel()
        let signals = ProcessSignals([SIGWINCH], on: .global()) { toSecond.yield($0) }
        kill(getpid(), SIGWINCH)
        for await number in second {
            #expect(number == SIGWINCH)
            break
        }
        toFirst.yield(0)
        for await number in first {
            #expect(number == 0)
            break
        }
        signals.cancel()
    }
}
