import BLEAdapter
import BLEHost
import BLEWire
import Testing

@testable import BLESessions

private let address: UInt64 = 0xC000_0000_0001

struct ConnectionTests {
    private let peer = SessionBench.peer(address)

    private func record(_ name: String? = nil) -> PeerRecord { PeerRecord(identifier: peer, name: name) }

    private func disconnected(
        _ end: LinkEnd, isReconnecting: Bool = false, session: Int
    ) -> SessionEvent { .disconnected(peer, end, isReconnecting: isReconnecting, session: session) }

    @Test func everySessionThatRequestsAPeerGetsTheOneLink() {
        let bench = SessionBench.ready(centrals: 1, 2)
        bench.connect(address, session: 1)
        #expect(bench.take() == [.connected(record(), session: 1)])
        bench.connect(address, session: 2)
        #expect(bench.take() == [.connected(record(), session: 2)])
        #expect(bench.controller.attempts == [address])

        bench.cancel(address, session: 1)
        #expect(bench.take() == [disconnected(.cancelled, session: 1)])
        #expect(bench.controller.handles.count == 1, "session 2 still uses the link")
        bench.cancel(address, session: 2)
        #expect(bench.take() == [disconnected(.cancelled, session: 2)])
        #expect(bench.controller.handles.isEmpty)
        #expect(
            bench.sessions.context.links.isEmpty && bench.sessions.connections.requests.isEmpty
                && bench.sessions.context.peers.count == 0)
    }

    @Test func anIdentifierOfAnotherHostFailsAtOnce() {
        let bench = SessionBench.ready(centrals: 1)
        let foreign = PeerIdentifier(high: 7, low: 7)
        bench.call { $0.connect(foreign, options: ConnectionOptions(), session: 1, at: $1) }
        #expect(bench.take() == [.connectionFailed(foreign, .establishmentFailed, session: 1)])
    }

    @Test func aLinkIsReadyWithItsMTUOrAfterThreeSeconds() {
        let bench = SessionBench.ready(centrals: 1)
        bench.controller.outcomes = [.silent]
        bench.connect(address, session: 1)
        bench.run(.milliseconds(2_999))
        #expect(bench.take() == [])
        bench.run(.milliseconds(1))
        #expect(bench.takeAll().filter { $0 == .linkUp(peer, .central, mtu: 23) }.count == 1)
    }

    @Test func aStartDelayPrecedesTheAttemptAndCanBeCancelled() {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(address, session: 1, ConnectionOptions(startDelay: .seconds(2)))
        bench.run(.milliseconds(1_999))
        #expect(bench.controller.attempts == [])
        bench.run(.milliseconds(1))
        #expect(bench.take() == [.connected(record(), session: 1)])
        bench.cancel(address, session: 1)
        _ = bench.take()

        bench.connect(address, session: 1, ConnectionOptions(startDelay: .seconds(2)))
        bench.cancel(address, session: 1)
        bench.run(.seconds(3))
        #expect(bench.take() == [disconnected(.cancelled, session: 1)])
        #expect(bench.controller.attempts == [address])
    }

    @Test func aCancelledAttemptIsCancelledInTheController() {
        let bench = SessionBench.ready(centrals: 1)
        bench.controller.outcomes = [.pending]
        bench.connect(address, session: 1)
        bench.cancel(address, session: 1)
        #expect(bench.take() == [disconnected(.cancelled, session: 1)])
        #expect(bench.controller.count(of: 0x200E) == 1)
        bench.connect(address, session: 1)
        #expect(bench.take() == [.connected(record(), session: 1)])
    }

    @Test func aSessionThatCancelsAndReconnectsGetsBothEvents() {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(address, session: 1)
        bench.controller.endsLinks = false
        bench.cancel(address, session: 1)
        bench.connect(address, session: 1)
        #expect(bench.take() == [.connected(record(), session: 1)], "the link has not ended yet")
        bench.controller.end(0x40, 0x16)
        bench.settle()
        #expect(bench.take() == [disconnected(.cancelled, session: 1), .connected(record(), session: 1)])
        #expect(bench.controller.attempts == [address, address])
    }

    @Test func aSecondCancellationEndsTheRequest() {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(address, session: 1)
        bench.controller.endsLinks = false
        bench.cancel(address, session: 1)
        bench.connect(address, session: 1)
        bench.cancel(address, session: 1)
        _ = bench.take()
        bench.controller.end(0x40, 0x16)
        bench.settle()
        #expect(bench.take() == [disconnected(.cancelled, session: 1)])
        #expect(bench.controller.attempts == [address] && bench.sessions.context.peers.count == 0)
    }

    @Test func aLostLinkReconnectsForSessionsThatRequestedIt() {
        let bench = SessionBench.ready(centrals: 1, 2)
        bench.connect(address, session: 1, ConnectionOptions(reconnectsAutomatically: true))
        bench.connect(address, session: 2)
        _ = bench.take()
        bench.controller.end(0x40, 0x08)
        bench.settle()
        #expect(
            bench.take() == [
                disconnected(.failed(.supervisionTimeout), isReconnecting: true, session: 1),
                disconnected(.failed(.supervisionTimeout), session: 2), .connected(record(), session: 1),
            ])
    }

    @Test func aClosedSessionReleasesItsScanLinkAndPeer() {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(address, session: 1)
        bench.call { $0.startScan(ScanRequest(), session: 1, at: $1) }
        bench.call { $0.closeCentral(1, at: $1) }
        #expect(bench.controller.handles.isEmpty)
        #expect(bench.sessions.connections.requests.isEmpty && bench.sessions.scans.sessions.isEmpty)
        #expect(bench.sessions.context.peers.count == 0)
    }

    /// A request in place of a connected one is answered at once, and its options count.
    @Test func aRepeatedRequestIsAnsweredAndReplacesTheOptions() {
        let bench = SessionBench.ready(centrals: 1)
        bench.connect(address, session: 1)
        bench.connect(address, session: 1, ConnectionOptions(reconnectsAutomatically: true))
        #expect(bench.take() == [.connected(record(), session: 1), .connected(record(), session: 1)])
        #expect(bench.controller.attempts == [address])
        bench.controller.end(0x40, 0x08)
        bench.settle()
        #expect(
            bench.take() == [
                disconnected(.failed(.supervisionTimeout), isReconnecting: true, session: 1),
                .connected(record(), session: 1),
            ])
        bench.connect(address, session: 1)
        _ = bench.take()
        bench.controller.end(0x41, 0x08)
        bench.settle()
        #expect(bench.take() == [disconnected(.failed(.supervisionTimeout), session: 1)])
        #expect(bench.sessions.connections.requests.isEmpty && bench.sessions.context.peers.count == 0)
    }

    /// The delay of a cancelled request does not shorten that of the next.
    @Test(arguments: [false, true]) func eachStartDelayRunsFromItsOwnRequest(closes: Bool) {
        let bench = SessionBench.ready(centrals: 1)
        let options = ConnectionOptions(startDelay: .seconds(3))
        for round in 1...2 {
            bench.connect(address, session: 1, options)
            bench.run(.seconds(2))
            if closes {
                bench.call { $0.closeCentral(1, at: $1) }
                bench.call { $0.openCentral(1, at: $1) }
            } else {
                bench.cancel(address, session: 1)
            }
            bench.connect(address, session: 1, options)
            bench.run(.milliseconds(2_999))
            #expect(bench.controller.attempts.count == round - 1)
            bench.run(.milliseconds(1))
            #expect(bench.controller.attempts.count == round)
            bench.cancel(address, session: 1)
            _ = bench.take()
        }
    }

    /// The link of a client is no link to a server. A host refuses a second link to a client (0x0B, Connection Already Exists), but the
    /// client may connect to its server.
    @Test func theLinkOfTheOtherRoleIsNotUsed() {
        let bench = SessionBench.ready(centrals: 1)
        let read = GATTOperation.read(handle: 9)
        bench.controller.acceptLink(from: address)
        bench.settle()
        bench.connect(address, session: 1)
        #expect(bench.take() == [.connectionFailed(peer, .controller(0x0B), session: 1)])
        #expect(bench.controller.attempts == [] && bench.sessions.linkDescription(of: peer) == nil)
        bench.call { $0.submit(read, to: peer, session: 1, at: $1) }
        #expect(bench.take() == [.completed(read, peer, .failure(.notConnected), session: 1)])
        bench.controller.end(0x40, 0x13)
        bench.settle()
        bench.connect(address, session: 1)
        #expect(bench.take() == [.connected(record(), session: 1)])
        for handle in [0x42, 0x43] as [UInt16] {
            bench.controller.acceptLink(from: address)
            bench.settle()
            #expect(bench.sessions.context.links.map(\.role) == [.central, .peripheral])
            bench.call { $0.submit(read, to: peer, session: 1, at: $1) }
            #expect(bench.take() == [.completed(read, peer, .success(.value([0x2A])), session: 1)])
            bench.controller.end(handle, 0x13)
            bench.settle()
            #expect(bench.take() == [] && bench.sessions.context.links.map(\.role) == [.central])
        }
        bench.controller.acceptLink(from: address)
        bench.settle()
        bench.controller.end(0x41, 0x13)
        bench.settle()
        #expect(bench.take() == [disconnected(.failed(.endedByPeer), session: 1)])
        #expect(bench.sessions.context.links.map(\.role) == [.peripheral])
    }

    @Test func linksToSeveralPeersAreKeptApart() {
        let bench = SessionBench.ready(centrals: 1, 2)
        let addresses = (0..<4).map { address + UInt64($0) }
        for address in addresses { bench.connect(address, session: 1) }
        bench.connect(addresses[2], session: 2)
        _ = bench.take()
        bench.cancel(addresses[2], session: 1)
        #expect(bench.controller.handles.count == 4)
        bench.controller.end(0x41, 0x08)
        bench.settle()
        let events = bench.take()
        #expect(
            events == [
                .disconnected(SessionBench.peer(addresses[2]), .cancelled, isReconnecting: false, session: 1),
                .disconnected(
                    SessionBench.peer(addresses[1]), .failed(.supervisionTimeout), isReconnecting: false, session: 1),
            ])
        for (number, address) in addresses.enumerated() {
            #expect((bench.sessions.linkDescription(of: SessionBench.peer(address)) == nil) == (number == 1))
        }
        #expect(bench.sessions.context.peers.count == 3)
    }
}

