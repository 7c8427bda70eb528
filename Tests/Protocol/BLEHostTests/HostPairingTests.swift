import BLEAttribute
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
        pair.check(security)
        let bond = try #require(pair.central.host.bonds.bonds.first)
        let other = try #require(pair.peripheral.host.bonds.bonds.first)
        #expect(bond.peerKey == other.localKey && bond.localKey == other.peerKey && bond.peerKey != nil)
        #expect((bond.peerKey?.random == 0) == test.secure)

        pair.reconnect()
        #expect(pair.central.host.security(of: pair.link)?.isBonded == true)
        pair.pair()
        for host in pair.hosts { #expect(host.secured.last == security || host === pair.peripheral) }
        pair.check(security)
        #expect(pair.codes.isEmpty, "no pairing took place")
    }

    @Test(arguments: [true, false]) func outOfBandDataAuthenticatesTheDevices(secure: Bool) throws {
        let pair = PairingBench { $0.policy.allowsSecureConnections = secure }
        let made = pair.peripheral.host.makeOutOfBandData(secure ? .secureConnections : .legacy)
        let block = try #require(made)
        pair.central.host.setOutOfBandData(block, of: nil)
        if !secure { pair.peripheral.host.setOutOfBandData(block, of: nil) }
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
        pair.check(pair.central.results.first?.security)
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
        pair.check(pair.central.results.last?.security)
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
        #expect(central.host.output.events.pending.count == 1)
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
        pair.check(LinkSecurity.none)
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
        pair.check(LinkSecurity.none)
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
