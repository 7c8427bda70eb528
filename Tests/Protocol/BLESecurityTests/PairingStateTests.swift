import BLECrypto
import BLESecurity
import BLEWire
import Testing

/// The full product of states and PDUs: each state that a pairing passes through, and each PDU that could come.
struct PairingStateTests {
    struct Run: CustomTestStringConvertible, Sendable {
        let name: String
        let initiator: SMP.IOCapability
        let responder: SMP.IOCapability
        let secure: Bool
        var outOfBand = false
        var testDescription: String { name }
    }

    static let runs: [Run] = [false, true].flatMap { secure in
        let kind = secure ? "Secure Connections" : "legacy"
        return [
            Run(name: "just works, \(kind)", initiator: .noInputNoOutput, responder: .displayOnly, secure: secure),
            Run(name: "initiator displays, \(kind)", initiator: .displayOnly, responder: .keyboardOnly, secure: secure),
            Run(name: "responder displays, \(kind)", initiator: .keyboardOnly, responder: .displayOnly, secure: secure),
            Run(name: "both enter, \(kind)", initiator: .keyboardOnly, responder: .keyboardOnly, secure: secure),
            Run(name: "both display, \(kind)", initiator: .displayYesNo, responder: .displayYesNo, secure: secure),
            Run(
                name: "out of band, \(kind)", initiator: .noInputNoOutput, responder: .noInputNoOutput, secure: secure,
                outOfBand: true),
        ]
    }

    private func harness(_ run: Run) throws -> PairHarness {
        var initiator = PairingParameters.initiator(run.initiator).authenticated(secureConnections: run.secure)
        var responder = PairingParameters.responder(run.responder).authenticated(secureConnections: run.secure)
        let model = AssociationModel(
            initiator: run.initiator, responder: run.responder, secureConnections: run.secure)
        initiator.policy.requiresManInTheMiddle = run.outOfBand || model != .justWorks
        initiator.policy.sendsKeypresses = true
        responder.policy.sendsKeypresses = true
        if run.outOfBand {
            var crypto = PairHarness.Crypto(generator: SeededRandom(seed: 3))
            let first = try #require(OutOfBandData.Local(using: &crypto))
            let second = try #require(OutOfBandData.Local(using: &crypto))
            initiator.outOfBand.local = first
            responder.outOfBand.local = second
            initiator.outOfBand.peer = .init(random: second.random, commitment: second.commitment)
            responder.outOfBand.peer = .init(random: first.random, commitment: first.commitment)
            initiator.outOfBand.legacyKey = TemporaryKey(value: 77)
            responder.outOfBand.legacyKey = TemporaryKey(value: 77)
        }
        var harness = PairHarness(initiator, responder)
        harness.keepsSnapshots = true
        harness.run()
        #expect(harness.initiator.results.count == 1 && harness.responder.results.count == 1)
        return harness
    }

    /// One PDU of each code, with contents that belong to no pairing under way.
    private static let packets: [SMP.Packet] = {
        let features = SMP.PairingFeatures(
            ioCapability: .noInputNoOutput, hasOutOfBandData: false, requirements: [.bonding], maximumKeySize: 16,
            initiatorKeys: [], responderKeys: [])
        let number: UInt128 = 0x0123_4567_89AB_CDEF_0123_4567_89AB_CDEF
        return [
            .pairingRequest(.init(features: features)), .pairingResponse(.init(features: features)),
            .pairingConfirm(.init(number: number)), .pairingRandom(.init(number: number)),
            .pairingFailed(.init(reason: .unspecified)),
            .encryptionInformation(.init(key: LongTermKey(value: number))),
            .centralIdentification(.init(diversifier: 1, random: 2)),
            .identityInformation(.init(key: IdentityResolvingKey(value: number))),
            .identityAddressInformation(.init(address: .central)),
            .signingInformation(.init(key: SignatureKey(value: number))),
            .securityRequest(.init(requirements: [.bonding])), .pairingPublicKey(.init(key: .debug)),
            .pairingDHKeyCheck(.init(number: number)), .keypressNotification(.init(kind: .digitEntered)),
        ]
    }()

    /// The states of both sides, each with the codes that it takes.
    private func states(_ harness: PairHarness) -> [(pairing: Pairing, takes: Set<SMP.Code>)] {
        var result: [(pairing: Pairing, takes: Set<SMP.Code>)] = []
        for role in PairingRole.allCases {
            let own = harness.snapshots.filter { $0.pairing.parameters.role == role }
            for (index, snapshot) in own.enumerated() {
                var takes: Set<SMP.Code> = []
                switch snapshot.event {
                case .receive(let code): takes = [code]
                case .answer where role == .responder:
                    // The initiator may be one PDU ahead of the responder's user.
                    if case .receive(let code)? = own[index...].first(where: { $0.event != .answer })?.event,
                        code == .pairingConfirm || code == .pairingDHKeyCheck
                    {
                        takes = [code]
                    }
                case .answer, .encryption: break
                }
                result.append((snapshot.pairing, takes))
            }
            result.append((harness.sides[role]!.pairing, role == .responder ? [.pairingRequest] : []))
        }
        return result
    }

