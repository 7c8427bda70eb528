import BLECrypto
import BLESecurity
import BLEWire
import Testing

/// Every association model, in both roles, legacy and Secure Connections.
struct PairingModelTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let initiator: UInt8
        let responder: UInt8
        let secure: Bool
        var testDescription: String { "\(initiator) with \(responder)\(secure ? ", Secure Connections" : "")" }
    }

    static let cases: [Case] = (0..<5).flatMap { initiator in
        (0..<5).flatMap { responder in
            [false, true].map { Case(initiator: initiator, responder: responder, secure: $0) }
        }
    }

    /// Table 2.8 of Vol 3, Part H, by hand: columns are the initiator, rows the responder, in the order of the values
    /// DisplayOnly, DisplayYesNo, KeyboardOnly, NoInputNoOutput, KeyboardDisplay. J just works, N numeric comparison,
    /// I the initiator displays, R the responder displays, B both enter.
    private static let legacyTable = ["JJRJR", "JJRJR", "IIBJI", "JJJJJ", "IIRJI"]
    private static let secureTable = ["JJRJR", "JNRJN", "IIBJI", "JJJJJ", "INRJN"]

    private func expected(_ test: Case) -> AssociationModel {
        let row = (test.secure ? Self.secureTable : Self.legacyTable)[Int(test.responder)]
        switch Array(row)[Int(test.initiator)] {
        case "N": return .numericComparison
        case "I": return .passkeyOnInitiator
        case "R": return .passkeyOnResponder
        case "B": return .passkeyEnteredTwice
        default: return .justWorks
        }
    }

    /// A man in the middle is a concern of one side alone: that suffices for the capabilities to count.
    private func parameters(_ test: Case, _ role: PairingRole) -> PairingParameters {
        let capability = SMP.IOCapability(rawValue: role == .initiator ? test.initiator : test.responder)
        var parameters: PairingParameters = role == .initiator ? .initiator(capability) : .responder(capability)
        parameters = parameters.authenticated(secureConnections: test.secure)
        return parameters
    }

    private func pair(_ test: Case) -> PairHarness {
        let model = expected(test)
        var initiator = parameters(test, .initiator)
        var responder = parameters(test, .responder)
        // Just Works is refused if the policy requires protection, so only the other models request it.
        initiator.policy.requiresManInTheMiddle = model != .justWorks
        responder.policy.requiresManInTheMiddle = false
        var harness = PairHarness(initiator, responder)
        harness.run()
        return harness
    }

    @Test(arguments: cases) func bothDevicesPairByTheModelOfTheTable(test: Case) throws {
        let harness = pair(test)
        let model = expected(test)
        #expect(
            AssociationModel(
                initiator: SMP.IOCapability(rawValue: test.initiator),
                responder: SMP.IOCapability(rawValue: test.responder), secureConnections: test.secure) == model)
        #expect(harness.initiator.failures.isEmpty && harness.responder.failures.isEmpty)
        let first = try #require(harness.initiator.results.first)
        let second = try #require(harness.responder.results.first)
        #expect(first.model == model && second.model == model)
        #expect(first.security == second.security)
        #expect(first.security.isAuthenticated == (model != .justWorks))
        #expect(first.security.isSecureConnections == test.secure)
        #expect(first.security.isBonded && first.security.keySize == 16)
        #expect(harness.initiator.isEncrypted && harness.responder.isEncrypted)
        #expect(harness.initiator.pairing.deadline == nil && harness.responder.pairing.deadline == nil)

        let one = try #require(first.bond)
        let two = try #require(second.bond)
        #expect(one.peer == .peripheral && two.peer == .central)
        #expect(one.peerKey == two.localKey && one.localKey == two.peerKey)
        #expect(one.peerKey != nil && one.localKey != nil)
        #expect((one.peerKey == one.localKey) == test.secure)
        #expect(one.peerIdentityKey?.value == 0xBBBB && two.peerIdentityKey?.value == 0xAAAA)
        #expect(one.localSignatureKey == two.peerSignatureKey && one.peerSignatureKey == two.localSignatureKey)
        #expect(one.localSignatureKey != nil && one.peerSignatureKey != nil)
        #expect(!one.usesDebugKeys && one.linkKey == nil)
        if model == .numericComparison {
            #expect(harness.initiator.comparison != nil)
            #expect(harness.initiator.comparison == harness.responder.comparison)
        }
    }

    /// The table does not apply if neither device requests protection (Vol 3, Part H, 2.3.5.1).
    @Test(arguments: [false, true]) func withoutProtectionAnyCapabilitiesGiveJustWorks(secure: Bool) throws {
        var harness = PairHarness(
            .initiator().authenticated(secureConnections: secure), .responder().authenticated(secureConnections: secure)
        )
        harness.run()
        #expect(try #require(harness.initiator.results.first).model == .justWorks)
        #expect(harness.initiator.asked.isEmpty && harness.responder.asked.isEmpty)
    }

    /// Out of band: data in one direction suffices for Secure Connections, legacy needs both flags.
    @Test(arguments: [(true, true), (true, false), (false, true)])
    func secureOutOfBandWithDataInEitherDirection(toInitiator: Bool, toResponder: Bool) throws {
        var crypto = PairHarness.Crypto(generator: SeededRandom(seed: 9))
        var initiator = PairingParameters.initiator(.noInputNoOutput)
        var responder = PairingParameters.responder(.noInputNoOutput)
        let (first, second) = try (
            #require(OutOfBandData.Local(using: &crypto)), #require(OutOfBandData.Local(using: &crypto))
        )
        initiator.policy.requiresManInTheMiddle = true
        initiator.outOfBand.local = first
        responder.outOfBand.local = second
        if toInitiator { initiator.outOfBand.peer = .init(random: second.random, commitment: second.commitment) }
        if toResponder { responder.outOfBand.peer = .init(random: first.random, commitment: first.commitment) }
        var harness = PairHarness(initiator, responder)
        harness.run()
        let result = try #require(harness.initiator.results.first)
        #expect(result.model == .outOfBand && result.security.level == .secureConnections)
        #expect(harness.responder.results.first?.bond?.localKey == result.bond?.peerKey)
    }

    @Test func legacyOutOfBand() throws {
        func set(_ parameters: inout PairingParameters) {
            parameters.policy.allowsSecureConnections = false
            parameters.policy.requiresManInTheMiddle = true
            parameters.outOfBand.legacyKey = TemporaryKey(value: 0x1234_5678_9ABC_DEF0_1122_3344_5566_7788)
        }
        var harness = PairHarness(.initiator(.noInputNoOutput, set), .responder(.noInputNoOutput, set))
        harness.run()
        #expect(try #require(harness.initiator.results.first).model == .outOfBand)
        #expect(harness.responder.results.first?.security.level == .authenticated)

        var oneSided = PairHarness(
            .initiator(.noInputNoOutput, set),
            .responder(.noInputNoOutput) { $0.policy.allowsSecureConnections = false })
        oneSided.run()
        #expect(oneSided.initiator.failures == [.local(.authenticationRequirements)])
    }

    /// A TK serves legacy pairing alone (2.3.5.4): with nothing else of the peer, a device that may pair so offers no Secure Connections.
    @Test func aTemporaryKeyLeavesOutSecureConnections() throws {
        var crypto = PairHarness.Crypto(generator: SeededRandom(seed: 9))
        let peer = try #require(OutOfBandData.Local(using: &crypto))
        func features(_ change: (inout PairingParameters) -> Void) throws -> SMP.PairingFeatures {
            var harness = PairHarness(
                .initiator {
                    $0.outOfBand.legacyKey = TemporaryKey(value: 7)
                    change(&$0)
                })
            harness.run()
            let sent = harness.transcript.lazy.compactMap { entry -> SMP.PairingFeatures? in
                if case .pairingRequest(let request) = entry.packet { request.features } else { nil }
            }
            return try #require(sent.first)
        }
        func offers(_ change: (inout PairingParameters) -> Void) throws -> [Bool] {
            let features = try features(change)
            return [features.requirements.contains(.secureConnections), features.hasOutOfBandData]
        }
        #expect(try offers { _ in } == [false, true])
        #expect(try offers { $0.outOfBand.legacyKey = nil } == [true, false])
        #expect(try offers { $0.policy.allowsLegacy = false } == [true, false])
        #expect(try offers { $0.policy.secureConnectionsOnly = true } == [true, false])
        #expect(
            try offers { $0.outOfBand.peer = .init(random: peer.random, commitment: peer.commitment) } == [true, true])
    }

    @Test func differentPasskeysDoNotPair() {
        for secure in [false, true] {
            var harness = PairHarness(
                PairingParameters.initiator(.keyboardOnly) { $0.policy.requiresManInTheMiddle = true }
                    .authenticated(secureConnections: secure),
                PairingParameters.responder(.displayOnly).authenticated(secureConnections: secure))
            harness.agent = { role, request in
                request == .enterPasskey && role == .initiator ? .passkey(Passkey(value: 1)) : nil
            }
            harness.run()
            #expect(harness.initiator.results.isEmpty && harness.responder.results.isEmpty)
            #expect(harness.transcript.last?.packet == .pairingFailed(.init(reason: .confirmValueFailed)))
        }
    }

    @Test func differentNumbersFailNumericComparison() {
        for role in PairingRole.allCases {
            var harness = PairHarness(
                .initiator(.displayYesNo) { $0.policy.requiresManInTheMiddle = true }, .responder(.displayYesNo))
            harness.agent = { asked, _ in asked == role ? .accept(false) : nil }
            harness.run()
            #expect(harness.sides[role]?.failures == [.local(.numericComparisonFailed)])
            #expect(harness.sides[role.other]?.failures == [.remote(.numericComparisonFailed)])
        }
    }

    /// Numbers of digits that a person sees.
    @Test func passkeysHaveSixDigits() {
        #expect(Passkey(value: 42).digits == "000042")
        #expect(Passkey(value: 1_000_007).digits == "000007")
        #expect(ComparisonValue(value: 4_294_967_295).digits == "967295")
    }
}
