import BLECrypto
import BLESecurity
import BLEWire
import Testing

struct PairingPolicyTests {
    private func outcome(
        _ initiator: (inout PairingParameters) -> Void = { _ in },
        _ responder: (inout PairingParameters) -> Void = { _ in },
        capabilities: SMP.IOCapability = .keyboardDisplay
    ) -> PairHarness {
        var harness = PairHarness(.initiator(capabilities, initiator), .responder(capabilities, responder))
        harness.run()
        return harness
    }

    /// Secure Connections only mode (Vol 3, Part C, 10.2.4).
    @Test func secureConnectionsOnlyMode() {
        let legacy = outcome({ $0.policy.allowsSecureConnections = false }, { $0.policy.secureConnectionsOnly = true })
        #expect(legacy.responder.failures == [.local(.authenticationRequirements)])
        let justWorks = outcome({ $0.policy.secureConnectionsOnly = true }, capabilities: .noInputNoOutput)
        #expect(justWorks.initiator.failures == [.local(.authenticationRequirements)])
        let short = outcome(
            { $0.policy.secureConnectionsOnly = true },
            {
                $0.policy.maximumKeySize = 15
                $0.policy.minimumKeySize = 7
            })
        #expect(short.initiator.failures == [.local(.encryptionKeySize)])
        let full = outcome({ $0.policy.secureConnectionsOnly = true })
        #expect(full.initiator.results.first?.security.level == .secureConnections)
    }

