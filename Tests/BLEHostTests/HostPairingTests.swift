import BLEAttribute
import BLECrypto
import BLESecurity
import BLEWire
import Testing

@testable import BLEHost

/// Pairing and encryption through two whole hosts, whose controllers exchange data and compare keys.
struct HostPairingTests {
    struct Case: CustomTestStringConvertible, Sendable {
        let model: AssociationModel
        let central: SMP.IOCapability
        let peripheral: SMP.IOCapability
        var secure: Bool
        var testDescription: String { "\(model)\(secure ? ", Secure Connections" : "")" }
    }

    static let cases: [Case] = [
        Case(model: .justWorks, central: .noInputNoOutput, peripheral: .noInputNoOutput, secure: true),
        Case(model: .numericComparison, central: .displayYesNo, peripheral: .displayYesNo, secure: true),
        Case(model: .passkeyOnInitiator, central: .displayOnly, peripheral: .keyboardOnly, secure: true),
        Case(model: .passkeyOnResponder, central: .keyboardOnly, peripheral: .displayOnly, secure: true),
        Case(model: .passkeyEnteredTwice, central: .keyboardOnly, peripheral: .keyboardOnly, secure: true),
        Case(model: .justWorks, central: .noInputNoOutput, peripheral: .noInputNoOutput, secure: false),
        Case(model: .passkeyOnInitiator, central: .displayOnly, peripheral: .keyboardOnly, secure: false),
        Case(model: .passkeyOnResponder, central: .keyboardOnly, peripheral: .displayOnly, secure: false),
        Case(model: .passkeyEnteredTwice, central: .keyboardOnly, peripheral: .keyboardOnly, secure: false),
    ]

    private func bench(_ test: Case) -> PairingBench {
        let pair = PairingBench { settings in
            settings.policy.prefersManInTheMiddle = test.model.isAuthenticated
            settings.policy.allowsSecureConnections = test.secure
        }
        pair.central.host.pairingSettings.ioCapability = test.central
        pair.peripheral.host.pairingSettings.ioCapability = test.peripheral
        return pair
    }