/// The one retry policy.
struct RetryTests {
    private let peer = SessionBench.peer(address)

    @Test(arguments: [
        ScriptedController.Outcome.lost(0x3E), .lost(0x08), .lost(0x13), .failed(0x3E),
    ])
    func attemptsThatTakeNoTimeAreCounted(_ outcome: ScriptedController.Outcome) {
        let bench = SessionBench.ready(centrals: 1)
        bench.controller.outcomes = Array(repeating: outcome, count: 100)
        bench.connect(address, session: 1)
        bench.run(.seconds(1))
        let failures = bench.take()
        #expect(failures.count == 1)
        guard case .connectionFailed(peer, _, session: 1) = failures.first else {
            Issue.record("\(failures)")
            return
        }
        #expect(bench.controller.attempts.count == 100)
        #expect(bench.sessions.connections.requests.isEmpty)
    }

    @Test func aReadyLinkResetsTheAttemptCount() {
        let bench = SessionBench.ready(centrals: 1)
        bench.controller.outcomes = Array(repeating: .lost(0x3E), count: 99) + [.up]
        bench.connect(address, session: 1, ConnectionOptions(reconnectsAutomatically: true))
        #expect(bench.take() == [.connected(PeerRecord(identifier: peer, name: nil), session: 1)])
        bench.controller.outcomes = Array(repeating: .lost(0x3E), count: 99) + [.up]
        bench.controller.end(bench.controller.handles[0], 0x08)
        bench.settle()
        #expect(bench.take().last == .connected(PeerRecord(identifier: peer, name: nil), session: 1))
    }

