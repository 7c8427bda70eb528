import BLECrypto
import BLEWire
import Testing

@testable import BLESecurity

/// What a pairing sends, against values that the test computes with the toolbox from the PDUs (Vol 3, Part H, 2.3.5). Two ends with the same fault agree
/// with each other.
struct PairingVectorTests {
    private let crypto = SwiftCryptoProvider(generator: SeededRandom(seed: 9))

    /// A PDU as an integer, the first octet in the lowest place.
    private func number(_ packet: SMP.Packet?) throws -> UInt128 {
        try #require(packet).octets.reversed().reduce(0) { $0 << 8 | UInt128($1) }
    }

    private func packet(_ harness: PairHarness, _ code: SMP.Code, _ role: PairingRole) -> SMP.Packet? {
        harness.transcript.first { $0.from == role && $0.packet.code == code }?.packet
    }

    /// The content of a PDU of one number.
    private func value(_ harness: PairHarness, _ code: SMP.Code, _ role: PairingRole) throws -> UInt128 {
        let found = try #require(packet(harness, code, role))
        return found.octets.dropFirst().reversed().reduce(0) { $0 << 8 | UInt128($1) }
    }

    @Test func legacyConfirmValuesCoverBothFeaturesAndAddresses() throws {
        func set(_ parameters: inout PairingParameters) {
            parameters.policy.allowsSecureConnections = false
            parameters.policy.requiresManInTheMiddle = true
            parameters.outOfBand.legacyKey = TemporaryKey(value: 0x1234_5678_9ABC_DEF0_1122_3344_5566_7788)
        }
        var harness = PairHarness(.initiator(.noInputNoOutput, set), .responder(.noInputNoOutput, set))
        harness.run()
        #expect(harness.initiator.results.count == 1)
        let request = try number(packet(harness, .pairingRequest, .initiator))
        let response = try number(packet(harness, .pairingResponse, .responder))
        for role in PairingRole.allCases {
            let confirm = crypto.c1(
                0x1234_5678_9ABC_DEF0_1122_3344_5566_7788, random: try value(harness, .pairingRandom, role),
                request: request, response: response, initiator: .central, responder: .peripheral)
            #expect(try value(harness, .pairingConfirm, role) == confirm)
        }
        // The random values have their places in the short term key as well.
        let key = crypto.s1(
            0x1234_5678_9ABC_DEF0_1122_3344_5566_7788, responder: try value(harness, .pairingRandom, .responder),
            initiator: try value(harness, .pairingRandom, .initiator))
        #expect(harness.responder.providedKey?.value == key)
    }

    /// Both ends use the debug key pair, whose private key is published, so the test knows the shared secret.
    @Test func theCheckValuesCoverTheAddressesOfBothDevices() throws {
        var harness = PairHarness(
            .initiator(.displayYesNo) { $0.policy.usesDebugKeys = true },
            .responder(.keyboardDisplay) { $0.policy.usesDebugKeys = true })
        harness.run()
        #expect(harness.initiator.results.count == 1)
        let pair = try #require(crypto.keyPair(.debug))
        let secret = try crypto.sharedSecret(pair.privateKey, with: pair.publicKey)
        let first = try value(harness, .pairingRandom, .initiator)
        let second = try value(harness, .pairingRandom, .responder)
        let keys = crypto.f5(secret, first, second, .central, .peripheral)
        // The octets 1, 2 and 3 of a request or response: IO capability, OOB data flag, AuthReq.
        let request = UInt32(try number(packet(harness, .pairingRequest, .initiator)) >> 8 & 0xFFFFFF)
        let response = UInt32(try number(packet(harness, .pairingResponse, .responder)) >> 8 & 0xFFFFFF)
        #expect(
            try value(harness, .pairingDHKeyCheck, .initiator)
                == crypto.f6(keys.check, first, second, 0, features: request, .central, .peripheral))
        #expect(
            try value(harness, .pairingDHKeyCheck, .responder)
                == crypto.f6(keys.check, second, first, 0, features: response, .peripheral, .central))
        #expect(harness.initiator.results.first?.bond?.peerKey?.key == keys.longTerm)
    }

    /// The debug key with the other sign of Y has the X coordinate of this device's own key (CVE-2020-26558), and it is not the debug key.
    @Test func theDebugKeyWithAnotherYIsRefusedInDebugMode() throws {
        let debug = P256PublicKey.debug
        let y = UInt256(
            low: 0x899c_ba3e_7012_cfdb_8be3_712f_ea76_2d74, high: 0x237f_63b5_9ad5_1493_9ccd_6540_a5ad_eaa3)
        var harness = PairHarness(
            .initiator { $0.policy.usesDebugKeys = true }, .responder { $0.policy.usesDebugKeys = true })
        harness.tamper = { role, packet in
            guard role == .initiator, packet.code == .pairingPublicKey else { return packet }
            return .pairingPublicKey(.init(key: P256PublicKey(x: debug.x, y: y)))
        }
        harness.run()
        #expect(harness.responder.failures == [.local(.invalidParameters)])
        #expect(harness.responder.results.isEmpty)
    }

    @Test func theTableOfFailuresHoldsItsCapacityAndForgetsTheOldest() {
        #expect(FailedAttemptsTable.capacity == 64)
        var attempts = FailedAttempts()
        attempts.failed(at: .zero + .seconds(1))
        var table = FailedAttemptsTable()
        for value in 0...64 as ClosedRange<UInt64> {
            table.store(attempts, of: DeviceAddress(kind: .public, value: value), at: .zero + .seconds(1))
        }
        #expect(table.count == 64)
        #expect(table[DeviceAddress(kind: .public, value: 0)] == FailedAttempts())
        #expect(table[DeviceAddress(kind: .public, value: 1)] == attempts)
    }
}
