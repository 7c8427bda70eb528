import BLEWire
import Testing

/// Octets written by hand from Vol 3, Part H, 3.5 and 3.6, without the code.
struct SMPPDUTests {
    private let sixteen = "00112233 44556677 8899AABB CCDDEEFF"

    @Test func featureExchange() {
        checkPDU(SMP.PairingRequest.self, "04 00 2D 10 0F 0F", .fixed)
        checkPDU(SMP.PairingResponse.self, "03 01 01 07 02 03", .fixed)
        checkPDU(SMP.SecurityRequest.self, "0D", .fixed)
    }
    @Test func authentication() {
        checkPDU(SMP.PairingConfirm.self, sixteen, .fixed)
        checkPDU(SMP.PairingRandom.self, sixteen, .fixed)
        checkPDU(SMP.PairingFailed.self, "0F", .fixed)
        checkPDU(SMP.PairingPublicKey.self, sixteen + sixteen + sixteen + sixteen, .fixed)
        checkPDU(SMP.PairingDHKeyCheck.self, sixteen, .fixed)
        checkPDU(SMP.KeypressNotification.self, "04", .fixed)
    }
    @Test func keyDistribution() {
        checkPDU(SMP.EncryptionInformation.self, sixteen, .fixed)
        checkPDU(SMP.CentralIdentification.self, "3412 8877665544332211", .fixed)
        checkPDU(SMP.IdentityInformation.self, sixteen, .fixed)
        checkPDU(SMP.IdentityAddressInformation.self, "01 0605040302C1", .fixed)
        checkPDU(SMP.SigningInformation.self, sixteen, .fixed)
    }

    /// The codes of table 3.3, once more by hand, and the lengths of the sections.
    static let packets: [(text: String, code: SMP.Code)] = {
        let sixteen = String(repeating: "AA", count: 16)
        return [
            ("01 03 00 01 10 00 00", .pairingRequest), ("02 03 00 01 10 00 00", .pairingResponse),
            ("03" + sixteen, .pairingConfirm), ("04" + sixteen, .pairingRandom), ("05 08", .pairingFailed),
            ("06" + sixteen, .encryptionInformation), ("07 0100 0200000000000000", .centralIdentification),
            ("08" + sixteen, .identityInformation), ("09 00 010203040506", .identityAddressInformation),
            ("0A" + sixteen, .signingInformation), ("0B 01", .securityRequest),
            ("0C" + sixteen + sixteen + sixteen + sixteen, .pairingPublicKey), ("0D" + sixteen, .pairingDHKeyCheck),
            ("0E 00", .keypressNotification),
        ]
    }()

    @Test(arguments: packets) func aCodeSelectsItsPacketType(text: String, code: SMP.Code) throws {
        let octets = octets(text)
        let packet = try SMP.Packet(decoding: octets.span)
        #expect(packet.code == code)
        #expect(packet.octets == octets)
        #expect(throws: (any Error).self) {
            _ = try SMP.Packet(decoding: octets.span.extracting(first: octets.count - 1))
        }
    }

    @Test func reservedCodesAreReported() {
        for code in [0x00, 0x0F, 0xFF] as [UInt8] {
            let octets = [code, 1, 2]
            #expect(throws: DecodeError.unexpectedType) { _ = try SMP.Packet(decoding: octets.span) }
        }
        #expect(throws: DecodeError.truncated) { _ = try SMP.Packet(decoding: [UInt8]().span) }
    }

    @Test func fieldsHaveTheSpecifiedPositions() throws {
        let octets = octets("04 01 2D 10 03 0B")
        let features = try SMP.PairingRequest(decoding: octets.span).features
        #expect(features.ioCapability == .keyboardDisplay)
        #expect(features.hasOutOfBandData)
        #expect(features.requirements == [.bonding, .manInTheMiddle, .secureConnections, .crossTransport])
        #expect(features.maximumKeySize == 16)
        #expect(features.initiatorKeys == [.encryption, .identity])
        #expect(features.responderKeys == [.encryption, .identity, .linkKey])
        #expect(features.authenticationNumber == 0x2D0104)
        #expect(SMP.PairingRequest(features: features).number == 0x0B_03_10_2D_01_04_01)
        let key = BLEWireTests.octets("00112233445566778899AABBCCDDEEFF")
        #expect(
            try SMP.EncryptionInformation(decoding: key.span).key.value == 0xFFEE_DDCC_BBAA_9988_7766_5544_3322_1100)
    }

    @Test func flagsAndAddressKindsOutOfRangeAreRefused() {
        let flag = octets("04 02 2D 10 03 0B")
        #expect(throws: DecodeError.invalidValue) { _ = try SMP.PairingRequest(decoding: flag.span) }
        let kind = octets("02 010203040506")
        #expect(throws: DecodeError.invalidValue) { _ = try SMP.IdentityAddressInformation(decoding: kind.span) }
    }

    @Test func reservedBondingFlagsRequestNoBond() {
        #expect(SMP.AuthenticationRequirements(rawValue: 0x01).requestsBonding)
        for value in [0x00, 0x02, 0x03] as [UInt8] {
            #expect(!SMP.AuthenticationRequirements(rawValue: value).requestsBonding)
        }
    }

    @Test func reasonsHaveTheirNames() {
        #expect(SMP.FailureReason.keyRejected.rawValue == 0x0F)
        #expect(SMP.FailureReason.busy.rawValue == 0x10)
        #expect(SMP.FailureReason.busy.description == "Busy")
        #expect(SMP.FailureReason(rawValue: 0x42).description == "Reason 0x42")
        #expect(SMP.Code.pairingDHKeyCheck.description == "Pairing DHKey Check")
        #expect(SMP.Code(rawValue: 0x1F).description == "Code 0x1F")
    }
}
