import BLECrypto
import BLESecurity
import BLEWire
import Testing

@testable import BLEHost

/// Published attacks on pairing, against whole hosts. `BLESecurityTests/PairingAttackTests` has those against the Security
/// Manager alone.
struct HostPairingAttackTests {
    /// The host has no keys, and its link is not encrypted.
    private func expectNothing(_ pair: PairingBench, _ sourceLocation: SourceLocation = #_sourceLocation) {
        for host in pair.hosts {
            #expect(host.results.isEmpty && host.host.bonds.bonds.isEmpty, sourceLocation: sourceLocation)
            #expect(host.host.security(of: pair.link(of: host)) == LinkSecurity.none, sourceLocation: sourceLocation)
        }
        #expect(pair.central.controller.encryptions.isEmpty, sourceLocation: sourceLocation)
    }

    /// CVE-2018-5383, "Breaking the Bluetooth Pairing: The Fixed Coordinate Invalid Curve Attack" (Biham and Neumann): the
    /// device in the middle sets the y coordinates of public keys to zero. The second variant changes one bit.
    @Test(arguments: PairingRole.allCases, [0, 1])
    func invalidCurve_CVE_2018_5383_aChangedPublicKeyEndsThePairing(attacked: PairingRole, kind: Int) {
        let pair = PairingBench()
        pair.setCapabilities(.displayYesNo, .displayYesNo)
        let host = attacked == .initiator ? pair.central : pair.peripheral
        Interception.start(pair.peer(of: host)) { pdu in
            guard pdu[0] == SMP.Code.pairingPublicKey.rawValue else { return pdu }
            if kind == 0 { return Array(pdu[..<33]) + [UInt8](repeating: 0, count: 32) }
            return Array(pdu[..<64]) + [pdu[64] ^ 1]
        }
        pair.pair(.authenticated)
        #expect(host.failures == [.local(.invalidParameters)])
        #expect(host.asked.isEmpty, "no user confirms such a pairing")
        expectNothing(pair)
    }

    /// CVE-2020-26558, "BlueMirror" (Claverie and Lopes-Esteves): the peer sends this device's public key back.
    @Test func reflectedPublicKey_CVE_2020_26558_endsThePairing() {
        let pair = PairingBench()
        pair.setCapabilities(.keyboardOnly, .displayOnly)
        var key: [UInt8] = []
        Interception.start(pair.central) { pdu in
            if pdu[0] == SMP.Code.pairingPublicKey.rawValue { key = pdu }
            return pdu
        }
        Interception.start(pair.peripheral) { $0[0] == SMP.Code.pairingPublicKey.rawValue ? key : $0 }
        pair.pair(.authenticated)
        #expect(key.count == 65)
        #expect(pair.central.failures == [.local(.invalidParameters)])
        expectNothing(pair)
    }

    /// Passkey reuse (Vol 3, Part H, 2.3.5.6.3): each failed attempt tells an attacker bits of the passkey. So a passkey serves one
    /// attempt, and attempts have delays that survive the link.
    @Test(arguments: [false, true]) func passkeyCommitmentReuse_eachAttemptHasItsOwnPasskeyAndDelay(secure: Bool) {
        let pair = PairingBench()
        pair.setCapabilities(.keyboardOnly, .displayOnly, secure: secure)
        // The attacker guesses, and guesses wrong.
        pair.answers = { [unowned pair] host, request in
            guard case .enterPasskey = request, case .display(let passkey)? = pair.peripheral.asked.last else {
                return nil
            }
            return host === pair.central ? .passkey(Passkey(value: passkey.value ^ 1)) : nil
        }
        var delay = 1
        for attempt in 1...6 {
            pair.pair(.authenticated)
            #expect(pair.peripheral.asked.count == attempt)
            pair.reconnect()
            pair.pair(.authenticated)
            #expect(pair.central.failures.last == .local(.repeatedAttempts), "attempt \(attempt)")
            // The peripheral has a table of its own.
            Interception.deliver([1, 3, 0, 0x0D, 16, 0, 0], on: pair.central.controller.links[0])
            pair.settle()
            #expect(pair.peripheral.asked.count == attempt)
            pair.bench.run(.seconds(delay))
            delay *= 2
        }
        let passkeys = pair.peripheral.asked.compactMap { if case .display(let key) = $0 { key } else { nil } }
        #expect(Set(passkeys).count == 6)
        expectNothing(pair)
    }