    /// The link of each host has this security and nothing runs.
    private func check(_ pair: PairingBench, _ security: LinkSecurity?) {
        for host in pair.hosts {
            let link = pair.link(of: host)
            if let security { #expect(host.host.security(of: link) == security) }
            guard let connection = host.host.connection(link) else {
                Issue.record("the link has ended: \(host.disconnected)")
                continue
            }
            #expect(connection.securityManager?.isIdle == true && connection.securityManager?.wanted == nil)
            #expect(connection.deadlines[.security] == nil)
            #expect(host.violations.isEmpty)
        }
    }

    @Test(arguments: cases) func everyModelPairsAndItsBondEncryptsTheNextLink(test: Case) throws {
        let pair = bench(test)
        pair.pair(test.model.isAuthenticated ? .authenticated : .unauthenticated)
        let security = LinkSecurity(
            keySize: 16, isAuthenticated: test.model.isAuthenticated, isSecureConnections: test.secure, isBonded: true)
        for host in pair.hosts {
            let result = try #require(host.results.first)
            #expect(result.model == test.model && result.security == security && host.results.count == 1)
            #expect(host.failures.isEmpty && host.secured.isEmpty)
            #expect(host.host.bonds.bonds.count == 1 && host.host.bonds.bonds.first == result.bond)
        }
        check(pair, security)
        let bond = try #require(pair.central.host.bonds.bonds.first)
        let other = try #require(pair.peripheral.host.bonds.bonds.first)
        #expect(bond.peerKey == other.localKey && bond.localKey == other.peerKey && bond.peerKey != nil)
        #expect((bond.peerKey?.random == 0) == test.secure)

        pair.reconnect()
        #expect(pair.central.host.security(of: pair.link)?.isBonded == true)
        pair.pair()
        for host in pair.hosts { #expect(host.secured.last == security || host === pair.peripheral) }
        check(pair, security)
        #expect(pair.codes.isEmpty, "no pairing took place")
    }

    @Test(arguments: [true, false]) func outOfBandDataAuthenticatesTheDevices(secure: Bool) throws {
        let pair = PairingBench { $0.policy.allowsSecureConnections = secure }
        var crypto = SwiftCryptoProvider(generator: SeededRandom(seed: 9))
        var data = [OutOfBandData(), OutOfBandData()]
        if secure {
            let local = try #require(OutOfBandData.Local(using: &crypto))
            data[1].local = local
            data[0].peer = .init(random: local.random, commitment: local.commitment)
        } else {
            for index in data.indices { data[index].legacyKey = TemporaryKey(value: 0xBEEF) }
        }
        for (host, data) in zip(pair.hosts, data) { host.host.setOutOfBandData(data, of: pair.link(of: host)) }
        pair.pair(.authenticated)
        #expect(pair.hosts.allSatisfy { $0.results.map(\.model) == [.outOfBand] })
        #expect(pair.central.host.security(of: pair.link)?.isAuthenticated == true)
    }

    @Test func pressedKeysReachTheOtherUser() {
        let pair = PairingBench {
            $0.policy.prefersManInTheMiddle = true
            $0.policy.sendsKeypresses = true
        }
        pair.central.host.pairingSettings.ioCapability = .keyboardOnly
        pair.peripheral.host.pairingSettings.ioCapability = .displayOnly
        pair.hasUsers = false
        pair.pair()
        pair.central.host.answerPairing(pair.link, .keypress(.entryStarted), at: pair.bench.now)
        pair.settle()
        #expect(pair.peripheral.pairingEvents.last == .keypress(.entryStarted))
        pair.hasUsers = true
        pair.settle()
        #expect(pair.hosts.allSatisfy { $0.results.map(\.model) == [.passkeyOnResponder] })
    }

    @Test func aRequestedLevelThatTheLinkHasIsAnsweredAtOnce() {
        let pair = PairingBench()
        pair.pair()
        pair.pair()
        #expect(pair.central.results.count == 1 && pair.central.secured.count == 1)
        #expect(pair.central.controller.encryptions.count == 1)
    }

    @Test func aPeripheralRequestsSecurityAndTheBondAnswersItLater() {
        let pair = PairingBench()
        pair.pair(from: pair.peripheral)
        #expect(pair.codes.first == SMP.Code.securityRequest.rawValue)
        #expect(pair.hosts.allSatisfy { $0.results.count == 1 })
        pair.reconnect()
        pair.pair(from: pair.peripheral)
        #expect(pair.codes == [SMP.Code.securityRequest.rawValue])
        #expect(pair.peripheral.secured.count == 1 && pair.central.secured.count == 1)
        check(pair, pair.central.results.first?.security)
    }

    /// The bond is unauthenticated, so its keys do not suffice (Vol 3, Part C, 10.3.2).
    @Test func aHigherLevelReplacesTheBond() throws {
        let pair = PairingBench()
        pair.pair()
        pair.reconnect()
        for host in pair.hosts {
            host.host.pairingSettings.ioCapability = .displayYesNo
            host.host.pairingSettings.policy.prefersManInTheMiddle = true
        }
        pair.pair(.secureConnections)
        #expect(pair.central.host.security(of: pair.link)?.level == .secureConnections)
        #expect(pair.hosts.allSatisfy { $0.host.bonds.bonds.map(\.security.isAuthenticated) == [true] })
        // An encrypted link gets the new key by a refresh.
        for host in pair.hosts { host.host.removeBond(host.results[1].bond?.peer ?? .zero) }
        pair.pair(.secureConnections)
        #expect(pair.central.secured.count == 1)
    }

    @Test func anEncryptedLinkRefreshesItsKeyForAHigherLevel() {
        let pair = PairingBench()
        pair.pair()
        for host in pair.hosts {
            host.host.pairingSettings.ioCapability = .keyboardDisplay
            host.host.pairingSettings.policy.prefersManInTheMiddle = true
        }
        pair.pair(.authenticated)
        #expect(pair.hosts.allSatisfy { $0.results.map(\.model) == [.justWorks, .numericComparison] })
        #expect(pair.central.controller.encryptions.count == 2)
        check(pair, pair.central.results.last?.security)
    }

    // MARK: Lost and wrong keys

    @Test func aPeerWithoutItsKeysLosesTheLinkAndIsNotPairedAgain() {
        let pair = PairingBench()
        pair.pair()
        for host in [pair.peripheral] { for bond in host.host.bonds.bonds { host.host.removeBond(bond.peer) } }
        pair.reconnect()
        pair.pair()
        #expect(pair.central.failures == [.keyMissing])
        #expect(pair.central.disconnected.last == .host(.keyMissing))
        #expect(pair.codes.isEmpty && pair.central.host.bonds.bonds.count == 1)
    }

    /// A device with the address of a bonded peripheral asks for more than the bond has (BLESA).
    @Test func aSecurityRequestDoesNotReplaceTheBondOfAnUnencryptedLink() {
        let pair = PairingBench()
        pair.pair()
        pair.reconnect()
        pair.central.controller.holdsEncryption = true
        pair.central.controller.clearLog()
        pair.inject([0x0B, 0x0D], to: pair.central)
        #expect(pair.central.controller.opcodes() == [.leEnableEncryption] && pair.codes.isEmpty)
    }

    /// A device with the address of a bonded central pairs by just works.
    @Test func aBondIsReplacedByJustWorksWithConsentOnly() throws {
        let pair = PairingBench()
        pair.pair()
        let bond = try #require(pair.peripheral.host.bonds.bonds.first)
        for bond in pair.central.host.bonds.bonds { pair.central.host.removeBond(bond.peer) }
        pair.reconnect()
        pair.pair()
        #expect(pair.central.failures == [.remote(.authenticationRequirements)])
        #expect(pair.peripheral.host.bonds.bonds == [bond])
        pair.peripheral.host.pairingSettings.policy.weakerBonds = .ask
        pair.pair()
        #expect(pair.central.results.count == 2 && pair.peripheral.host.bonds.bonds != [bond])
        guard case .accept(let proposal)? = pair.peripheral.asked.last else {
            Issue.record("no question")
            return
        }
        #expect(proposal.replaces == bond.security)
    }

    @Test func aPeripheralWithAHigherRequirementRaisesItOnTheEncryptedLink() {
        let pair = PairingBench()
        pair.pair()
        pair.reconnect()
        for host in pair.hosts {
            host.host.pairingSettings.ioCapability = .displayYesNo
            host.host.pairingSettings.policy.prefersManInTheMiddle = true
        }
        pair.pair(.secureConnections, from: pair.peripheral)
        #expect(pair.peripheral.results.last?.security.level == .secureConnections)
        #expect(pair.codes.prefix(3) == [0x0B, 0x0B, 0x01])
        check(pair, pair.central.results.last?.security)
    }

    @Test func aWrongKeyEndsTheLinkWithAMICFailure() throws {
        let pair = PairingBench()
        pair.pair()
        let bond = try #require(pair.peripheral.host.bonds.bonds.first)
        let wrong = StoredKey(key: LongTermKey(value: 7), diversifier: 0, random: 0)
        pair.peripheral.host.addBond(
            Bond(
                peer: bond.peer, security: bond.security, usesDebugKeys: false, localKey: wrong, peerKey: wrong,
                peerIdentityKey: nil, localSignatureKey: nil, peerSignatureKey: nil, linkKey: nil))
        pair.reconnect()
        pair.pair()
        #expect(pair.central.disconnected.last == .controller(.connectionTerminatedDueToMICFailure))
        #expect(pair.central.failures == [.disconnected])
        #expect(pair.central.host.bonds.bonds.count == 1)
    }

    @Test func anEncryptionWithoutAnEndEndsTheLinkAfter30Seconds() {
        let pair = PairingBench()
        pair.pair()
        pair.reconnect()
        pair.central.controller.holdsEncryption = true
        pair.pair()
        pair.bench.run(.seconds(29))
        #expect(pair.central.disconnected.count == 1)
        pair.bench.run(.seconds(2))
        #expect(pair.central.disconnected.last == .host(.encryptionTimeout))
        #expect(pair.central.failures == [.disconnected])
    }

    @Test func theLinkLayersOwnTimeoutOfAnEncryptionHasTheSameCause() throws {
        let pair = PairingBench()
        pair.pair()
        pair.reconnect()
        pair.central.controller.holdsEncryption = true
        pair.pair()
        let link = try #require(pair.central.controller.links.first)
        pair.central.controller.lose(link, reason: .llResponseTimeout, atPeer: .llResponseTimeout)
        pair.settle()
        #expect(pair.central.disconnected.last == .host(.encryptionTimeout))
        #expect(pair.peripheral.disconnected.last == .controller(.llResponseTimeout))
    }

    @Test func aControllerThatRefusesToEncryptFailsThePairing() {
        let pair = PairingBench()
        pair.central.controller.refusals[.leEnableEncryption] = .commandDisallowed
        pair.pair()
        #expect(pair.central.failures == [.encryption] && pair.central.host.bonds.bonds.isEmpty)
        #expect(pair.central.host.security(of: pair.link) == LinkSecurity.none)
        pair.bench.run(.seconds(31))
        #expect(pair.peripheral.failures == [.timeout] && pair.peripheral.host.bonds.bonds.isEmpty)
    }

    // MARK: A controller that lies

    @Test func anEncryptionThatThisHostDidNotStartGivesNoSecurity() throws {
        let pair = PairingBench()
        let handle = try #require(pair.central.controller.links.first?.handle)
        pair.central.controller.emit(
            HCI.EncryptionChange(status: .success, connectionHandle: handle, encryptionEnabled: 1))
        pair.settle()
        #expect(pair.central.host.security(of: pair.link) == LinkSecurity.none)
        #expect(pair.central.violations == [.unexpectedEncryption])
        pair.central.controller.emit(HCI.EncryptionKeyRefreshComplete(status: .success, connectionHandle: 0xEFF))
        pair.settle()
        #expect(pair.central.violations.last == .unknownHandle(0xEFF))
    }

    @Test func theEndOfEncryptionEndsTheLink() throws {
        let pair = PairingBench()
        pair.pair()
        let handle = try #require(pair.central.controller.links.first?.handle)
        pair.central.controller.emit(
            HCI.EncryptionChange(status: .success, connectionHandle: handle, encryptionEnabled: 0))
        pair.settle()
        #expect(pair.central.pairingEvents.last == .securityChanged(.none))
        #expect(pair.central.disconnected.last == .host(.encryptionEnded))
    }

    @Test func aRequestForAnUnknownKeyGetsANegativeReply() throws {
        let pair = PairingBench()
        pair.pair()
        let handle = try #require(pair.peripheral.controller.links.first?.handle)
        let requests: [(UInt16, UInt64, UInt16)] = [(handle, 1, 0), (handle, 0, 1), (0xEFE, 0, 0)]
        for (handle, random, diversifier) in requests {
            pair.peripheral.controller.clearLog()
            pair.peripheral.controller.emit(
                le: HCI.LELongTermKeyRequest(
                    connectionHandle: handle, randomNumber: random, encryptedDiversifier: diversifier))
            pair.settle()
            #expect(pair.peripheral.controller.opcodes() == [.leLongTermKeyRequestNegativeReply])
        }
        // A central's controller never asks.
        let own = try #require(pair.central.controller.links.first?.handle)
        pair.central.controller.clearLog()
        pair.central.controller.emit(
            le: HCI.LELongTermKeyRequest(connectionHandle: own, randomNumber: 0, encryptedDiversifier: 0))
        pair.settle()
        #expect(pair.central.controller.opcodes() == [.leLongTermKeyRequestNegativeReply])
    }

    // MARK: Refusals

    @Test func aHostWithoutEncryptionRefusesToPair() throws {
        let bench = Bench()
        let central = bench.ready()
        let peripheral = bench.ready()
        let (link, _) = try #require(bench.link(central, peripheral))
        central.host.secure(link, minimum: .unauthenticated, at: bench.now)
        bench.settle()
        #expect(central.failures == [.local(.pairingNotSupported)])
        central.host.secure(LinkIdentifier(rawValue: 77), minimum: .unauthenticated, at: bench.now)
        #expect(central.host.events.count == 1)
    }

    @Test func aPolicyWithoutPairingRefusesBothRoles() {
        let pair = PairingBench()
        pair.peripheral.host.pairingSettings.policy.isPairable = false
        pair.pair()
        #expect(pair.central.failures == [.remote(.pairingNotSupported)])
        pair.pair(from: pair.peripheral)
        #expect(pair.peripheral.failures == [.local(.pairingNotSupported)])
        #expect(pair.codes == [SMP.Code.pairingRequest.rawValue, SMP.Code.pairingFailed.rawValue])
    }

    @Test func requiredProtectionWithoutInputAndOutputFails() {
        let pair = PairingBench()
        pair.pair(.authenticated)
        #expect(pair.central.failures == [.local(.authenticationRequirements)])
        #expect(pair.peripheral.failures == [.remote(.authenticationRequirements)])
        #expect(pair.central.host.bonds.bonds.isEmpty)
        check(pair, LinkSecurity.none)
    }

    @Test func aUserWhoRefusesEndsThePairing() {
        let pair = PairingBench {
            $0.ioCapability = .displayYesNo
            $0.policy.prefersManInTheMiddle = true
            $0.policy.asksBeforePairing = true
        }
        pair.answers = { host, request in
            if case .compare = request, host === pair.central { .accept(false) } else { nil }
        }
        pair.pair()
        #expect(pair.central.failures == [.local(.numericComparisonFailed)])
        #expect(pair.peripheral.failures == [.remote(.numericComparisonFailed)])
        #expect(pair.peripheral.asked.count == 2 && pair.peripheral.pairingEvents.contains(.dismissed))
        pair.answers = { host, request in if case .accept = request { .accept(false) } else { nil } }
        pair.bench.run(.seconds(1))
        pair.pair()
        #expect(pair.peripheral.failures.last == .local(.pairingNotSupported))
    }

    /// The back-off survives the link (Vol 3, Part H, 2.3.6).
    @Test func failuresDelayTheNextAttemptOnTheNextLinkToo() {
        let pair = PairingBench {
            $0.ioCapability = .displayYesNo
            $0.policy.prefersManInTheMiddle = true
        }
        pair.answers = { host, _ in host === pair.peripheral ? .accept(false) : nil }
        pair.pair()
        pair.reconnect()
        pair.pair()
        #expect(pair.central.failures.last == .local(.repeatedAttempts))
        pair.bench.run(.seconds(2))
        pair.answers = { _, _ in nil }
        pair.pair()
        #expect(pair.central.results.count == 1)
    }

    @Test func onlyTheAnswerOfThisLinkCounts() {
        let pair = PairingBench {
            $0.ioCapability = .displayYesNo
            $0.policy.prefersManInTheMiddle = true
        }
        pair.hasUsers = false
        pair.pair()
        pair.central.host.answerPairing(LinkIdentifier(rawValue: 99), .accept(true), at: pair.bench.now)
        pair.central.host.cancelPairing(LinkIdentifier(rawValue: 99), at: pair.bench.now)
        pair.settle()
        #expect(pair.central.results.isEmpty && pair.central.failures.isEmpty)
        pair.central.host.cancelPairing(pair.link, at: pair.bench.now)
        pair.settle()
        #expect(pair.central.failures == [.local(.unspecified)])
        #expect(pair.peripheral.failures == [.remote(.unspecified)])
        check(pair, LinkSecurity.none)
    }

    // MARK: Operations

    @Test func anOperationWaitsForPairingAndSucceeds() throws {
        let pair = PairingBench()
        let added = try #require(
            pair.peripheral.addService(
                ServiceDefinition(
                    uuid: TestService.service, isPrimary: true, includedServices: [],
                    characteristics: [
                        CharacteristicDefinition(
                            uuid: TestService.characteristic, properties: 0x0A, permissions: 0x0C, value: nil,
                            descriptors: [])
                    ])))
        let handle = try #require(added.characteristics.first?.valueHandle)
        pair.peripheral.values[handle] = [42]
        pair.central.host.submit(.read(handle: handle), id: 1, on: pair.link, at: pair.bench.now)
        pair.settle()
        pair.pair()
        pair.central.host.resumeOperation(repeating: true, on: pair.link, at: pair.bench.now)
        pair.settle()
        #expect(pair.central.result(1) == .success(.value([42])))
    }

    // MARK: Keys in texts

    @Test func noDescriptionContainsAKey() throws {
        let pair = PairingBench()
        pair.pair()
        var texts: [String] = []
        for host in pair.hosts {
            for entry in host.events {
                texts.append("\(entry.event)")
                texts.append(String(reflecting: entry.event))
                var dumped = ""
                dump(entry.event, to: &dumped)
                texts.append(dumped)
            }
            let bond = try #require(host.host.bonds.bonds.first)
            texts.append("\(bond) \(host.host.pairingSettings)")
        }
        let bond = try #require(pair.central.host.bonds.bonds.first)
        let keys = try [#require(bond.peerKey).key.value, #require(bond.peerIdentityKey).value]
        for key in keys {
            for radix in [10, 16] {
                let digits = String(key, radix: radix)
                #expect(!texts.contains { $0.lowercased().contains(digits) })
            }
            let octets = (0..<16).map { UInt8(truncatingIfNeeded: key >> UInt128(8 * $0)) }
            #expect(!texts.contains { $0.contains("\(octets)") })
        }
    }
}

extension DeviceAddress {
    fileprivate static let zero = DeviceAddress(kind: .public, value: 0)
}
