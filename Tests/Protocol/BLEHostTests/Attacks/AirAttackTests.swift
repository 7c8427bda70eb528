import BLEAttribute
import BLECrypto
import BLESecurity
import BLEWire
import Testing

@testable import BLEController
@testable import BLEHost

/// Attacks on the air between two hosts whose controllers encrypt.
struct AirAttackTests {
    private let bench = RadioBench(seed: 7)
    private let central: RadioHost
    private let peripheral: RadioHost
    private let handle: UInt16
    private let links: (central: LinkIdentifier, peripheral: LinkIdentifier)

    /// The hosts are bonded, and their link is encrypted. The peripheral has a value that requires that.
    init() throws {
        central = bench.ready(crypto: SwiftCryptoProvider(generator: SeededRandom(seed: 21)))
        peripheral = bench.ready(crypto: SwiftCryptoProvider(generator: SeededRandom(seed: 22)))
        let definition = ServiceDefinition(
            uuid: TestService.service, isPrimary: true, includedServices: [],
            characteristics: [
                CharacteristicDefinition(
                    uuid: TestService.characteristic, properties: 0x0E, permissions: 0x0C, value: nil, descriptors: [])
            ])
        let added = peripheral.host.database.add(definition, included: [])
        let service = try #require(added)
        handle = service.characteristics[0].valueHandle
        links = try #require(bench.link(central, peripheral))
        central.host.secure(links.central, minimum: .unauthenticated, at: bench.now)
        let isBonded = bench.run(.seconds(5)) { [central, peripheral] in
            central.host.bonds.bonds.count == 1 && peripheral.host.bonds.bonds.count == 1
        }
        #expect(isBonded)
        bench.run(.seconds(1))
    }

    private func write(_ value: [UInt8]) {
        _ = try? central.host.writeCommand(value.span, handle: handle, on: links.central, at: bench.now)
        bench.run(.milliseconds(500))
    }

    /// An encrypted Write Command of one octet: header, L2CAP header, PDU, MIC.
    private static let length = 2 + 4 + 4 + LL.micLength

    /// Replaces the next Write Command.
    private func replace(_ change: @escaping ([UInt8]) -> [UInt8]) {
        var isDone = false
        bench.radio.tamper = { pdu in
            guard pdu.count == Self.length, pdu[0] & 3 == 2, !isDone else { return }
            isDone = true
            pdu = change(pdu)
        }
    }

    private func expectLossOfTheLink(_ sourceLocation: SourceLocation = #_sourceLocation) {
        #expect(
            peripheral.disconnected == [.controller(.connectionTerminatedDueToMICFailure)],
            sourceLocation: sourceLocation)
        #expect(peripheral.host.security(of: links.peripheral) == nil, sourceLocation: sourceLocation)
        #expect(
            central.host.bonds.bonds.count == 1 && peripheral.host.bonds.bonds.count == 1,
            sourceLocation: sourceLocation)
    }

    @Test func theLinkIsEncryptedAndWorks() {
        write([0x51])
        #expect(peripheral.written == [0x51] && peripheral.disconnected.isEmpty)
    }

    /// Plaintext on an encrypted link: a Write Command without a MIC.
    @Test func plaintextInjection_endsTheLinkAndWritesNothing() {
        let handle = self.handle
        replace { pdu in
            [
                pdu[0], 8, 4, 0, 4, 0, 0x52, UInt8(truncatingIfNeeded: handle), UInt8(truncatingIfNeeded: handle >> 8),
                0x66,
            ]
        }
        write([0x51])
        #expect(peripheral.written.isEmpty)
        expectLossOfTheLink()
    }

    /// An encrypted PDU is recorded and sent again in place of a later one.
    @Test func replay_endsTheLinkAndWritesNothingTwice() {
        var recorded: [UInt8] = []
        replace { pdu in
            recorded = pdu
            return pdu
        }
        write([0x51])
        #expect(peripheral.written == [0x51] && recorded.count == Self.length)
        replace { [pdu0 = recorded] pdu in [pdu[0]] + pdu0[1...] }
        write([0x52])
        #expect(peripheral.written == [0x51])
        expectLossOfTheLink()
    }

    /// The link layer is told to pause or restart encryption, without the key: LL_PAUSE_ENC_REQ, LL_PAUSE_ENC_RSP, LL_ENC_REQ,
    /// LL_START_ENC_REQ, LL_START_ENC_RSP, LL_REJECT_IND, LL_REJECT_EXT_IND.
    @Test(
        arguments: [
            [0x0A], [0x0B], [0x03] + [UInt8](repeating: 0, count: 22), [0x05], [0x06], [0x0D, 6], [0x11, 3, 6],
        ] as [[UInt8]])
    func encryptionTurnedOff_byForgedLinkLayerPDUs_endsTheLink(forged: [UInt8]) {
        replace { pdu in [pdu[0] & ~3 | 3, UInt8(forged.count)] + forged }
        write([0x51])
        #expect(peripheral.written.isEmpty)
        expectLossOfTheLink()
        // The link after that is encrypted with the keys of the bond, and no pairing runs.
        bench.radio.tamper = nil
        bench.run(.seconds(30)) { [central] in central.disconnected.count == 1 }
        guard let again = bench.link(central, peripheral) else {
            Issue.record("no second link")
            return
        }
        central.host.secure(again.0, minimum: .unauthenticated, at: bench.now)
        bench.run(.seconds(3))
        #expect(peripheral.host.security(of: again.1)?.isBonded == true)
        #expect(peripheral.host.security(of: again.1)?.isEncrypted == true)
    }

    /// A central with the address of the bonded one and another key. The value stays secret, and the bond stays.
    @Test func clonedAddress_withoutTheKeyReadsNothing() throws {
        let bond = try #require(central.host.bonds.bonds.first)
        central.host.disconnect(links.central, at: bench.now)
        bench.run(.seconds(5)) { [central, peripheral] in
            central.disconnected.count == 1 && peripheral.disconnected.count == 1
        }
        let wrong = StoredKey(key: LongTermKey(value: 7), diversifier: 0, random: 0)
        central.host.addBond(
            Bond(
                peer: bond.peer, security: bond.security, usesDebugKeys: false, localKey: wrong, peerKey: wrong,
                peerIdentityKey: nil, localSignatureKey: nil, peerSignatureKey: nil, linkKey: nil))
        peripheral.value = [0x5E, 0xC2]
        let kept = peripheral.host.bonds.bonds
        let again = try #require(bench.link(central, peripheral))
        central.host.submit(.read(handle: handle), id: 1, on: again.0, at: bench.now)
        bench.run(.seconds(2))
        #expect(central.result(1) == .failure(.attribute(ATT.ErrorCode.insufficientEncryption.rawValue)))
        central.host.secure(again.0, minimum: .unauthenticated, at: bench.now)
        bench.run(.seconds(5)) { [peripheral] in peripheral.disconnected.count == 2 }
        #expect(peripheral.disconnected.last == .controller(.connectionTerminatedDueToMICFailure))
        #expect(peripheral.host.bonds.bonds == kept)
        let reads = peripheral.events.count { if case .readRequest = $0.event { true } else { false } }
        #expect(reads == 0)
    }
}