    /// "KNOB" (Antonioli, Tippenhauer and Rasmussen; CVE-2019-9506 for BR/EDR, and its LE variant): the device in the middle
    /// lowers the key size of both sides. By default the hosts refuse short keys.
    @Test(arguments: [false, true], [UInt8(7), 15])
    func keySizeDowngrade_KNOB_CVE_2019_9506_aShortKeyIsRefused(secure: Bool, size: UInt8) {
        let pair = PairingBench()
        pair.setCapabilities(.noInputNoOutput, .noInputNoOutput, secure: secure)
        Interception.start(pair.central) { pdu in
            pdu[0] == SMP.Code.pairingRequest.rawValue ? Array(pdu[..<4]) + [size] + pdu[5...] : pdu
        }
        pair.pair()
        #expect(pair.peripheral.failures == [.local(.encryptionKeySize)])
        expectNothing(pair)
    }

    /// The same against hosts whose policy allows short keys. The confirm values of legacy pairing include the size. The check values
    /// of Secure Connections do not (Vol 3, Part H, 2.2.8): the devices agree on a short key, and report it as what it is.
    @Test(arguments: [false, true]) func keySizeDowngrade_KNOB_CVE_2019_9506_aShortKeyIsNoLevel4(secure: Bool) {
        let pair = PairingBench { $0.policy.minimumKeySize = 7 }
        pair.setCapabilities(.displayOnly, .keyboardOnly, secure: secure)
        for host in pair.hosts {
            Interception.start(host) { pdu in pdu[0] <= 2 ? Array(pdu[..<4]) + [7] + pdu[5...] : pdu }
        }
        pair.pair(.authenticated)
        guard secure else {
            #expect(pair.hosts.allSatisfy { $0.failures.count == 1 })
            return expectNothing(pair)
        }
        for host in pair.hosts {
            let security = host.host.security(of: pair.link(of: host))
            #expect(security?.keySize == 7 && security?.level == .authenticated)
            #expect(security?.shortfall(for: SecurityRequirement(level: .authenticated, keySize: 16)) == .keySize)
        }
    }

    /// The bond keeps the size of its key, and the next link has no more than that.
    @Test func keySizeDowngrade_KNOB_CVE_2019_9506_aReconnectClaimsNoLongerKey() {
        let pair = PairingBench { $0.policy.minimumKeySize = 7 }
        pair.peripheral.host.pairingSettings.policy.maximumKeySize = 7
        pair.pair()
        pair.reconnect()
        pair.pair()
        for host in pair.hosts {
            #expect(host.host.security(of: pair.link(of: host))?.keySize == 7)
            #expect(host.host.bonds.bonds.allSatisfy { ($0.peerKey?.key.value ?? 0) >> 56 == 0 })
        }
    }

    /// Secure Connections is stripped from the features of both devices. The policy of level 4 refuses the rest.
    @Test(arguments: PairingRole.allCases) func downgradeToLegacy_isRefusedByThePolicyOfLevel4(attacked: PairingRole) {
        let pair = PairingBench()
        pair.setCapabilities(.displayYesNo, .displayYesNo)
        let host = attacked == .initiator ? pair.central : pair.peripheral
        host.host.pairingSettings.policy.secureConnectionsOnly = true
        for host in pair.hosts {
            Interception.start(host) { pdu in pdu[0] <= 2 ? Array(pdu[..<3]) + [pdu[3] & ~8] + pdu[4...] : pdu }
        }
        pair.pair()
        #expect(host.failures == [.local(.authenticationRequirements)])
        expectNothing(pair)
    }

