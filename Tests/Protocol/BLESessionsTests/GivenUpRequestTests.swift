import BLEAdapter
import BLEHost
import BLEWire
import Testing

@testable import BLESessions

/// Sessions that give up while something of theirs runs, and their second round.
struct GivenUpRequestTests {
    private let address: UInt64 = 0xC000_0000_0001
    private var peer: PeerIdentifier { SessionBench.peer(address) }

    private func disconnected(_ end: LinkEnd, isReconnecting: Bool = false) -> SessionEvent {
        .disconnected(peer, end, isReconnecting: isReconnecting, session: 1)
    }

    /// The handles of the reads that ended well, in order, of one session.
    private func reads(_ events: [SessionEvent], session: Int) -> [UInt16] {
        events.compactMap {
            if case .completed(.read(let handle), _, .success(.value([0x2A])), session: session) = $0 {
                handle
            } else {
                nil
            }
        }
    }

    /// Answers the requests of the host until it has none.
    private func answerAll(_ bench: SessionBench) {
        for _ in 0..<50 {
            if bench.controller.heldRequests.isEmpty { return }
            #expect(bench.controller.heldRequests.count == 1)
            bench.controller.answerRequest()
            bench.settle()
        }
        Issue.record("the host does not stop")
    }

    /// A session cancels while its request is on the air and others of it wait. The other session's requests follow.
    @Test(arguments: 1...4, [true, false]) func theRequestsOfOthersFollowTheRunningOne(count: Int, closes: Bool) {
        let bench = SessionBench.ready(centrals: 1, 2)
        for session in [1, 2] { bench.connect(address, session: session) }
        bench.run(.seconds(30))
        bench.controller.holdsRequests = true
        for round in 0..<3 {
            _ = bench.take()
            for handle in 0..<UInt16(count) {
                bench.call { $0.submit(.read(handle: 10 + handle), to: peer, session: 1, at: $1) }
            }
            for handle in 0..<2 as Range<UInt16> {
                bench.call { $0.submit(.read(handle: 90 + handle), to: peer, session: 2, at: $1) }
            }
            #expect(bench.controller.heldRequests.map(\.pdu) == [[0x0A, 10, 0]])
            if closes, round == 2 {
                bench.call { $0.closeCentral(1, at: $1) }
            } else {
                bench.cancel(address, session: 1)
                #expect(bench.take() == [disconnected(.cancelled)])
            }
            #expect(bench.controller.heldRequests.count == 1)
            answerAll(bench)
            let events = bench.take()
            #expect(reads(events, session: 2) == [90, 91], "round \(round)")
            #expect(reads(events, session: 1).dropFirst().isEmpty)
            #expect(bench.sessions.context.links.first?.operations.isEmpty == true)
            guard round < 2 else { continue }
            bench.connect(address, session: 1)
            #expect(bench.take() == [.connected(PeerRecord(identifier: peer, name: nil), session: 1)])
            bench.call { $0.submit(.read(handle: 50), to: peer, session: 1, at: $1) }
            answerAll(bench)
            #expect(reads(bench.take(), session: 1) == [50])
        }
        // Nothing is overdue.
        answerAll(bench)
        bench.controller.holdsRequests = false
        bench.run(.seconds(100))
        #expect(bench.controller.handles.count == 1)
    }

    /// The cancellation and the end of the link cross: the session gets the end as its own. Automatic reconnection ends with the
    /// cancellation, and begins again with the next request.
    @Test(arguments: [UInt8(0x08), 0x13, 0x16, 0x3D, 0x3E])
    func aCancellationThatCrossesTheEndOfItsLinkDoesNotReconnect(reason: UInt8) {
        let bench = SessionBench.ready(centrals: 1)
        for round in 1...3 {
            bench.controller.endsLinks = true
            bench.connect(address, session: 1, ConnectionOptions(reconnectsAutomatically: true))
            #expect(bench.take().count == 1 && bench.controller.attempts.count == 2 * round - 1)
            // A loss alone reconnects.
            bench.controller.end(bench.controller.handles[0], 0x08)
            bench.settle()
            #expect(bench.take().first == disconnected(.failed(.supervisionTimeout), isReconnecting: true))
            #expect(bench.controller.attempts.count == 2 * round)
            bench.controller.endsLinks = false
            bench.cancel(address, session: 1)
            #expect(bench.take().isEmpty)
            bench.controller.end(bench.controller.handles[0], reason)
            bench.settle()
            #expect(bench.take() == [disconnected(.cancelled)], "round \(round)")
            bench.run(.seconds(60))
            #expect(bench.take().isEmpty && bench.controller.attempts.count == 2 * round)
            #expect(bench.sessions.connections.requests.isEmpty && bench.sessions.context.peers.count == 0)
        }
    }

