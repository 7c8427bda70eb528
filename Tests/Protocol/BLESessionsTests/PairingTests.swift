import BLEAdapter
import BLEHost
import BLESecurity
import BLEWire
import Testing

@testable import BLESessions

/// Pairing as sessions see it, with a peer that pairs.
struct PairingTests {
    private let store = MemoryBondStore()
    private let bench: SessionBench
    private let peer: PairingPeer
    private let identifier = SessionBench.peer(PairingPeer.address)
    private let record = PeerRecord(identifier: SessionBench.peer(PairingPeer.address), name: nil)

    init() {
        store.localIdentityKey = IdentityResolvingKey(value: 0x1234)
        bench = SessionBench(bondStore: store)
        peer = PairingPeer(bench)
        bench.attach()
        bench.call { $0.openCentral(1, at: $1) }
        bench.call { $0.openPeripheral(3, at: $1) }
        bench.run(.milliseconds(5))
        _ = bench.take()
    }

    private var handle: UInt16 { bench.controller.handles.last ?? 0 }

    private func connect() {
        bench.connect(PairingPeer.address, session: 1)
        bench.run(.seconds(1))
    }

    private func reconnect() {
        bench.controller.end(handle, 0x08)
        bench.settle()
        peer.linkEnded()
        connect()
    }

    private func read() {
        bench.call { $0.submit(.read(handle: 9), to: identifier, session: 1, at: $1) }
    }

    private func notices() -> [PairingNotice] {
        bench.takeAll().compactMap { if case .pairing(let notice) = $0 { notice } else { nil } }
    }

    private var questions: [PairingTable.Question] { bench.sessions.pairings.questions }

    private static func security(_ authenticated: Bool = false) -> LinkSecurity {
        LinkSecurity(keySize: 16, isAuthenticated: authenticated, isSecureConnections: true, isBonded: true)
    }

    // MARK: Operations