    private func failures(_ actions: [PairingAction]) -> [SMP.FailureReason] {
        actions.compactMap {
            if case .send(.pairingFailed(let failed)) = $0 { failed.reason } else { nil }
        }
    }

    private func hasKeys(_ actions: [PairingAction]) -> Bool {
        actions.contains { action in
            switch action {
            case .completed, .startEncryption, .provideKey: true
            default: false
            }
        }
    }

    @Test(arguments: runs) func eachWrongPDUGetsItsFailureReason(run: Run) throws {
        let harness = try harness(run)
        var crypto = harness.crypto
        for (pairing, takes) in states(harness) {
            let role = pairing.parameters.role
            for packet in Self.packets {
                var subject = pairing
                let wasIdle = pairing.isIdle
                let octets = packet.octets
                let actions = subject.receive(octets.span, at: harness.now, using: &crypto)
                let reasons = failures(actions)
                let place: Comment = "\(run.name), \(role), takes \(takes), got \(packet.code)"
                #expect(!actions.contains { if case .completed = $0 { true } else { false } } || takes == [packet.code])
                switch packet.code {
                case .pairingFailed:
                    #expect(reasons.isEmpty, place)
                    #expect(subject.isIdle && subject.deadline == nil, place)
                    #expect(wasIdle == actions.isEmpty, place)
                case .pairingRequest where role == .initiator, .pairingResponse where role == .responder,
                    .securityRequest where role == .responder:
                    #expect(reasons == [.commandNotSupported], place)
                    #expect(subject.isIdle && !hasKeys(actions), place)
                case .securityRequest:
                    // Ignored while a pairing runs, else it starts one.
                    #expect(reasons.isEmpty, place)
                    #expect(actions.isEmpty != wasIdle, place)
                case .keypressNotification where actions == [.keypress(.digitEntered)]:
                    #expect(run.initiator == .keyboardOnly || run.responder == .keyboardOnly, place)
                    #expect(subject.deadline == pairing.deadline, "it does not prolong the pairing")
                case let code where takes.contains(code):
                    let content: Set<SMP.FailureReason> = [
                        .confirmValueFailed, .dhKeyCheckFailed, .authenticationRequirements, .keyRejected,
                        .invalidParameters,
                    ]
                    #expect(content.isSuperset(of: reasons), place)
                default:
                    #expect(reasons == [.unspecified], place)
                    #expect(subject.isIdle && !hasKeys(actions), place)
                }
                checkInvariants(subject, after: actions, now: harness.now, place)
            }
        }
    }

    /// What holds after any input: a pairing that failed keeps nothing, one that runs has a deadline within 30 s.
    private func checkInvariants(
        _ pairing: Pairing, after actions: [PairingAction], now: Instant, _ place: Comment
    ) {
        let failed = actions.contains { if case .failed = $0 { true } else { false } }
        #expect(failures(actions).count <= 1, place)
        #expect(!failed || (pairing.isIdle && pairing.deadline == nil), place)
        #expect(pairing.isIdle == (pairing.deadline == nil), place)
        #expect(pairing.isIdle || pairing.deadline.map { $0 <= now + .seconds(30) } == true, place)
    }

    @Test(arguments: runs) func aPDUOfTheWrongLengthGetsInvalidParameters(run: Run) throws {
        let harness = try harness(run)
        var crypto = harness.crypto
        for (pairing, _) in states(harness) {
            for packet in Self.packets where packet.code != .pairingFailed {
                for octets in [Array(packet.octets.dropLast()), packet.octets + [0], [packet.code.rawValue]] {
                    var subject = pairing
                    let actions = subject.receive(octets.span, at: harness.now, using: &crypto)
                    #expect(failures(actions) == [.invalidParameters])
                    #expect(subject.isIdle)
                }
            }
            for octets in [[], [0x00], [0x0F, 1, 2], [0xFF]] as [[UInt8]] {
                var subject = pairing
                let actions = subject.receive(octets.span, at: harness.now, using: &crypto)
                #expect(actions.isEmpty, "reserved codes are ignored")
                #expect(subject.isIdle == pairing.isIdle && subject.deadline == pairing.deadline)
            }
        }
    }

