import BLECrypto
import BLESecurity
import BLEWire
import Testing

@testable import BLEHost

/// Attacks on bonds: a device uses the address or the identity of a bonded one, without its keys.
struct BondAttackTests {
    /// A pair with a bond. By numeric comparison the bond has level 4, by just works level 2.
    private func bonded(_ level: LinkSecurity.Level, _ change: (PairingBench) -> Void = { _ in }) throws -> (
        PairingBench, Bond
    ) {
        let pair = PairingBench()
        change(pair)
        if level > .unauthenticated { pair.setCapabilities(.displayYesNo, .displayYesNo) }
        pair.pair(level)
        let bond = try #require(pair.peripheral.host.bonds.bonds.first)
        #expect(bond.security.level == level)
        return (pair, bond)
    }

    // MARK: A device with the address of a bonded one

    /// Re-pairing over a stronger bond, and over an equal one: a clone of the central pairs by just works. The host refuses, whether
    /// the clone wants a bond or only an encrypted link under the identity of the bonded device.
    @Test(arguments: [LinkSecurity.Level.unauthenticated, .secureConnections], [false, true])
    func rePairing_aCloneOfABondedCentralIsRefused(level: LinkSecurity.Level, bonding: Bool) throws {
        for secure in [true, false] {
            let (pair, bond) = try bonded(level)
            pair.clone(pair.central)
            pair.central.host.pairingSettings.policy.bonding = bonding
            pair.central.host.pairingSettings.policy.allowsSecureConnections = secure
            pair.pair()
            #expect(pair.central.failures == [.remote(.authenticationRequirements)])
            #expect(pair.peripheral.host.bonds.bonds == [bond])
            #expect(pair.peripheral.host.security(of: pair.peripheralLink)?.isEncrypted == false)
        }
    }

    /// A clone pairs without bonding, with the user's consent, and then with bonding on the link that its own keys encrypt. Only
    /// the keys of the bond prove that the peer is the bonded device.
    @Test(arguments: [false, true]) func rePairing_encryptionWithOtherKeysProvesNoIdentity(endsEarly: Bool) throws {
        let (pair, bond) = try bonded(.unauthenticated)
        pair.clone(pair.central)
        pair.central.host.pairingSettings.policy.bonding = false
        pair.peripheral.host.pairingSettings.policy.weakerBonds = .ask
        if endsEarly {
            // The clone fails the pairing after the encryption, when the devices distribute keys.
            pair.central.host.pairingSettings.policy.bonding = true
            Interception.start(pair.central) {
                (0x06...0x0A).contains($0[0]) ? [SMP.Code.pairingFailed.rawValue, 8] : $0
            }
        }
        pair.pair()
        #expect(pair.peripheral.asked.count == 1)
        let security = pair.peripheral.host.security(of: pair.peripheralLink)
        #expect(security?.isEncrypted == true && security?.isBonded == false)

        pair.bench.run(.seconds(2))
        pair.peripheral.host.pairingSettings.policy.weakerBonds = .refuse
        let link = try #require(pair.central.controller.links.first)
        Interception.deliver([1, 3, 0, 0x09, 16, 3, 3], on: link)
        pair.settle()
        #expect(pair.peripheral.failures.last == .local(.authenticationRequirements))
        #expect(pair.peripheral.host.bonds.bonds == [bond])
    }

    /// BLESA (Wu et al., CVE-2020-9770): a clone of a bonded peripheral has no keys, or does not answer, or asks for a new pairing. The
    /// central pairs with none of them and serves none of them an unencrypted link.
    @Test func BLESA_CVE_2020_9770_aCloneOfABondedPeripheralGetsNoLink() throws {
        let (pair, bond) = try bonded(.secureConnections)
        pair.clone(pair.peripheral)
        pair.pair()
        #expect(pair.central.disconnected.last == .host(.keyMissing))
        #expect(pair.codes.isEmpty && pair.central.host.bonds.bonds.map(\.peerKey) == [bond.localKey])

        pair.connect()
        pair.central.controller.holdsEncryption = true
        pair.central.host.secure(pair.link, minimum: .unauthenticated, at: pair.bench.now)
        let link = try #require(pair.peripheral.controller.links.first)
        for code in UInt8(1)...0x0E { Interception.deliver([code, 0x0D, 0, 8, 16, 3, 3], on: link) }
        Interception.deliver([0x0B, 0x0D], on: link)
        pair.settle()
        #expect(pair.central.asked.count == 1 && pair.central.results.count == 1)
        #expect(pair.central.host.security(of: pair.link)?.isEncrypted == false)
        pair.bench.run(.seconds(31))
        #expect(pair.central.disconnected.last == .host(.encryptionTimeout))
    }

