import BLESecurity
import BLEWire
import Testing

@testable import BLEHost

/// The keys of bonds on later links: lost, wrong and weaker keys, and controllers that report what did not happen.
struct HostBondTests {
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
        pair.check(pair.central.results.last?.security)
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
        pair.bench.run(.milliseconds(29_999))
        #expect(pair.central.disconnected.count == 1)
        pair.bench.run(.milliseconds(1))
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
}
