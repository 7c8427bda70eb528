import BLECrypto
import BLESecurity
import BLEWire
import Testing

/// Published attacks on pairing, and what the machines make of them.
struct PairingAttackTests {
    private func reason(_ harness: PairHarness) -> SMP.FailureReason? {
        harness.transcript.lazy.compactMap {
            if case .pairingFailed(let failed) = $0.packet { failed.reason } else { nil }
        }.first
    }

    private func expectNoKeys(_ harness: PairHarness, sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            harness.initiator.results.isEmpty && harness.responder.results.isEmpty, sourceLocation: sourceLocation)
        #expect(
            harness.initiator.pairing.isIdle && harness.responder.pairing.isIdle, sourceLocation: sourceLocation)
    }

    /// CVE-2018-5383: a point off the curve, and the fixed coordinate attack that sets y to zero.
    @Test(arguments: PairingRole.allCases, [0, 1]) func aPublicKeyOffTheCurveIsRefused(attacked: PairingRole, kind: Int)
    {
        var harness = PairHarness()
        harness.tamper = { role, packet in
            guard role == attacked.other, case .pairingPublicKey(let pdu) = packet else { return packet }
            var key = pdu.key
            key.y = kind == 0 ? UInt256(low: key.y.low ^ 1, high: key.y.high) : UInt256(low: 0, high: 0)
            return .pairingPublicKey(.init(key: key))
        }
        harness.run()
        #expect(reason(harness) == .invalidParameters)
        expectNoKeys(harness)
    }

    /// CVE-2020-26558: the peer sends our own public key back, as it is or with another y coordinate.
    @Test(arguments: [false, true]) func aReflectedPublicKeyIsRefused(changesY: Bool) {
        var harness = PairHarness(
            .initiator(.keyboardDisplay) { $0.policy.requiresManInTheMiddle = true }, .responder(.displayOnly))
        let sent = Box<P256PublicKey?>(nil)
        harness.tamper = { role, packet in
            guard case .pairingPublicKey(let pdu) = packet else { return packet }
            guard role == .responder, var key = sent.value else {
                sent.value = pdu.key
                return packet
            }
            if changesY { key.y.low ^= 0xFF }
            return .pairingPublicKey(.init(key: key))
        }
        harness.run()
        #expect(reason(harness) == .invalidParameters)
        expectNoKeys(harness)
    }

    /// CVE-2020-26558 and its kin: the peer sends our confirm and random values back.
    @Test(arguments: [false, true]) func reflectedConfirmValuesAreRefused(secure: Bool) {
        var harness = PairHarness(
            PairingParameters.initiator(.keyboardOnly) { $0.policy.requiresManInTheMiddle = true }
                .authenticated(secureConnections: secure),
            PairingParameters.responder(.displayOnly).authenticated(secureConnections: secure))
        let sent = Box<[SMP.Code: SMP.Packet]>([:])
        harness.tamper = { role, packet in
            guard packet.code == .pairingConfirm || packet.code == .pairingRandom else { return packet }
            if role == .initiator { sent.value[packet.code] = packet }
            return sent.value[packet.code]
        }
        harness.run()
        #expect(!harness.transcript.contains { $0.packet.code == .pairingRandom }, "our random value stays secret")
        #expect(reason(harness) == .confirmValueFailed)
        #expect(harness.initiator.failures == [.local(.confirmValueFailed)])
        expectNoKeys(harness)
    }

    /// An attacker that learns bits of the passkey from a failed pairing: the next pairing has another passkey, and time
    /// has to pass before it.
    @Test func aPasskeyIsUsedOnceAndFailuresDelayRepetition() throws {
        var harness = PairHarness(
            .initiator(.keyboardOnly) { $0.policy.requiresManInTheMiddle = true }, .responder(.displayOnly))
        harness.agent = { _, request in request == .enterPasskey ? .passkey(Passkey(value: 0)) : nil }
        var passkeys: Set<Passkey> = []
        for round in 0..<5 {
            harness.run()
            passkeys.insert(try #require(harness.responder.passkey))
            #expect(harness.responder.failures.count == round + 1)
            #expect(harness.responder.failures.last != .local(.repeatedAttempts))
            // Too early: neither starts, and a request is refused.
            let before = harness.responder.asked.count
            harness.run()
            #expect(harness.initiator.failures.last == .local(.repeatedAttempts))
            harness.inject(harness.transcript[0].packet, to: .responder)
            #expect(harness.transcript.last?.packet == .pairingFailed(.init(reason: .repeatedAttempts)))
            #expect(harness.responder.asked.count == before)
            let end = try #require(harness.responder.pairing.attempts.blockedUntil(at: harness.now))
            #expect(end - harness.now == .seconds(1 << round))
            harness.now = end
        }
        #expect(passkeys.count == 5)
    }

    /// A random value that comes again in a later round is a replay.
    @Test func roundsOfAPasskeyUseFreshValues() {
        var harness = PairHarness(
            .initiator(.keyboardOnly) { $0.policy.requiresManInTheMiddle = true }, .responder(.displayOnly))
        harness.run()
        let confirms = harness.transcript.filter { $0.packet.code == .pairingConfirm }.map(\.packet)
        let randoms = harness.transcript.filter { $0.packet.code == .pairingRandom }.map(\.packet)
        #expect(confirms.count == 40 && Set(confirms).count == 40)
        #expect(randoms.count == 40 && Set(randoms).count == 40)
    }

    /// A peer with one known bit repeats the round of that bit: every round of a passkey with equal bits would match.
    @Test func aRepeatedRoundIsRefused() {
        var harness = PairHarness(
            .initiator(.keyboardOnly) { $0.policy.requiresManInTheMiddle = true }, .responder(.keyboardOnly))
        harness.agent = { _, request in request == .enterPasskey ? .passkey(Passkey(value: 0)) : nil }
        let first = Box<[SMP.Code: SMP.Packet]>([:])
        harness.tamper = { role, packet in
            guard role == .responder, packet.code == .pairingConfirm || packet.code == .pairingRandom else {
                return packet
            }
            if first.value[packet.code] == nil { first.value[packet.code] = packet }
            return first.value[packet.code]
        }
        harness.run()
        #expect(harness.initiator.failures == [.local(.confirmValueFailed)])
        expectNoKeys(harness)
    }

    /// KNOB: the key size is lowered on the way.
    @Test(arguments: [false, true]) func aKeySizeDowngradeFails(secure: Bool) {
        func lower(_ role: PairingRole, _ packet: SMP.Packet) -> SMP.Packet {
            guard case .pairingRequest(let request) = packet else { return packet }
            var features = request.features
            features.maximumKeySize = 7
            return .pairingRequest(.init(features: features))
        }
        var strict = PairHarness()
        strict.tamper = lower
        strict.run()
        #expect(reason(strict) == .encryptionKeySize)
        expectNoKeys(strict)

        var lax = PairHarness(
            PairingParameters.initiator { $0.policy.minimumKeySize = 7 }.authenticated(secureConnections: secure),
            PairingParameters.responder { $0.policy.minimumKeySize = 7 }.authenticated(secureConnections: secure))
        lax.tamper = lower
        lax.run()
        #expect(!lax.initiator.isEncrypted)
        expectNoKeys(lax)
    }

    @Test func keySizesAreNegotiated() throws {
        for secure in [false, true] {
            var harness = PairHarness(
                PairingParameters.initiator { $0.policy.minimumKeySize = 7 }.authenticated(secureConnections: secure),
                PairingParameters.responder {
                    $0.policy.minimumKeySize = 7
                    $0.policy.maximumKeySize = 9
                }.authenticated(secureConnections: secure))
            harness.run()
            let bond = try #require(harness.initiator.results.first?.bond)
            #expect(bond.security.keySize == 9)
            for key in [bond.localKey, bond.peerKey] { #expect(try #require(key).key.value >> 72 == 0) }
            #expect(harness.responder.results.first?.bond?.localKey == bond.peerKey)
        }
        for size in [0, 6, 17, 255] as [UInt8] {
            var harness = PairHarness(.initiator { $0.policy.maximumKeySize = size })
            harness.run()
            #expect(reason(harness) == .invalidParameters)
        }
    }

    /// A stronger bond is not replaced, unless the policy lets the agent decide.
    @Test(arguments: PairingRole.allCases) func aStrongerBondIsNotReplacedSilently(keeper: PairingRole) throws {
        let strong = LinkSecurity(keySize: 16, isAuthenticated: true, isSecureConnections: true, isBonded: true)
        func parameters(_ role: PairingRole, _ weaker: PairingPolicy.WeakerBonds) -> PairingParameters {
            var parameters: PairingParameters = role == .initiator ? .initiator() : .responder()
            guard role == keeper else { return parameters }
            parameters.knownBonds = [KnownBond(identity: parameters.peerAddress, security: strong)]
            parameters.policy.weakerBonds = weaker
            return parameters
        }
        var refusing = PairHarness(parameters(.initiator, .refuse), parameters(.responder, .refuse))
        refusing.run()
        #expect(reason(refusing) == .authenticationRequirements)
        expectNoKeys(refusing)

        for accepts in [false, true] {
            var asking = PairHarness(parameters(.initiator, .ask), parameters(.responder, .ask))
            asking.agent = { _, request in
                guard case .accept(let proposal) = request else { return nil }
                return .accept(accepts && proposal.replaces == strong)
            }
            asking.run()
            #expect(asking.sides[keeper]?.results.count == (accepts ? 1 : 0))
        }
    }

    /// The same through a private address: the identity shows only when the keys are distributed.
    @Test(arguments: PairingRole.allCases) func anIdentityWithAStrongerBondIsRejected(keeper: PairingRole) {
        let strong = LinkSecurity(keySize: 16, isAuthenticated: true, isSecureConnections: true, isBonded: true)
        let victim = DeviceAddress(kind: .public, value: 0x7777_7777_7777)
        func parameters(_ role: PairingRole) -> PairingParameters {
            var parameters: PairingParameters = role == .initiator ? .initiator() : .responder()
            if role == keeper {
                parameters.knownBonds = [KnownBond(identity: victim, security: strong)]
            } else {
                parameters.localIdentity = LocalIdentity(address: victim, key: IdentityResolvingKey(value: 5))
            }
            return parameters
        }
        var harness = PairHarness(parameters(.initiator), parameters(.responder))
        harness.run()
        #expect(reason(harness) == .keyRejected)
        #expect(harness.sides[keeper]?.results.isEmpty == true)
    }

    @Test func debugKeysAreAcceptedOnlyOnRequest() throws {
        var refusing = PairHarness(.initiator { $0.policy.usesDebugKeys = true })
        refusing.run()
        #expect(reason(refusing) == .authenticationRequirements)
        expectNoKeys(refusing)
        var accepting = PairHarness(
            .initiator { $0.policy.usesDebugKeys = true }, .responder { $0.policy.usesDebugKeys = true })
        accepting.run()
        #expect(try #require(accepting.responder.results.first?.bond).usesDebugKeys)
    }

    @Test func outOfBandDataOfAnotherDeviceIsRefused() throws {
        var crypto = PairHarness.Crypto(generator: SeededRandom(seed: 4))
        let genuine = try #require(OutOfBandData.Local(using: &crypto))
        let other = try #require(OutOfBandData.Local(using: &crypto))
        var responder = PairingParameters.responder()
        responder.outOfBand.local = other
        var harness = PairHarness(
            .initiator { $0.outOfBand.peer = .init(random: genuine.random, commitment: genuine.commitment) }, responder)
        harness.run()
        #expect(reason(harness) == .confirmValueFailed)
        expectNoKeys(harness)
        // The peer says that it has our data, which we never gave away.
        var unknown = PairHarness(
            .initiator { $0.outOfBand.peer = .init(random: genuine.random, commitment: genuine.commitment) })
        unknown.run()
        #expect(reason(unknown) == .outOfBandNotAvailable)
    }

    /// Ten thousand PDUs in no order: one answer each at most, no state that grows, and a genuine pairing still works.
    @Test func aFloodOutOfOrderChangesNothing() {
        var crypto = PairHarness.Crypto(generator: SeededRandom(seed: 5))
        var random = SeededRandom(seed: 6)
        for role in PairingRole.allCases {
            var pairing = Pairing(parameters: role == .initiator ? .initiator() : .responder())
            for count in 0..<10_000 {
                let now = Instant(nanoseconds: Int64(count) * 1_000_000)
                let length = Int(random.next() % 70)
                var octets = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                if !octets.isEmpty { octets[0] &= 0x0F }
                let actions = pairing.receive(octets.span, at: now, using: &crypto)
                let sent = actions.filter { if case .send = $0 { true } else { false } }
                #expect(sent.count <= 1)
            }
        }
        var harness = PairHarness()
        for code in 0x02...0x0E as ClosedRange<UInt8> {
            for length in [1, 6, 7, 10, 16, 64] {
                let octets = [code] + [UInt8](repeating: 1, count: length)
                if let packet = try? SMP.Packet(decoding: octets.span) { harness.inject(packet, to: .responder) }
            }
        }
        harness.run()
        #expect(harness.responder.results.count == 1)
    }
}

/// A variable that closures share.
final class Box<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}