    /// "Method Confusion" (von Tschirschnitz, Peuckert, Franzen and Grossklags; CVE-2020-10134). Two devices use different
    /// association models. A device in the middle of one link cannot bring that about: the check values include the IO capabilities.
    @Test(arguments: PairingRole.allCases)
    func methodConfusion_CVE_2020_10134_changedCapabilitiesEndThePairing(changed: PairingRole) {
        let pair = PairingBench()
        pair.setCapabilities(.keyboardDisplay, .keyboardDisplay)
        let code = changed == .initiator ? SMP.Code.pairingRequest : .pairingResponse
        Interception.start(changed == .initiator ? pair.central : pair.peripheral) { pdu in
            pdu[0] == code.rawValue ? [pdu[0], SMP.IOCapability.keyboardOnly.rawValue] + pdu[2...] : pdu
        }
        pair.pair(.authenticated)
        pair.bench.run(.seconds(31))
        #expect(pair.hosts.allSatisfy { $0.failures.count == 1 })
        expectNothing(pair)
    }

    /// Two links with two models remain possible. The question to the user then names the model, and the digits of one model are not
    /// an answer to the question of the other.
    @Test func methodConfusion_CVE_2020_10134_theDigitsOfOneModelAreNoAnswerToAnother() throws {
        let pair = PairingBench { $0.policy.asksBeforePairing = true }
        pair.setCapabilities(.displayYesNo, .displayYesNo)
        pair.answers = { _, request in
            guard case .compare(let value) = request else { return nil }
            return .passkey(Passkey(value: UInt128(value.value)))
        }
        pair.pair(.authenticated)
        guard case .accept(let proposal)? = pair.peripheral.asked.first else {
            Issue.record("no question")
            return
        }
        #expect(proposal.model == .numericComparison)
        #expect(pair.hosts.allSatisfy { $0.asked.contains { if case .compare = $0 { true } else { false } } })
        expectNothing(pair)
    }

    /// Numbers without an end and without an order, while the peer acknowledges nothing: no memory grows without a bound, the
    /// bond stays, and the devices pair afterwards.
    @Test func floodOutOfOrder_growsNothingAndKeepsTheBond() throws {
        let pair = PairingBench()
        pair.pair()
        let bonds = pair.hosts.map { $0.host.bonds.bonds }
        pair.reconnect()
        var random = SeededRandom(seed: 9)
        let link = try #require(pair.central.controller.links.first)
        pair.peripheral.controller.isStalled = true
        for _ in 0..<60 {
            for _ in 0..<400 {
                let length = 1 + Int(random.next() % 70)
                var pdu = (0..<length).map { _ in UInt8(truncatingIfNeeded: random.next()) }
                pdu[0] &= 0x0F
                Interception.deliver(pdu, on: link)
            }
            pair.bench.settle()
        }
        let slot = try #require(pair.peripheral.host.connections[pair.peripheralLink]?.slot)
        #expect(
            pair.peripheral.host.output.data.transmitter.queuedOctets(slot) <= 24_000 * 6, "one answer each at most")
        #expect(pair.peripheral.asked.isEmpty && pair.peripheral.results.count == 1)
        #expect(pair.hosts.map { $0.host.bonds.bonds } == bonds)
        pair.peripheral.controller.release()
        pair.settle()
        pair.reconnect()
        pair.pair()
        #expect(pair.central.secured.count == 1)
    }

    /// After the Security Manager Timer expired, the link gets no further PDU of the Security Manager (Vol 3, Part H, 3.4).
    @Test func afterTheTimeout_noPDUIsAnswered() throws {
        let pair = PairingBench()
        pair.setCapabilities(.displayYesNo, .displayYesNo)
        pair.hasUsers = false
        pair.pair(.authenticated)
        pair.bench.run(.seconds(31))
        #expect(pair.peripheral.failures == [.timeout])
        let before = pair.codes.count
        let link = try #require(pair.central.controller.links.first)
        for code in UInt8(1)...0x0E { Interception.deliver([code] + [UInt8](repeating: 1, count: 6), on: link) }
        pair.settle()
        #expect(pair.codes.count == before && pair.peripheral.failures.count == 1)
        expectNothing(pair)
    }
}
