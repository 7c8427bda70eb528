import BLECrypto
import BLEWire
import Testing

@testable import BLEController

/// Returns fixed numbers where a test needs the values of a sample, and otherwise those of a seed.
private struct ScriptedCrypto: CryptoProvider {
    var base: SwiftCryptoProvider<SeededRandom>
    var numbers: [UInt128]

    func encrypt(_ block: UInt128, key: UInt128) -> UInt128 { base.encrypt(block, key: key) }
    func authenticationCode(of message: Span<UInt8>, key: UInt128) -> UInt128 {
        base.authenticationCode(of: message, key: key)
    }
    func keyPair(_ privateKey: P256PrivateKey) -> P256KeyPair? { base.keyPair(privateKey) }
    func sharedSecret(
        _ privateKey: P256PrivateKey, with publicKey: P256PublicKey
    ) throws(CryptoError) -> SharedSecret { try base.sharedSecret(privateKey, with: publicKey) }
    func packetCipher(key: UInt128) -> any PacketCipher { base.packetCipher(key: key) }
    mutating func random() -> UInt128 { numbers.isEmpty ? base.random() : numbers.removeFirst() }
}

/// A link whose hosts have a key.
struct EncryptedLink {
    let bench: Bench
    let central: RawHost
    let peripheral: RawHost
    let handles: (central: UInt16, peripheral: UInt16)

    init(_ bench: Bench = Bench(), isEncrypted: Bool = true, interval: UInt16 = 24, timeout: UInt16 = 100) throws {
        self.bench = bench
        (central, peripheral) = (bench.addHost(), bench.addHost())
        handles = try #require(bench.connect(central, peripheral, interval: interval, timeout: timeout))
        bench.run(for: .milliseconds(200))
        if isEncrypted {
            #expect(bench.encrypt(central, handles.central, with: peripheral))
            bench.run(for: .milliseconds(200))
        }
    }

    var hosts: [RawHost] { [central, peripheral] }

    /// The reasons for which the ends of the link reported its end.
    var reasons: [[HCI.ErrorCode]] { hosts.map { $0.disconnections.map(\.reason) } }

    /// Whether data passes in both directions.
    func carriesData() -> Bool {
        let before = (
            central.received[handles.central]?.count ?? 0, peripheral.received[handles.peripheral]?.count ?? 0
        )
        central.queue([1, 2, 3], handle: handles.central)
        peripheral.queue([4, 5], handle: handles.peripheral)
        bench.run(for: .milliseconds(500))
        return central.received[handles.central]?.count == before.0 + 2
            && peripheral.received[handles.peripheral]?.count == before.1 + 3
    }
}

/// The encryption of links, on the air (Vol 6, Part B, 5.1.3).
struct EncryptionTests {
    private static let key: UInt128 = 0x4C68_3841_39F5_74D8_36BC_F34E_9DFB_01BF