    /// LL Response Timeout, MIC Failure and Unspecified Error say that the two sides do not work together.
    @Test(arguments: [
        (ScriptedController.Outcome.lost(0x22), ConnectionError.controller(0x22)), (.lost(0x3D), .encryptionFailed),
        (.failed(0x1F), .controller(0x1F)),
    ])
    func anotherReasonBeforeTheFirstPacketIsFinal(_ outcome: ScriptedController.Outcome, _ failure: ConnectionError) {
        let bench = SessionBench.ready(centrals: 1)
        bench.controller.outcomes = [outcome]
        bench.connect(address, session: 1)
        bench.run(.seconds(1))
        #expect(bench.take() == [.connectionFailed(peer, failure, session: 1)])
        #expect(bench.controller.attempts.count == 1)
    }

    @Test func aPeerThatEndsTheLinkAfterItsFirstPacketRefusesIt() {
        let bench = SessionBench.ready(centrals: 1)
        bench.controller.outcomes = [.silent]
        bench.connect(address, session: 1)
        bench.controller.end(0x40, 0x13)
        bench.settle()
        #expect(bench.take() == [.connectionFailed(peer, .endedByPeer, session: 1)])
        #expect(bench.controller.attempts.count == 1)
    }

    @Test func aLinkLostBeforeItIsReadyIsMadeAgain() {
        let bench = SessionBench.ready(centrals: 1)
        bench.controller.outcomes = [.silent]
        bench.connect(address, session: 1)
        bench.controller.end(0x40, 0x08)
        bench.settle()
        #expect(bench.take() == [.connected(PeerRecord(identifier: peer, name: nil), session: 1)])
        #expect(bench.controller.attempts.count == 2)
    }

    @Test func aRefusedAttemptIsNotRepeated() {
        let bench = SessionBench.ready(centrals: 1)
        bench.controller.refusals[0x200D] = 0x09
        bench.connect(address, session: 1)
        bench.run(.seconds(1))
        #expect(bench.take() == [.connectionFailed(peer, .limitReached, session: 1)])
    }
}