    /// The keys of the bond encrypt a link while a pairing waits for its own key. The report of the controller does not complete the
    /// pairing.
    @Test func anotherKey_theEncryptionOfTheBondDoesNotCompleteAPairing() throws {
        let (pair, bond) = try bonded(.unauthenticated)
        pair.reconnect()
        pair.setCapabilities(.displayYesNo, .displayYesNo)
        pair.central.controller.holdsEncryption = true
        let handle = try #require(pair.peripheral.controller.links.first?.handle)
        // The peripheral gives the key of the bond, and the report of its controller arrives late.
        var isGiven = false
        Interception.start(pair.central) { pdu in
            if pdu[0] == SMP.Code.pairingDHKeyCheck.rawValue, !isGiven {
                isGiven = true
                pair.peripheral.controller.emit(
                    le: HCI.LELongTermKeyRequest(connectionHandle: handle, randomNumber: 0, encryptedDiversifier: 0))
            }
            return pdu
        }
        pair.central.host.removeBond(try #require(pair.central.host.bonds.bonds.first).peer)
        pair.pair(.secureConnections)
        #expect(isGiven)
        pair.peripheral.controller.emit(
            HCI.EncryptionChange(status: .success, connectionHandle: handle, encryptionEnabled: 1))
        pair.settle()
        #expect(pair.peripheral.host.security(of: pair.peripheralLink)?.level == .unauthenticated)
        #expect(pair.peripheral.results.count == 1 && pair.peripheral.host.bonds.bonds == [bond])
        pair.bench.run(.seconds(31))
        #expect(pair.peripheral.failures == [.timeout] && pair.peripheral.host.bonds.bonds == [bond])
    }

    // MARK: A device that claims the identity of a bonded one

    /// A device that can have a private address: another identity beside an identity address would not be used.
    private func impostor(in pair: PairingBench, isPrivate: Bool = true) -> BenchHost {
        var configuration = HostConfiguration()
        configuration.privacy.usesPrivateAddress = isPrivate
        let host = pair.bench.add(configuration) { $0.features = [.encryption] }
        host.host.pairingSettings.identityKey = IdentityResolvingKey(value: 0x666)
        host.host.start(at: pair.bench.now)
        pair.settle()
        #expect(host.controller.address.isIdentity != isPrivate)
        return host
    }

    /// A third device and its link to the peripheral of the pair. It distributes the identity of `victim`.
    private func impostor(
        of victim: BenchHost, in pair: PairingBench, isPrivate: Bool = true, holding: @escaping () -> Bool = { false }
    ) throws -> (host: BenchHost, link: LinkIdentifier) {
        let host = impostor(in: pair, isPrivate: isPrivate)
        let (link, _) = try #require(pair.bench.link(host, pair.peripheral))
        let identity = try claim(of: victim)
        Interception.start(host) { pdu in
            guard pdu[0] == SMP.Code.identityAddressInformation.rawValue else { return pdu }
            return holding() ? nil : identity
        }
        return (host, link)
    }

    /// Identity Address Information with the address of a host.
    private func claim(of victim: BenchHost) throws -> [UInt8] {
        let address = try #require(victim.address)
        let octets = (0..<6).map { UInt8(truncatingIfNeeded: address.value >> UInt64(8 * $0)) }
        return [SMP.Code.identityAddressInformation.rawValue, address.kind == .public ? 0 : 1] + octets
    }

    /// Just works proves no identity. The user who accepts an unknown device does not thereby give up the bond of another one.
    @Test(arguments: [false, true]) func stolenIdentity_justWorksReplacesNoBondOfAnotherDevice(hasAgent: Bool) throws {
        let (pair, bond) = try bonded(.unauthenticated)
        if hasAgent {
            pair.peripheral.host.pairingSettings.policy.weakerBonds = .ask
            pair.peripheral.host.pairingSettings.policy.asksBeforePairing = true
        }
        let impostor = try impostor(of: pair.central, in: pair)
        impostor.host.host.secure(impostor.link, minimum: .unauthenticated, at: pair.bench.now)
        pair.settle()
        #expect(pair.peripheral.asked.count == (hasAgent ? 1 : 0))
        #expect(pair.peripheral.failures == [.local(.keyRejected)])
        #expect(pair.peripheral.host.bonds.bonds == [bond])
    }

    /// A device with an identity address is bonded under that one, whatever it claims.
    @Test func stolenIdentity_aDeviceWithAnIdentityAddressIsBondedUnderIt() throws {
        let (pair, bond) = try bonded(.unauthenticated)
        let impostor = try impostor(of: pair.central, in: pair, isPrivate: false)
        impostor.host.host.secure(impostor.link, minimum: .unauthenticated, at: pair.bench.now)
        pair.settle()
        #expect(pair.peripheral.failures.isEmpty)
        #expect(pair.peripheral.host.bonds.bonds.map(\.peer) == [bond.peer, impostor.host.controller.address])
        #expect(pair.peripheral.host.bonds[bond.peer] == bond)
    }

    /// The same, while the bonded device pairs on another link: the bond is younger than the impostor's pairing.
    @Test func stolenIdentity_aBondThatIsYoungerThanThePairingIsKept() throws {
        let pair = PairingBench()
        var holding = true
        let impostor = try impostor(of: pair.central, in: pair) { holding }
        impostor.host.host.secure(impostor.link, minimum: .unauthenticated, at: pair.bench.now)
        pair.settle()
        #expect(pair.peripheral.results.isEmpty && pair.peripheral.failures.isEmpty)
        pair.pair()
        let bond = try #require(pair.peripheral.host.bonds.bonds.first)
        holding = false
        Interception.deliver(
            try claim(of: pair.central), on: try #require(impostor.host.controller.links.first))
        pair.settle()
        #expect(pair.peripheral.failures == [.local(.keyRejected)])
        #expect(pair.peripheral.host.bonds.bonds == [bond])
    }

    /// The bonded device pairs while the impostor does not acknowledge the host's last key.
    @Test func stolenIdentity_aBondThatIsYoungerThanTheLastKeyIsKept() throws {
        let pair = PairingBench()
        let impostor = impostor(in: pair)
        let identity = try claim(of: pair.central)
        let (link, _) = try #require(pair.bench.link(pair.peripheral, impostor))
        Interception.start(impostor) { [unowned pair] pdu in
            guard pdu[0] == SMP.Code.identityAddressInformation.rawValue else { return pdu }
            // From now on nothing of the host is acknowledged.
            pair.peripheral.controller.isStalled = true
            return identity
        }
        // This host is the central of the impostor, so it sends the last key.
        pair.peripheral.host.secure(link, minimum: .unauthenticated, at: pair.bench.now)
        pair.settle()
        #expect(pair.peripheral.results.isEmpty)
        let found = pair.peripheral.host.security(of: link)
        let security = try #require(found)
        #expect(security.isEncrypted)
        let keys = StoredKey(key: LongTermKey(value: 9), diversifier: 0, random: 0)
        let bond = Bond(
            peer: try #require(pair.central.address), security: security, usesDebugKeys: false, localKey: keys,
            peerKey: keys, peerIdentityKey: nil, localSignatureKey: nil, peerSignatureKey: nil, linkKey: nil)
        pair.peripheral.host.addBond(bond)
        pair.peripheral.controller.release()
        pair.settle()
        #expect(pair.peripheral.host.bonds.bonds == [bond])
    }

    /// A peer that acknowledges nothing does not keep a pairing alive beyond 30 s.
    @Test func noAcknowledgement_endsThePairingAfter30Seconds() {
        let pair = PairingBench()
        Interception.start(pair.central) { [unowned pair] pdu in
            if pdu[0] == SMP.Code.pairingDHKeyCheck.rawValue { pair.central.controller.isStalled = true }
            return pdu
        }
        pair.pair()
        #expect(pair.central.results.isEmpty && pair.central.failures.isEmpty)
        pair.bench.run(.seconds(31))
        #expect(pair.central.failures == [.timeout] && pair.central.host.bonds.bonds.isEmpty)
        #expect(pair.central.host.security.undelivered == 0)
    }

    // MARK: Keys of the other transport

    /// "BLURtooth" (Antonioli et al., CVE-2020-15802): keys that are derived for the other transport replace better ones. A derived key
    /// belongs to its bond, and is replaced under the rules of bonds.
    @Test func BLURtooth_CVE_2020_15802_aCloneReplacesNoDerivedKey() throws {
        func derive(_ pair: PairingBench) {
            for host in pair.hosts { host.host.pairingSettings.policy.derivesLinkKey = true }
        }
        let (pair, bond) = try bonded(.secureConnections, derive)
        #expect(bond.linkKey != nil)
        pair.clone(pair.central)
        derive(pair)
        pair.pair()
        #expect(pair.central.failures == [.remote(.authenticationRequirements)])
        #expect(pair.peripheral.host.bonds.bonds == [bond])
    }

    /// Without a policy for it, a host derives no key, whatever the peer requests.
    @Test func BLURtooth_CVE_2020_15802_noKeyIsDerivedByDefault() throws {
        let (pair, bond) = try bonded(.secureConnections) {
            $0.central.host.pairingSettings.policy.derivesLinkKey = true
        }
        #expect(bond.linkKey == nil && pair.central.host.bonds.bonds.allSatisfy { $0.linkKey == nil })
    }
}