    /// The same with a request that follows the cancellation: the new link is its answer, not a reconnection.
    @Test func aRequestAfterACrossingCancellationIsANewOne() {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(address, session: 1, ConnectionOptions(reconnectsAutomatically: true))
        _ = bench.take()
        bench.controller.endsLinks = false
        bench.cancel(address, session: 1)
        bench.connect(address, session: 1, ConnectionOptions(reconnectsAutomatically: true))
        bench.controller.end(bench.controller.handles[0], 0x08)
        bench.settle()
        let connected = SessionEvent.connected(PeerRecord(identifier: peer, name: nil), session: 1)
        #expect(bench.take() == [disconnected(.cancelled), connected])
    }

    /// Attempts of a controller that takes no time for one are counted, and the next request has all of them again.
    @Test func aRequestAfterAFailedOneHasAllItsAttempts() {
        let bench = SessionBench.ready(centrals: 1, 2)
        for round in 1...3 {
            // Another session waits with a start delay, so that the peer's record stays.
            bench.connect(address, session: 2, ConnectionOptions(startDelay: .seconds(1_000)))
            bench.controller.outcomes = [ScriptedController.Outcome](repeating: .lost(0x3E), count: 100)
            bench.connect(address, session: 1)
            #expect(bench.take() == [.connectionFailed(peer, .establishmentFailed, session: 1)])
            #expect(bench.controller.attempts.count == 100 * round && bench.controller.outcomes.isEmpty)
        }
    }

    /// Attempts that fail are repeated for 10 s after the first failure, however many they are, and the next request has 10 s again.
    @Test(arguments: [100, 250, 3_000]) func attemptsAreRepeatedForATime(milliseconds: Int) {
        let bench = SessionBench.ready(centrals: 1, 2)
        for _ in 0..<2 {
            bench.connect(address, session: 2, ConnectionOptions(startDelay: .seconds(1_000)))
            let before = bench.controller.attempts.count
            bench.controller.outcomes = [ScriptedController.Outcome](repeating: .pending, count: 200)
            bench.connect(address, session: 1)
            let first = bench.now + .milliseconds(milliseconds)
            var failures = 0
            while failures < 200, bench.take().isEmpty {
                bench.run(.milliseconds(milliseconds))
                bench.controller.failAttempt(0x3E)
                bench.settle()
                failures += 1
                if bench.now - first < .seconds(10), failures < 100 {
                    #expect(bench.controller.attempts.count - before == failures + 1)
                }
            }
            // The last one ends 10 s after the first, or with the next attempt after that.
            #expect(failures == min(100, (10_000 + milliseconds - 1) / milliseconds + 1))
            #expect(bench.controller.attempts.count - before == failures)
            bench.controller.outcomes = []
            bench.cancel(address, session: 2)
            _ = bench.take()
        }
    }

    /// An attempt to a device that was away for a minute has all the time again: its failure is the first one of a new row.
    @Test func aFailureAfterALongAttemptIsNoReasonToGiveUp() {
        let bench = SessionBench.ready(centrals: 1)
        bench.controller.outcomes = [ScriptedController.Outcome](repeating: .pending, count: 20)
        bench.connect(address, session: 1)
        for number in 1...10 {
            bench.run(.seconds(60))
            bench.controller.failAttempt(0x3E)
            bench.settle()
            #expect(bench.take().isEmpty && bench.controller.attempts.count == number + 1)
        }
    }

    /// The end of an attempt leaves the start delay of another session, and its attempt.
    @Test func aCancelledAttemptIsMadeAgainForALaterSession() {
        let bench = SessionBench.ready(centrals: 1, 2)
        for round in 1...2 {
            bench.controller.outcomes = [.pending, .up]
            bench.connect(address, session: 2, ConnectionOptions(startDelay: .seconds(2)))
            bench.connect(address, session: 1)
            bench.cancel(address, session: 1)
            #expect(bench.take() == [disconnected(.cancelled)])
            bench.run(.seconds(2))
            let connected = SessionEvent.connected(PeerRecord(identifier: peer, name: nil), session: 2)
            #expect(bench.take() == [connected] && bench.controller.attempts.count == 2 * round)
            bench.cancel(address, session: 2)
            _ = bench.take()
        }
    }

    /// The start delay of a cancelled request does not start the next one.
    @Test func aStartDelayEndsWithItsRequest() {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(address, session: 1, ConnectionOptions(startDelay: .seconds(2)))
        bench.cancel(address, session: 1)
        #expect(bench.take() == [disconnected(.cancelled)])
        bench.run(.seconds(1))
        bench.connect(address, session: 1, ConnectionOptions(startDelay: .seconds(2)))
        bench.run(.milliseconds(1_999))
        #expect(bench.controller.attempts.isEmpty && bench.take().isEmpty)
        bench.run(.milliseconds(1))
        #expect(bench.controller.attempts.count == 1)
    }
}