    /// The sample of Vol 6, Part C, 1: every octet on the air, from LL_ENC_REQ to the data of both directions.
    ///
    /// LL/SEC/CEN/BV-01-C, LL/SEC/PER/BV-01-C
    @Test func theSampleOfTheSpecificationIsOnTheAir() throws {
        let bench = Bench(crypto: { seed in
            // The central draws SKDc and IVc, and then the peripheral SKDp and IVp.
            let numbers: [UInt128] = [0xBADC_AB24_ACBD_CEDF_E0F1_0213, 0xDEAF_BABE_0213_2435_4657_6879]
            return ScriptedCrypto(base: SwiftCryptoProvider(generator: seed), numbers: numbers)
        })
        let link = try EncryptedLink(bench, isEncrypted: false)
        var air: [(sender: Int, kind: UInt8, payload: [UInt8])] = []
        bench.radio.airObserver = { packet in
            guard packet.pdu.count > 2 else { return }
            air.append(
                (packet.sender.rawValue, packet.pdu[0] & 3, [UInt8](packet.pdu.extracting(droppingFirst: 2))))
        }
        link.peripheral.keyReply = .key(Self.key)
        link.central.enableEncryption(
            link.handles.central, key: Self.key, random: 0xABCD_EF12_3456_7890, diversifier: 0x2474)
        bench.run(for: .milliseconds(500))
        let fromCentral: [UInt8] = [
            0x17, 0x00, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x70, 0x71, 0x31,
            0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x30,
        ]
        let fromPeripheral: [UInt8] = [
            0x17, 0x00, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31, 0x30, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47, 0x48,
            0x49, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F, 0x50, 0x51,
        ]
        link.central.queue(fromCentral, handle: link.handles.central)
        bench.run(for: .milliseconds(200))
        link.peripheral.queue(fromPeripheral, handle: link.handles.peripheral)
        bench.run(for: .milliseconds(200))

        let expected: [(sender: Int, kind: UInt8, payload: [UInt8])] = [
            (
                0, 3,
                [
                    0x03, 0x90, 0x78, 0x56, 0x34, 0x12, 0xEF, 0xCD, 0xAB, 0x74, 0x24, 0x13, 0x02, 0xF1, 0xE0, 0xDF,
                    0xCE, 0xBD, 0xAC, 0x24, 0xAB, 0xDC, 0xBA,
                ]
            ),
            (1, 3, [0x04, 0x79, 0x68, 0x57, 0x46, 0x35, 0x24, 0x13, 0x02, 0xBE, 0xBA, 0xAF, 0xDE]),
            (1, 3, [0x05]),
            (0, 3, [0x9F, 0xCD, 0xA7, 0xF4, 0x48]),
            (1, 3, [0xA3, 0x4C, 0x13, 0xA4, 0x15]),
            (
                0, 2,
                [
                    0x7A, 0x70, 0xD6, 0x64, 0x15, 0x22, 0x6D, 0xF2, 0x6B, 0x17, 0x83, 0x9A, 0x06, 0x04, 0x05, 0x59,
                    0x6B, 0xD6, 0x56, 0x4F, 0x79, 0x6B, 0x5B, 0x9C, 0xE6, 0xFF, 0x32, 0xF7, 0x5A, 0x6D, 0x33,
                ]
            ),
            (
                1, 2,
                [
                    0xF3, 0x88, 0x81, 0xE7, 0xBD, 0x94, 0xC9, 0xC3, 0x69, 0xB9, 0xA6, 0x68, 0x46, 0xDD, 0x47, 0x86,
                    0xAA, 0x8C, 0x39, 0xCE, 0x54, 0x0D, 0x0D, 0xAE, 0x3A, 0xDC, 0xDF, 0x89, 0xB9, 0x60, 0x88,
                ]
            ),
        ]
        #expect(air.count == expected.count)
        for (theirs, ours) in zip(expected, air) { #expect(theirs == ours, "\(theirs) \(ours)") }
        #expect(link.peripheral.received[link.handles.peripheral] == fromCentral)
        #expect(link.central.received[link.handles.central] == fromPeripheral)
        let asked = link.peripheral.all(HCI.LELongTermKeyRequest.self)
        #expect(
            asked == [
                HCI.LELongTermKeyRequest(
                    connectionHandle: link.handles.peripheral, randomNumber: 0xABCD_EF12_3456_7890,
                    encryptedDiversifier: 0x2474)
            ])
        for (host, handle) in [(link.central, link.handles.central), (link.peripheral, link.handles.peripheral)] {
            #expect(
                host.all(events: HCI.EncryptionChange.self) == [
                    HCI.EncryptionChange(status: .success, connectionHandle: handle, encryptionEnabled: 1)
                ])
        }
    }

    /// LL/SEC/CEN/BV-02-C, LL/SEC/PER/BV-02-C, LL/SEC/PER/BV-03-C
    @Test func aRefreshReplacesTheKeyAndHoldsDataBack() throws {
        let link = try EncryptedLink()
        #expect(link.carriesData())
        var plain: [[UInt8]] = []
        link.bench.radio.airObserver = { packet in
            // The PDUs between LL_PAUSE_ENC_RSP of the central and LL_START_ENC_REQ have no MIC.
            if packet.pdu.count > 2, packet.pdu[0] & 3 == 3 {
                plain.append([UInt8](packet.pdu.extracting(droppingFirst: 2)))
            }
        }
        // Data from before, during and after the procedure.
        let octets = (0..<600).map { UInt8(truncatingIfNeeded: $0) }
        link.peripheral.keyReply = .none
        for start in stride(from: 0, to: 200, by: 20) {
            link.central.queue(Array(octets[start..<start + 20]), handle: link.handles.central)
            link.peripheral.queue(Array(octets[start..<start + 20]), handle: link.handles.peripheral)
        }
        link.central.enableEncryption(link.handles.central, key: 77)
        link.bench.run(for: .milliseconds(500))
        #expect(link.peripheral.all(HCI.LELongTermKeyRequest.self).count == 2)
        let held = [link.central.received, link.peripheral.received]
        for start in stride(from: 200, to: 400, by: 20) {
            link.central.queue(Array(octets[start..<start + 20]), handle: link.handles.central)
            link.peripheral.queue(Array(octets[start..<start + 20]), handle: link.handles.peripheral)
        }
        link.bench.run(for: .seconds(1))
        #expect(held == [link.central.received, link.peripheral.received])
        link.peripheral.send(
            HCI.LELongTermKeyRequestReply(
                connectionHandle: link.handles.peripheral, longTermKey: RawHost.octets(of: 77)))
        link.bench.run(for: .milliseconds(500))
        for start in stride(from: 400, to: 600, by: 20) {
            link.central.queue(Array(octets[start..<start + 20]), handle: link.handles.central)
            link.peripheral.queue(Array(octets[start..<start + 20]), handle: link.handles.peripheral)
        }
        link.bench.run(for: .seconds(1))
        #expect(link.peripheral.received[link.handles.peripheral] == [1, 2, 3] + octets)
        #expect(link.central.received[link.handles.central] == [4, 5] + octets)
        for (host, handle) in [(link.central, link.handles.central), (link.peripheral, link.handles.peripheral)] {
            #expect(
                host.all(events: HCI.EncryptionKeyRefreshComplete.self) == [
                    HCI.EncryptionKeyRefreshComplete(status: .success, connectionHandle: handle)
                ])
            #expect(host.all(events: HCI.EncryptionChange.self).count == 1)
        }
        let opcodes = plain.map { $0.count == 5 ? 0xFF : $0[0] }
        // LL_PAUSE_ENC_REQ and the peripheral's LL_PAUSE_ENC_RSP are encrypted, and so are both LL_START_ENC_RSP.
        #expect(opcodes == [0xFF, 0xFF, 0x0B, 0x03, 0x04, 0x05, 0xFF, 0xFF])
    }

    /// Before a feature exchange the peripheral sends LL_REJECT_IND, and LL_REJECT_EXT_IND afterwards.
    ///
    /// LL/SEC/PER/BV-04-C, LL/SEC/PER/BV-11-C, LL/SEC/CEN/BV-11-C
    @Test(arguments: [false, true], [false, true])
    func aHostWithoutTheKeyRefusesAndTheLinkGoesOn(knowsFeatures: Bool, isMasked: Bool) throws {
        let link = try EncryptedLink(isEncrypted: false)
        if knowsFeatures {
            link.central.send(HCI.LEReadRemoteFeatures(connectionHandle: link.handles.central))
            link.bench.run(for: .milliseconds(300))
        }
        if isMasked {
            link.peripheral.send(HCI.LESetEventMask(mask: [.connectionComplete]))
        } else {
            link.peripheral.keyReply = .negative
        }
        var rejections: [[UInt8]] = []
        link.bench.radio.airObserver = { packet in
            guard packet.pdu.count > 2, packet.pdu[2] == 0x0D || packet.pdu[2] == 0x11 else { return }
            rejections.append([UInt8](packet.pdu.extracting(droppingFirst: 2)))
        }
        link.central.enableEncryption(link.handles.central, key: 1)
        link.bench.run(for: .milliseconds(500))
        #expect(rejections == [knowsFeatures ? [0x11, 0x03, 0x06] : [0x0D, 0x06]])
        #expect(
            link.central.all(events: HCI.EncryptionChange.self) == [
                HCI.EncryptionChange(
                    status: .pinOrKeyMissing, connectionHandle: link.handles.central, encryptionEnabled: 0)
            ])
        #expect(link.peripheral.all(events: HCI.EncryptionChange.self).isEmpty)
        #expect(link.peripheral.all(HCI.LELongTermKeyRequest.self).count == (isMasked ? 0 : 1))
        #expect(link.carriesData() && link.reasons == [[], []])
        // Another attempt with the key succeeds.
        link.peripheral.send(HCI.LESetEventMask(mask: HCI.LEEventMask(rawValue: 0xFFFFF & ~(1 << 9))))
        #expect(link.bench.encrypt(link.central, link.handles.central, with: link.peripheral))
        #expect(link.carriesData())
    }

    /// A link that was encrypted does not continue without encryption (Vol 6, Part B, 5.1.3.1).
    @Test func aHostWithoutTheKeyOfARefreshEndsTheLink() throws {
        let link = try EncryptedLink()
        link.peripheral.keyReply = .negative
        link.central.enableEncryption(link.handles.central, key: 2)
        link.bench.run(for: .seconds(2))
        #expect(link.reasons == [[.pinOrKeyMissing], [.connectionTerminatedByLocalHost]])
    }

    /// A peer that does not support encryption (Vol 6, Part B, 5.1.3.1).
    ///
    /// LL/SEC/CEN/BV-03-C
    @Test(arguments: [[0x0D, 0x1A], [0x11, 0x03, 0x1A], [0x07, 0x03]] as [[UInt8]])
    func aPeerThatRefusesEncryptionIsReported(answer: [UInt8]) throws {
        let link = try EncryptedLink(isEncrypted: false)
        link.bench.radio.tamper = { pdu in
            if pdu.count > 2, pdu[0] & 3 == 3, pdu[2] == 0x04 {
                pdu.replaceSubrange(1..., with: [UInt8(answer.count)] + answer)
            }
        }
        link.central.enableEncryption(link.handles.central, key: 1)
        link.bench.run(for: .milliseconds(500))
        #expect(
            link.central.all(events: HCI.EncryptionChange.self) == [
                HCI.EncryptionChange(
                    status: .unsupportedRemoteFeature, connectionHandle: link.handles.central, encryptionEnabled: 0)
            ])
        #expect(link.central.disconnections.isEmpty)
    }

    /// The peripheral receives LL_START_ENC_RSP with a MIC of another key. The central notices no more than silence.
    ///
    /// LL/SEC/PER/BI-03-C
    @Test func anotherKeyEndsTheLinkWithAMICFailure() throws {
        let link = try EncryptedLink(isEncrypted: false)
        link.peripheral.keyReply = .key(2)
        link.central.enableEncryption(link.handles.central, key: 1)
        link.bench.run(for: .seconds(3))
        #expect(link.reasons == [[.connectionTimeout], [.connectionTerminatedDueToMICFailure]])
        #expect(link.hosts.allSatisfy { $0.all(events: HCI.EncryptionChange.self).isEmpty })
    }

    /// Each flipped bit of an encrypted PDU, and of the authenticated bits of its header.
    ///
    /// LL/SEC/PER/BI-03-C, LL/SEC/PER/BI-04-C
    @Test(arguments: [HCI.Role.central, .peripheral]) func aFlippedBitEndsTheLinkWithAMICFailure(of sender: HCI.Role)
        throws
    {
        for bit in 0..<8 * 7 + 1 {
            let link = try EncryptedLink(interval: 6, timeout: 10)
            let (from, to) = sender == .central ? (link.central, link.peripheral) : (link.peripheral, link.central)
            var isChanged = false
            link.bench.radio.tamper = { pdu in
                guard pdu.count == 2 + 3 + LL.micLength, !isChanged else { return }
                isChanged = true
                // The last one turns the start of an L2CAP packet into a continuation.
                if bit == 8 * 7 { pdu[0] ^= 3 } else { pdu[2 + bit / 8] ^= 1 << (bit % 8) }
            }
            from.queue([1, 2, 3], handle: sender == .central ? link.handles.central : link.handles.peripheral)
            link.bench.run(for: .milliseconds(400))
            #expect(to.disconnections.map(\.reason) == [.connectionTerminatedDueToMICFailure], "bit \(bit)")
            #expect(from.disconnections.map(\.reason) == [.connectionTimeout], "bit \(bit)")
            #expect(to.received.isEmpty, "bit \(bit)")
        }
    }

    /// Plaintext of any length, in either direction.
    @Test(arguments: [HCI.Role.central, .peripheral], [1, 4, 5, 27])
    func plaintextAfterEncryptionEndsTheLink(from sender: HCI.Role, length: Int) throws {
        let link = try EncryptedLink()
        let (from, to) = sender == .central ? (link.central, link.peripheral) : (link.peripheral, link.central)
        link.bench.radio.tamper = { pdu in
            if pdu.count == 2 + 3 + LL.micLength {
                pdu.replaceSubrange(1..., with: [UInt8(length)] + [UInt8](repeating: 7, count: length))
            }
        }
        from.queue([1, 2, 3], handle: sender == .central ? link.handles.central : link.handles.peripheral)
        link.bench.run(for: .milliseconds(500))
        #expect(to.disconnections.map(\.reason) == [.connectionTerminatedDueToMICFailure] && to.received.isEmpty)
    }

    /// A retransmission has the octets of the first transmission, and each new PDU has others.
    @Test(arguments: [UInt64(1), 2, 3]) func retransmissionsRepeatTheCiphertext(seed: UInt64) throws {
        let bench = Bench(seed: seed)
        let link = try EncryptedLink(bench, interval: 6)
        bench.radio.configuration.loss = 0.3
        var last: [Int: (sequence: UInt8, payload: [UInt8])] = [:]
        var seen: Set<[UInt8]> = []
        var repeated = 0
        bench.radio.airObserver = { packet in
            let sender = packet.sender.rawValue
            let (sequence, payload) = (
                packet.pdu[0] & 8, [UInt8](packet.pdu.extracting(droppingFirst: 2))
            )
            if let before = last[sender], before.sequence == sequence {
                repeated += 1
                #expect(before.payload == payload)
            } else if !payload.isEmpty {
                #expect(seen.insert(payload).inserted)
            }
            last[sender] = (sequence, payload)
        }
        let octets = [UInt8](repeating: 9, count: 2_000)
        for start in stride(from: 0, to: octets.count, by: 20) {
            link.central.queue(Array(octets[start..<start + 20]), handle: link.handles.central)
            link.peripheral.queue(Array(octets[start..<start + 20]), handle: link.handles.peripheral)
        }
        bench.run(for: .seconds(10))
        #expect(repeated > 50 && seen.count >= 200)
        #expect(link.peripheral.received[link.handles.peripheral] == octets)
        #expect(link.central.received[link.handles.central] == octets)
    }

    /// The procedure survives the loss of any of its PDUs.
    @Test(arguments: 1...20 as ClosedRange<UInt64>) func encryptionStartsAndIsRefreshedOnABadRadio(seed: UInt64) throws
    {
        let bench = Bench(seed: seed)
        let (central, peripheral) = (bench.addHost(), bench.addHost())
        let handles = try #require(bench.connect(central, peripheral, interval: 6, timeout: 400))
        bench.radio.configuration.loss = 0.3
        for round in 1...3 {
            #expect(bench.encrypt(central, handles.central, with: peripheral, key: UInt128(round)))
            central.queue([1, 2, 3], handle: handles.central)
            peripheral.queue([4, 5], handle: handles.peripheral)
            bench.run(for: .seconds(2))
            #expect(peripheral.received[handles.peripheral]?.count == 3 * round)
            #expect(central.received[handles.central]?.count == 2 * round)
        }
        #expect(central.disconnections.isEmpty && peripheral.disconnections.isEmpty)
    }

    @Test func oneSeedGivesOneCiphertext() throws {
        func air(_ seed: UInt64) throws -> [String] {
            let bench = Bench(seed: seed)
            bench.keepLog()
            let link = try EncryptedLink(bench)
            #expect(link.carriesData())
            return bench.log
        }
        #expect(try air(4) == air(4))
        #expect(try air(4) != air(5))
    }
}