    @Test(arguments: runs) func everyStateTimesOutAfter30Seconds(run: Run) throws {
        let harness = try harness(run)
        var crypto = harness.crypto
        for (pairing, _) in states(harness) where !pairing.isIdle {
            var subject = pairing
            let deadline = try #require(subject.deadline)
            #expect(deadline <= harness.now + Pairing.timeout)
            let early = subject.handleTimeout(at: deadline - .nanoseconds(1))
            #expect(early.isEmpty)
            let actions = subject.handleTimeout(at: deadline)
            #expect(actions.first == .failed(.timeout))
            #expect(failures(actions).isEmpty, "no PDU is sent after the timeout")
            #expect(subject.isTimedOut && subject.deadline == nil)
            for packet in Self.packets {
                let octets = packet.octets
                let late = subject.receive(octets.span, at: deadline, using: &crypto)
                #expect(late.isEmpty)
            }
            let again = subject.start(at: deadline, using: &crypto)
            #expect(again == [.failed(.timeout)])
        }
    }

    @Test(arguments: runs) func theEndOfTheLinkRemovesThePairingState(run: Run) throws {
        let harness = try harness(run)
        var crypto = harness.crypto
        for (pairing, _) in states(harness) {
            var closed = pairing
            let end = closed.linkClosed(at: harness.now)
            #expect(end.contains(.failed(.disconnected)) == !pairing.isIdle)
            #expect(closed.isIdle && closed.deadline == nil)
            var cancelled = pairing
            let cancellation = cancelled.cancel(at: harness.now)
            #expect(cancellation.isEmpty == pairing.isIdle && cancelled.isIdle)
            #expect(closed.longTermKey(diversifier: 0, random: 0) == nil)
            // An encryption report and answers that nothing waits for.
            let late =
                closed.encryptionChanged(isEncrypted: true, at: harness.now, using: &crypto)
                + closed.answer(.accept(true), at: harness.now, using: &crypto)
                + closed.answer(.cancel, at: harness.now, using: &crypto)
            #expect(late.isEmpty)
        }
    }

    /// An answer that no question awaits changes nothing: the next PDU has the same consequences.
    @Test(arguments: runs) func anAnswerThatNoQuestionAwaitsChangesNothing(run: Run) throws {
        let harness = try harness(run)
        var count = 0
        for snapshot in harness.snapshots where !snapshot.isAsked {
            guard let packet = snapshot.packet else { continue }
            let octets = packet.octets
            for answer in [.accept(true), .accept(false), .passkey(Passkey(value: 1))] as [AgentAnswer] {
                var (plain, answered) = (snapshot.pairing, snapshot.pairing)
                var (first, second) = (harness.crypto, harness.crypto)
                let early = answered.answer(answer, at: harness.now, using: &second)
                #expect(early.isEmpty)
                let expected = plain.receive(octets.span, at: harness.now, using: &first)
                let actions = answered.receive(octets.span, at: harness.now, using: &second)
                #expect(actions == expected, "\(run.name), \(packet.code)")
                count += 1
            }
        }
        #expect(count >= 18)
    }

    /// A pairing dismisses its own questions, and only if it had any. Out-of-band data of Secure Connections serves one pairing.
    @Test(arguments: runs.filter { !$0.outOfBand || !$0.secure })
    func eachPairingDismissesItsQuestions(run: Run) throws {
        var harness = try harness(run)
        for round in 2...4 {
            harness.run()
            for role in PairingRole.allCases {
                let side = try #require(harness.sides[role])
                #expect(side.results.count == round && side.dismissals == (side.asked.isEmpty ? 0 : round))
            }
        }
    }

    /// Mutated PDUs of a run, in each state: nothing traps, and what fails keeps nothing.
    @Test(arguments: runs) func mutatedPDUsDoNotTrap(run: Run) throws {
        let harness = try harness(run)
        var crypto = harness.crypto
        var random = SeededRandom(seed: 11)
        let octets = harness.transcript.map(\.packet.octets)
        for (pairing, _) in states(harness) {
            for _ in 0..<60 {
                var subject = pairing
                var mutant = octets[Int(random.next() % UInt64(octets.count))]
                let position = Int(random.next() % UInt64(mutant.count))
                mutant[position] ^= UInt8(truncatingIfNeeded: random.next())
                if random.next() & 3 == 0 { mutant.removeLast(Int(random.next() % UInt64(mutant.count))) }
                let actions = subject.receive(mutant.span, at: harness.now, using: &crypto)
                checkInvariants(subject, after: actions, now: harness.now, "\(mutant)")
            }
        }
    }

    @Test func noDescriptionOfAPairingShowsAKey() throws {
        let harness = try harness(Self.runs[7])
        let bond = try #require(harness.initiator.results.first?.bond)
        var text = ""
        for snapshot in harness.snapshots { dump(snapshot.pairing, to: &text) }
        dump(harness.initiator.results, to: &text)
        dump(harness.initiator.asked, to: &text)
        let key = try #require(bond.peerKey).key.value
        #expect(!text.contains(String(key)) && !text.contains(String(UInt64(truncatingIfNeeded: key))))
        let passkey = try #require(harness.initiator.passkey)
        #expect(!text.contains("value: \(passkey.value)"))
        #expect(text.contains("redacted") || text.contains("LongTermKey"))
    }
}