    @Test func pairingForbiddenByThePolicyFails() {
        #expect(
            outcome({ $0.policy.allowsSecureConnections = false }, { $0.policy.allowsLegacy = false }).responder
                .failures
                == [.local(.authenticationRequirements)])
        #expect(
            outcome({ _ in }, { $0.policy.allowsJustWorks = false }).responder.failures
                == [.local(.authenticationRequirements)])
        #expect(
            outcome({ $0.policy.requiresManInTheMiddle = true }, capabilities: .displayOnly).initiator.failures
                == [.local(.authenticationRequirements)])
        let refusing = outcome({ _ in }, { $0.policy.isPairable = false })
        #expect(refusing.initiator.failures == [.remote(.pairingNotSupported)])
        #expect(refusing.responder.failures.isEmpty && refusing.responder.pairing.isIdle)
        #expect(outcome({ _ in }, { $0.policy.isBusy = true }).initiator.failures == [.remote(.busy)])
    }

    @Test func aResponderAsksItsAgentFirst() {
        for accepts in [false, true] {
            var harness = PairHarness(.initiator(), .responder { $0.policy.asksBeforePairing = true })
            harness.agent = { _, request in if case .accept = request { .accept(accepts) } else { nil } }
            harness.run()
            #expect(harness.responder.results.count == (accepts ? 1 : 0))
            #expect(harness.initiator.failures == (accepts ? [] : [.remote(.pairingNotSupported)]))
            guard case .accept(let proposal)? = harness.responder.asked.first else {
                Issue.record("the agent was not asked")
                continue
            }
            #expect(proposal.peer == .central && proposal.model == .justWorks && proposal.replaces == nil)
        }
    }

    @Test func withoutBondingNoKeysAreDistributed() throws {
        for side in PairingRole.allCases {
            let harness = outcome(
                { $0.policy.bonding = side != .initiator }, { $0.policy.bonding = side != .responder })
            #expect(try #require(harness.initiator.results.first).bond == nil)
            #expect(try #require(harness.responder.results.first).bond == nil)
            #expect(harness.initiator.isEncrypted)
            #expect(!harness.transcript.contains { $0.packet.code == .identityInformation })
        }
    }

    /// Every subset of keys in each direction, legacy and Secure Connections (3.6.1).
    @Test(arguments: [false, true]) func keysAreDistributedAsAgreed(secure: Bool) throws {
        for mask in 0..<64 as Range<UInt8> {
            let initiatorKeys = SMP.KeyDistribution(rawValue: mask & 7)
            let responderKeys = SMP.KeyDistribution(rawValue: mask >> 3)
            let harness = outcome(
                {
                    $0.policy.allowsSecureConnections = secure
                    $0.policy.localKeys = initiatorKeys
                    $0.policy.peerKeys = .init(rawValue: 7)
                },
                {
                    $0.policy.localKeys = responderKeys
                    $0.policy.peerKeys = .init(rawValue: 7)
                })
            let one = try #require(harness.initiator.results.first?.bond)
            let two = try #require(harness.responder.results.first?.bond)
            #expect((one.localKey != nil) == (secure || initiatorKeys.contains(.encryption)))
            #expect((one.peerKey != nil) == (secure || responderKeys.contains(.encryption)))
            #expect((two.peerIdentityKey != nil) == initiatorKeys.contains(.identity))
            #expect((one.peerIdentityKey != nil) == responderKeys.contains(.identity))
            #expect((two.peerSignatureKey != nil) == initiatorKeys.contains(.signing))
            #expect((one.peerSignatureKey != nil) == responderKeys.contains(.signing))
            // The responder's keys come first.
            let senders = harness.transcript.filter { (0x06...0x0A).contains($0.packet.code.rawValue) }.map(\.from)
            #expect(senders == senders.filter { $0 == .responder } + senders.filter { $0 == .initiator })
        }
    }

    @Test func unexpectedKeysFail() {
        var harness = PairHarness()
        harness.tamper = { role, packet in
            guard role == .responder, case .pairingResponse(let response) = packet else { return packet }
            var features = response.features
            features.responderKeys.insert(.signing)
            return .pairingResponse(.init(features: features))
        }
        harness.run()
        #expect(harness.initiator.failures == [.local(.invalidParameters)])
    }

    @Test func aPrivateIdentityAddressFails() {
        var harness = PairHarness(
            .initiator {
                $0.localIdentity = LocalIdentity(
                    address: DeviceAddress(kind: .random, value: 0x4111_2222_3333), key: IdentityResolvingKey(value: 1))
            })
        harness.run()
        #expect(harness.responder.failures == [.local(.invalidParameters)])
        #expect(harness.responder.results.isEmpty)
    }

    /// Cross-transport key derivation, with h7 (2.4.2.4).
    @Test func bothDeriveTheSameLinkKey() throws {
        let harness = outcome({ $0.policy.derivesLinkKey = true }, { $0.policy.derivesLinkKey = true })
        let one = try #require(harness.initiator.results.first?.bond)
        let key = try #require(one.linkKey)
        #expect(key == harness.responder.results.first?.bond?.linkKey)
        #expect(key == harness.crypto.linkKey(from: try #require(one.peerKey).key, withH7: true))
        let oneSided = outcome({ $0.policy.derivesLinkKey = true })
        #expect(try #require(oneSided.initiator.results.first?.bond).linkKey == nil)
    }

    /// Security Request (2.4.6): a bond that suffices is used, else pairing starts.
    @Test func aSecurityRequestLeadsToEncryptionOrPairing() {
        func request(_ known: LinkSecurity?, manInTheMiddle: Bool) -> PairHarness {
            var harness = PairHarness(
                .initiator { parameters in
                    parameters.knownBonds = known.map { [KnownBond(identity: .peripheral, security: $0)] } ?? []
                }, .responder { $0.policy.requiresManInTheMiddle = manInTheMiddle })
            harness.run(from: .responder)
            return harness
        }
        let unauthenticated = LinkSecurity(
            keySize: 16, isAuthenticated: false, isSecureConnections: true, isBonded: true)
        let enough = request(unauthenticated, manInTheMiddle: false)
        #expect(enough.initiator.encryptionsWithBond == 1 && enough.initiator.pairing.isIdle)
        let tooWeak = request(unauthenticated, manInTheMiddle: true)
        #expect(tooWeak.initiator.encryptionsWithBond == 0)
        #expect(tooWeak.initiator.results.first?.model == .numericComparison)
        let unknown = request(nil, manInTheMiddle: true)
        #expect(unknown.responder.results.first?.security.level == .secureConnections)

        var waiting = request(unauthenticated, manInTheMiddle: false)
        waiting.encrypt(true)
        #expect(waiting.responder.pairing.isIdle && waiting.responder.pairing.deadline == nil)
    }

    @Test func keypressNotificationsReachThePeer() {
        func set(_ parameters: inout PairingParameters) {
            parameters.policy.sendsKeypresses = true
            parameters.policy.requiresManInTheMiddle = true
        }
        var harness = PairHarness(.initiator(.keyboardOnly, set), .responder(.displayOnly, set))
        var pressed = false
        harness.agent = { role, request in
            guard role == .initiator, request == .enterPasskey, !pressed else { return nil }
            pressed = true
            return .keypress(.entryStarted)
        }
        harness.run()
        #expect(harness.responder.keypresses == [.entryStarted])
        harness.answer(.keypress(.digitEntered), at: .initiator)
        #expect(harness.responder.keypresses == [.entryStarted, .digitEntered])
        let undefined = SMP.Packet.keypressNotification(.init(kind: .init(rawValue: 5)))
        harness.inject(undefined, to: .responder)
        #expect(harness.responder.failures == [.local(.invalidParameters)])
    }

    @Test func theUserCanCancel() {
        var harness = PairHarness(
            .initiator(.keyboardOnly) { $0.policy.requiresManInTheMiddle = true }, .responder(.displayOnly))
        harness.agent = { $0 == .initiator && $1 == .enterPasskey ? .cancel : nil }
        harness.run()
        #expect(harness.initiator.failures == [.local(.passkeyEntryFailed)])
        #expect(harness.responder.failures == [.remote(.passkeyEntryFailed)])
    }

    @Test func differentKeysFailEncryption() {
        var harness = PairHarness()
        harness.tamper = { role, packet in packet.code == .pairingDHKeyCheck && role == .responder ? nil : packet }
        harness.run()
        #expect(harness.initiator.pairing.deadline != nil)
        // The controller reports a failure instead of the check that never came.
        harness.encrypt(false)
        #expect(harness.responder.failures == [.encryption])
        harness.timeOut(.initiator)
        #expect(harness.initiator.failures == [.timeout] && harness.initiator.pairing.isTimedOut)
    }

    @Test func waitingIntervalsDoubleAndDecay() {
        var attempts = FailedAttempts()
        var now = Instant(nanoseconds: 5)
        #expect(attempts.blockedUntil(at: now) == nil && attempts.isForgotten(at: now))
        for expected in [1, 2, 4, 8, 16, 32, 64, 128, 256, 256] {
            attempts.failed(at: now)
            #expect(attempts.blockedUntil(at: now) == now + .seconds(expected))
            now += .seconds(expected)
            #expect(attempts.blockedUntil(at: now) == nil)
        }
        now += FailedAttempts.quietPeriod
        attempts.failed(at: now)
        #expect(attempts.blockedUntil(at: now) == now + .seconds(256))
        #expect(attempts.isForgotten(at: now + FailedAttempts.quietPeriod * 20))

        var table = FailedAttemptsTable()
        for value in 0..<200 as Range<UInt64> {
            table.store(attempts, of: DeviceAddress(kind: .public, value: value), at: now)
        }
        #expect(table.count == FailedAttemptsTable.capacity)
        #expect(table[DeviceAddress(kind: .public, value: 199)] == attempts)
        #expect(table[DeviceAddress(kind: .public, value: 0)] == FailedAttempts())
        table.store(FailedAttempts(), of: DeviceAddress(kind: .public, value: 199), at: now)
        #expect(table.count == FailedAttemptsTable.capacity - 1)
    }
}