    @Test func aRefusedOperationPairsAndIsRepeatedOnce() throws {
        connect()
        _ = bench.takeAll()
        read()
        let events = bench.take()
        let added = BondRecord(
            peer: record, address: DeviceAddress(kind: .random, value: PairingPeer.address), security: Self.security())
        #expect(
            events == [
                .pairing(.bondAdded(added)), .pairing(.completed(record, .success(Self.security()))),
                .completed(.read(handle: 9), identifier, .success(.value([0x2A])), session: 1),
            ])
        #expect(store.bonds == bench.sessions.host.bonds.bonds && store.bonds.count == 1)
        #expect(peer.results.count == 1 && bench.sessions.bondRecords == [added])
    }

    @Test func aFailedPairingLeavesThePeersError() {
        peer.policy.isPairable = false
        connect()
        _ = bench.takeAll()
        read()
        #expect(
            bench.take() == [
                .pairing(.completed(record, .failure(.remote(.pairingNotSupported)))),
                .completed(.read(handle: 9), identifier, .failure(.attribute(0x05)), session: 1),
            ])
        #expect(store.bonds.isEmpty)
    }

    @Test func aPeerThatRefusesAgainEndsTheOperation() {
        bench.controller.readError = { _ in 0x0F }
        connect()
        _ = bench.takeAll()
        read()
        #expect(bench.take().last == .completed(.read(handle: 9), identifier, .failure(.attribute(0x0F)), session: 1))
        // The link is encrypted now, and no pairing makes its key longer.
        read()
        #expect(bench.take() == [.completed(.read(handle: 9), identifier, .failure(.attribute(0x0F)), session: 1)])
        #expect(peer.results.count == 1)
    }

    @Test func anErrorAboutTheKeySizeEndsTheOperationWithoutAPairing() {
        bench.controller.readError = { _ in 0x0C }
        connect()
        _ = bench.takeAll()
        read()
        #expect(bench.take() == [.completed(.read(handle: 9), identifier, .failure(.attribute(0x0C)), session: 1)])
        #expect(peer.received.isEmpty)
    }

    @Test func aRefusedChannelPairsAndIsRequestedAgain() {
        var requests = 0
        bench.controller.takeSignal = { [bench, peer] handle, packet in
            // LE Credit Based Connection Request, and Response with Insufficient Authentication or success.
            guard packet[0] == 0x14 else { return }
            requests += 1
            let result: UInt8 = peer.isEncrypted ? 0 : 5
            bench.controller.signal([0x15, packet[1], 10, 0, 0x41, 0, 100, 0, 100, 0, 5, 0, result, 0], on: handle)
        }
        connect()
        _ = bench.takeAll()
        bench.call { $0.openChannel(psm: 0x80, to: identifier, session: 1, at: $1) }
        guard case .channelOpened(_, let information, identifier, session: 1)? = bench.take().last else {
            Issue.record("the channel was not opened")
            return
        }
        #expect(information.psm == 0x80 && requests == 2 && peer.results.count == 1)
        // A peer that does not pair refuses the channel.
        bench.call { $0.unpair(identifier, at: $1) }
        peer.linkEnded()
        peer.policy.isPairable = false
        connect()
        _ = bench.takeAll()
        bench.call { $0.openChannel(psm: 0x80, to: identifier, session: 1, at: $1) }
        #expect(
            bench.take().last
                == .channelRefused(.insufficientAuthentication, psm: 0x80, identifier, session: 1))
        #expect(requests == 3)
    }

    @Test func aSilentPeerFailsTheOperationAfter30Seconds() {
        connect()
        peer.isSilent = true
        _ = bench.takeAll()
        read()
        bench.run(.milliseconds(29_999))
        #expect(bench.take().isEmpty)
        bench.run(.milliseconds(1))
        #expect(
            bench.take() == [
                .pairing(.completed(record, .failure(.timeout))),
                .completed(.read(handle: 9), identifier, .failure(.attribute(0x05)), session: 1),
            ])
    }

    @Test func theEndOfTheLinkEndsPairingAndOperation() {
        connect()
        peer.isSilent = true
        _ = bench.takeAll()
        read()
        bench.controller.end(handle, 0x13)
        bench.settle()
        #expect(
            bench.take() == [
                .pairing(.completed(record, .failure(.disconnected))),
                .disconnected(identifier, .failed(.endedByPeer), isReconnecting: false, session: 1),
            ])
        #expect(bench.sessions.nextDeadline == nil && bench.sessions.context.links.isEmpty)
    }

    // MARK: Bonds

    @Test func aLinkToABondedPeerIsEncryptedBeforeItsSessionsGetIt() throws {
        connect()
        read()
        _ = bench.takeAll()
        let received = peer.received.count
        reconnect()
        #expect(peer.isEncrypted && peer.received.count == received)
        #expect(bench.take().contains(.connected(record, session: 1)))
        read()
        #expect(bench.take() == [.completed(.read(handle: 9), identifier, .success(.value([0x2A])), session: 1)])
    }

    @Test func aLinkToABondedPeerWaitsForItsMTUToo() {
        connect()
        read()
        _ = bench.takeAll()
        bench.controller.holdsRequests = true
        reconnect()
        #expect(peer.isEncrypted && !bench.take().contains(.connected(record, session: 1)))
        bench.controller.answerRequest()
        bench.settle()
        #expect(bench.take().contains(.connected(record, session: 1)))
    }

    /// The end of an encryption is no news for sessions unless one of them asked for it.
    @Test func anEncryptionWithABondIsNotReported() {
        connect()
        read()
        for _ in 0..<2 {
            _ = bench.takeAll()
            reconnect()
            #expect(peer.isEncrypted && notices().isEmpty)
            bench.call { $0.pair(identifier, minimum: .unauthenticated, at: $1) }
            #expect(notices() == [.completed(record, .success(Self.security()))])
        }
    }

    /// The bonds of an earlier run.
    @Test func aStoredBondEncryptsTheFirstLink() throws {
        connect()
        read()
        let stored = MemoryBondStore()
        for bond in store.bonds { stored.keep(bond) }
        let second = SessionBench(bondStore: stored)
        #expect(second.sessions.bondRecords.map(\.peer.identifier) == [identifier])
        second.controller.encrypts = true
        var keys: [[UInt8]] = []
        second.controller.takeKey = { keys.append($2) }
        second.attach()
        second.call { $0.openCentral(1, at: $1) }
        second.connect(PairingPeer.address, session: 1)
        second.run(.seconds(1))
        let key = try #require(stored.bonds.first?.peerKey).key.value
        let octets = (0..<16).map { UInt8(truncatingIfNeeded: key >> UInt128(8 * $0)) }
        #expect(keys == [[UInt8](repeating: 0, count: 10) + octets])
    }

    @Test func aPeerThatRemovedItsKeysIsReportedAndNotPairedAgain() {
        connect()
        read()
        _ = bench.takeAll()
        peer.forget()
        let received = peer.received.count
        reconnect()
        let events = bench.take()
        #expect(events.contains(.pairing(.completed(record, .failure(.keyMissing)))))
        #expect(events.last == .connectionFailed(identifier, .peerRemovedPairingInformation, session: 1))
        #expect(!events.contains(.connected(record, session: 1)))
        #expect(peer.received.count == received && store.bonds.count == 1, "no silent pairing (BLESA)")
        #expect(bench.controller.handles.isEmpty)
    }

    /// The ways in which the encryption with a bond fails because the peer has no keys or other keys: one attempt, and the error that tells the user
    /// to pair again. Codes: Vol 1, Part F.
    @Test(
        arguments: [
            (true, 0x05), (true, 0x06), (true, 0x3D), (false, 0x05), (false, 0x06), (false, 0x3D), (false, 0x08),
        ] as [(Bool, UInt8)])
    func aBondOfWhichThePeerHasNotTheKeysFailsAtOnce(isStatus: Bool, code: UInt8) {
        connect()
        read()
        peer.isSilent = true
        for round in 0..<2 {
            let attempts = bench.controller.attempts.count
            if round == 0 { reconnect() } else { connect() }
            peer.linkEnded()
            _ = bench.take()
            if isStatus {
                bench.controller.encryptionChanged(handle, status: code)
            } else {
                bench.controller.end(handle, code)
            }
            bench.run(.seconds(2))
            #expect(bench.take().last == .connectionFailed(identifier, .peerRemovedPairingInformation, session: 1))
            #expect(bench.controller.attempts.count == attempts + 1)
            #expect(bench.controller.handles.isEmpty && store.bonds.count == 1, "the user decides about the bond")
        }
    }

    /// A link that never came about says nothing about keys.
    @Test func aLinkThatIsNotEstablishedIsTriedAgain() {
        connect()
        read()
        peer.isSilent = true
        reconnect()
        _ = bench.take()
        let attempts = bench.controller.attempts.count
        bench.controller.end(handle, 0x3E)
        bench.settle()
        let isFailed = bench.take().contains { if case .connectionFailed = $0 { true } else { false } }
        #expect(bench.controller.attempts.count == attempts + 1 && !isFailed)
    }

    @Test func anEncryptionWithoutAnEndIsReportedAsTimedOut() {
        connect()
        read()
        _ = bench.takeAll()
        peer.isSilent = true
        reconnect()
        bench.run(.seconds(31))
        #expect(bench.take().last == .connectionFailed(identifier, .encryptionTimedOut, session: 1))
    }

    @Test func aRemovedBondEndsTheLinkAndItsKeys() {
        connect()
        read()
        _ = bench.takeAll()
        bench.call { $0.unpair(identifier, at: $1) }
        let events = bench.take()
        #expect(events.first == .pairing(.bondRemoved(identifier)))
        #expect(events.last == .disconnected(identifier, .failed(.endedByHost), isReconnecting: false, session: 1))
        #expect(store.bonds.isEmpty && bench.sessions.bondRecords.isEmpty)
        // A peer without a bond: nothing to report.
        bench.call { $0.unpair(identifier, at: $1) }
        #expect(bench.take().isEmpty)
    }

    /// A peer that advertises with a static random address and distributes another identity address (Vol 3, Part H, 3.6.5), as Bumble does: it
    /// listens at the first one only.
    @Test func anIdentityBesideTheAddressOfTheLinkDoesNotReplaceIt() throws {
        let identity = DeviceAddress(kind: .random, value: 0xFACE_0000_0002)
        peer.identity = LocalIdentity(address: identity, key: IdentityResolvingKey(value: 0x55))
        connect()
        _ = bench.takeAll()
        read()
        #expect(!bench.takeAll().contains(.identityLearned(identifier, identity)))
        #expect(store.bonds.map(\.peer) == [DeviceAddress(kind: .random, value: PairingPeer.address)])
        #expect(bench.sessions.bondRecords.map(\.peer.identifier) == [identifier])
        let bond = try #require(store.bonds.first)
        #expect(bond.peerIdentityKey == IdentityResolvingKey(value: 0x55))
        for _ in 0..<2 {
            reconnect()
            #expect(peer.isEncrypted && peer.results.count == 1, "with the keys of the bond")
        }
        #expect(bench.controller.attempts == Array(repeating: PairingPeer.address, count: 3))
        bench.call { $0.unpair(identifier, at: $1) }
        _ = bench.takeAll()
        reconnect()
        #expect(bench.takeAll().contains(.connected(record, session: 1)) && store.bonds.isEmpty)
    }

    // MARK: Peers that pair

    @Test func aCentralPairsWithThisPeripheralAndItsBondAnswersLater() throws {
        let handle = bench.controller.acceptLink(from: PairingPeer.address)
        bench.settle()
        _ = bench.takeAll()
        peer.pair(as: handle)
        bench.settle()
        #expect(peer.results.count == 1 && store.bonds.count == 1)
        #expect(notices().last == .completed(record, .success(Self.security())))
        bench.controller.end(handle, 0x13)
        bench.settle()
        peer.linkEnded()
        let second = bench.controller.acceptLink(from: PairingPeer.address)
        bench.settle()
        _ = bench.takeAll()
        peer.encryptWithBond(as: second)
        bench.settle()
        #expect(peer.isEncrypted && notices().isEmpty)
        bench.call { $0.unpair(identifier, at: $1) }
        bench.settle()
        peer.linkEnded()
        let third = bench.controller.acceptLink(from: PairingPeer.address)
        bench.settle()
        peer.encryptWithBond(as: third)
        bench.settle()
        #expect(!peer.isEncrypted)
    }

    @Test func aPeripheralAsksItsCentralForSecurity() {
        let handle = bench.controller.acceptLink(from: PairingPeer.address)
        bench.settle()
        _ = bench.takeAll()
        bench.call { $0.pair(identifier, minimum: .unauthenticated, at: $1) }
        #expect(peer.received.first == 0x0B && peer.results.count == 1)
        #expect(notices().last == .completed(record, .success(Self.security())))
        #expect(bench.controller.handles == [handle])
    }

    /// The subscriptions of a bonded client return with its keys (Vol 3, Part G, 3.3.3.3), and not before.
    @Test func aBondedClientKeepsItsSubscriptions() throws {
        let reference = try peer.bondAndSubscribe(session: 3)
        _ = bench.take()
        #expect(store.attributes(.clientState, of: peer.address) != nil)

        let second = bench.controller.acceptLink(from: PairingPeer.address)
        bench.settle()
        #expect(bench.take().isEmpty, "the address alone proves nothing")
        peer.encryptWithBond(as: second)
        bench.settle()
        let events = bench.take()
        guard events.count == 1, case .subscribed(let central, reference, session: 3) = events[0] else {
            Issue.record("\(events)")
            return
        }
        #expect(central.identifier == identifier)
    }

    // MARK: Agents

    private func askForComparison() -> [PairingNotice] {
        peer.ioCapability = .displayYesNo
        connect()
        _ = bench.takeAll()
        read()
        return notices()
    }

    private static let agent = PairingAgentCapability(ioCapability: .displayYesNo)

    @Test func theLastAgentIsAskedAndOnlyItsAnswerCounts() throws {
        bench.call { $0.setAgent(Self.agent, session: 11, at: $1) }
        bench.call { $0.setAgent(Self.agent, session: 12, at: $1) }
        let asked = askForComparison()
        guard case .asked(.compare(let value), let number, record, session: 12)? = asked.first, asked.count == 1 else {
            Issue.record("\(asked)")
            return
        }
        #expect(peer.asked == [.compare(value)])
        bench.call { $0.answer(number, .accept(true), session: 11, at: $1) }
        bench.call { $0.answer(PairingQuestionNumber(rawValue: 99), .accept(true), session: 12, at: $1) }
        peer.answer(.accept(true))
        bench.settle()
        #expect(notices().isEmpty && questions.count == 1)
        bench.call { $0.answer(number, .accept(true), session: 12, at: $1) }
        #expect(notices().last == .completed(record, .success(Self.security(true))))
        #expect(questions.isEmpty)
        bench.call { $0.answer(number, .accept(false), session: 12, at: $1) }
        #expect(bench.take().isEmpty)
    }

    @Test func anAgentThatEndsCancelsItsPairing() {
        bench.call { $0.setAgent(Self.agent, session: 12, at: $1) }
        _ = askForComparison()
        bench.call { $0.setAgent(nil, session: 12, at: $1) }
        #expect(notices() == [.completed(record, .failure(.local(.numericComparisonFailed)))])
        #expect(peer.failures == [.remote(.numericComparisonFailed)] && questions.isEmpty)
        #expect(bench.sessions.host.pairingSettings.ioCapability == .noInputNoOutput)
    }

    @Test func aLinkThatEndsDismissesTheQuestion() {
        bench.call { $0.setAgent(Self.agent, session: 12, at: $1) }
        let asked = askForComparison()
        guard case .asked(_, let number, _, _)? = asked.first else {
            Issue.record("\(asked)")
            return
        }
        bench.controller.end(handle, 0x08)
        bench.settle()
        let ended = notices()
        #expect(ended.contains(.dismissed(number, session: 12)))
        #expect(ended.contains(.completed(record, .failure(.disconnected))) && ended.count == 2)
        #expect(questions.isEmpty && store.bonds.isEmpty)
    }

    @Test func aDisplayedPasskeyIsDismissedAtTheEnd() throws {
        bench.call { $0.setAgent(PairingAgentCapability(ioCapability: .displayOnly), session: 12, at: $1) }
        peer.ioCapability = .keyboardOnly
        peer.policy.requiresManInTheMiddle = true
        connect()
        _ = bench.takeAll()
        read()
        guard case .asked(.display(let passkey), let number, _, _)? = notices().first else {
            Issue.record("no passkey")
            return
        }
        peer.answer(.passkey(passkey))
        bench.settle()
        let ended = notices()
        #expect(ended.contains(.dismissed(number, session: 12)))
        #expect(ended.contains(.completed(record, .success(Self.security(true)))) && questions.isEmpty)
    }

    /// A question without an agent does not count as consent.
    @Test func aPolicyThatAsksRefusesWithoutAnAgent() {
        var policy = PairingPolicy()
        policy.asksBeforePairing = true
        bench.call { sessions, _ in sessions.setPairingPolicy(policy) }
        let handle = bench.controller.acceptLink(from: PairingPeer.address)
        bench.settle()
        peer.pair(as: handle)
        bench.settle()
        #expect(peer.failures.count == 1 && store.bonds.isEmpty && questions.isEmpty)
    }

    @Test func aPolicyAgainstJustWorksRefusesWithoutAnAgent() {
        var policy = PairingPolicy()
        policy.allowsJustWorks = false
        bench.call { sessions, _ in sessions.setPairingPolicy(policy) }
        let handle = bench.controller.acceptLink(from: PairingPeer.address)
        bench.settle()
        peer.pair(as: handle)
        bench.settle()
        #expect(peer.failures == [.remote(.authenticationRequirements)] && store.bonds.isEmpty)
    }

    // MARK: Requests

    @Test func aRequestToPairIsAnswered() {
        bench.call { $0.pair(identifier, minimum: .unauthenticated, at: $1) }
        #expect(notices() == [.completed(record, .failure(.disconnected))])
        connect()
        _ = bench.takeAll()
        bench.call { $0.pair(identifier, minimum: .unauthenticated, at: $1) }
        #expect(notices().last == .completed(record, .success(Self.security())))
        bench.call { $0.pair(identifier, minimum: .unauthenticated, at: $1) }
        #expect(notices() == [.completed(record, .success(Self.security()))])
        bench.call { $0.pair(identifier, minimum: .authenticated, at: $1) }
        #expect(notices() == [.completed(record, .failure(.local(.authenticationRequirements)))])
    }

    @Test func aCancelledPairingIsReported() {
        connect()
        peer.isSilent = true
        _ = bench.takeAll()
        bench.call { $0.pair(identifier, minimum: .unauthenticated, at: $1) }
        bench.call { $0.cancelPairing(with: identifier, at: $1) }
        #expect(notices() == [.completed(record, .failure(.local(.unspecified)))])
        #expect(peer.received == [0x01, 0x05])
        // No pairing runs.
        bench.call { $0.cancelPairing(with: identifier, at: $1) }
        #expect(bench.take().isEmpty)
    }

    @Test func aPeripheralCancelsItsRequest() {
        let handle = bench.controller.acceptLink(from: PairingPeer.address)
        bench.settle()
        peer.isSilent = true
        _ = bench.takeAll()
        bench.call { $0.pair(identifier, minimum: .unauthenticated, at: $1) }
        bench.call { $0.cancelPairing(with: identifier, at: $1) }
        #expect(notices() == [.completed(record, .failure(.local(.unspecified)))])
        #expect(peer.received == [0x0B, 0x05] && bench.controller.handles == [handle])
    }

    /// What the host keeps of a bonded peer reaches the store, by its kind.
    @Test func whatTheHostKeepsReachesTheStore() throws {
        connect()
        read()
        let link = try #require(bench.sessions.context.links.first?.identifier)
        let bonded = try #require(store.bonds.first?.peer)
        bench.call {
            $0.handle(.clientStateChanged(link, [1]), at: $1)
            $0.handle(.attributeCacheChanged(link, [2]), at: $1)
            $0.handle(.signCountersChanged(bonded, [3]), at: $1)
        }
        #expect(BondAttributes.allCases.map { store.attributes($0, of: bonded) } == [[1], [2], [3]])
    }

    @Test func keysDoNotReachTheEvents() throws {
        connect()
        read()
        let key = try #require(store.bonds.first?.peerKey).key.value
        var text = ""
        dump(bench.takeAll(), to: &text)
        #expect(text.contains("bondAdded"))
        #expect(!text.contains(String(key)) && !text.lowercased().contains(String(key, radix: 16)))
    }

    /// An answer counts once, also while the peer's answer is missing.
    @Test func anAnsweredQuestionIsGoneAtOnce() throws {
        bench.call { $0.setAgent(Self.agent, session: 12, at: $1) }
        guard case .asked(_, let number, _, session: 12)? = askForComparison().first else {
            Issue.record("no question")
            return
        }
        bench.call { $0.answer(number, .accept(true), session: 12, at: $1) }
        #expect(questions.isEmpty && notices().isEmpty)
        bench.call { $0.answer(number, .accept(false), session: 12, at: $1) }
        #expect(notices().isEmpty)
        peer.answer(.accept(true))
        bench.settle()
        let ended = notices()
        #expect(ended.count == 2 && ended.last == .completed(record, .success(Self.security(true))), "\(ended)")
    }

    /// The Database Hash (Vol 3, Part G, 7.3) tells whether what a central remembers of a bonded server is still true.
    @Test func eachLinkToABondedServerAsksForItsDatabaseHash() {
        connect()
        read()
        bench.run(.seconds(30))
        let readHash: [UInt8] = [0x08, 1, 0, 0xFF, 0xFF, 0x2A, 0x2B]
        for _ in 0..<2 {
            _ = bench.controller.takeAttributes()
            reconnect()
            bench.call { $0.submit(.discoverServices(nil), to: identifier, session: 1, at: $1) }
            bench.run(.seconds(30))
            #expect(bench.controller.takeAttributes().contains(readHash))
        }
    }
}
