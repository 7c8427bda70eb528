import BLECrypto
import BLEWire
import Testing

/// AES-CCM against the sample data of the Core Specification, Vol 6, Part C, 1.
struct CCMTests {
    private let provider = SwiftCryptoProvider()
    private let key: UInt128 = 0x99AD_1B52_26A3_7E3E_058E_3B8E_27C2_C666
    /// IVc 0xBADCAB24 and IVp 0xDEAFBABE.
    private let vector: UInt64 = 0xDEAF_BABE_BADC_AB24

    private func seal(_ plain: [UInt8], counter: UInt64, fromCentral: Bool, header: UInt8) -> [UInt8] {
        var octets = plain
        var span = octets.mutableSpan
        let mic = provider.packetCipher(key: key).seal(
            &span, nonce: nonce(counter, fromCentral), header: header)
        return octets + (0..<4).map { UInt8(truncatingIfNeeded: mic >> (8 * $0)) }
    }

    private func open(_ sealed: [UInt8], counter: UInt64, fromCentral: Bool, header: UInt8) -> (Bool, [UInt8]) {
        var octets = Array(sealed.dropLast(4))
        let mic = sealed.suffix(4).reversed().reduce(0 as UInt32) { $0 << 8 | UInt32($1) }
        var span = octets.mutableSpan
        let fits = provider.packetCipher(key: key).open(
            &span, nonce: nonce(counter, fromCentral), header: header, mic: mic)
        return (fits, octets)
    }

    private func nonce(_ counter: UInt64, _ fromCentral: Bool) -> PacketNonce {
        PacketNonce(counter: counter, isFromCentral: fromCentral, initializationVector: vector)
    }

    /// LTK 0x4C68...01BF and SKD, SKDp above SKDc, give the session key.
    @Test func theSessionKeyMatchesTheSpecification() {
        let key = provider.encrypt(
            0x0213_2435_4657_6879_ACBD_CEDF_E0F1_0213, key: 0x4C68_3841_39F5_74D8_36BC_F34E_9DFB_01BF)
        #expect(key == self.key)
    }

    static let packets: [(plain: [UInt8], counter: UInt64, fromCentral: Bool, header: UInt8, air: [UInt8])] = [
        // LL_START_ENC_RSP from the central and from the peripheral.
        ([0x06], 0, true, 0x0F, [0x9F, 0xCD, 0xA7, 0xF4, 0x48]),
        ([0x06], 0, false, 0x07, [0xA3, 0x4C, 0x13, 0xA4, 0x15]),
        // The data packets, one in each direction.
        (
            [
                0x17, 0x00, 0x63, 0x64, 0x65, 0x66, 0x67, 0x68, 0x69, 0x6A, 0x6B, 0x6C, 0x6D, 0x6E, 0x6F, 0x70, 0x71,
                0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37, 0x38, 0x39, 0x30,
            ], 1, true, 0x0E,
            [
                0x7A, 0x70, 0xD6, 0x64, 0x15, 0x22, 0x6D, 0xF2, 0x6B, 0x17, 0x83, 0x9A, 0x06, 0x04, 0x05, 0x59, 0x6B,
                0xD6, 0x56, 0x4F, 0x79, 0x6B, 0x5B, 0x9C, 0xE6, 0xFF, 0x32, 0xF7, 0x5A, 0x6D, 0x33,
            ]
        ),
        (
            [
                0x17, 0x00, 0x37, 0x36, 0x35, 0x34, 0x33, 0x32, 0x31, 0x30, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47,
                0x48, 0x49, 0x4A, 0x4B, 0x4C, 0x4D, 0x4E, 0x4F, 0x50, 0x51,
            ], 1, false, 0x06,
            [
                0xF3, 0x88, 0x81, 0xE7, 0xBD, 0x94, 0xC9, 0xC3, 0x69, 0xB9, 0xA6, 0x68, 0x46, 0xDD, 0x47, 0x86, 0xAA,
                0x8C, 0x39, 0xCE, 0x54, 0x0D, 0x0D, 0xAE, 0x3A, 0xDC, 0xDF, 0x89, 0xB9, 0x60, 0x88,
            ]
        ),
    ]

    @Test(arguments: packets.indices) func packetsMatchTheSpecification(index: Int) {
        let packet = Self.packets[index]
        let (counter, fromCentral, header) = (packet.counter, packet.fromCentral, packet.header)
        #expect(seal(packet.plain, counter: counter, fromCentral: fromCentral, header: header) == packet.air)
        let opened = open(packet.air, counter: counter, fromCentral: fromCentral, header: header)
        #expect(opened.0)
        #expect(opened.1 == packet.plain)
    }

    @Test func changedPacketsFailAuthentication() {
        let packet = Self.packets[2]
        for bit in 0..<packet.air.count * 8 {
            var air = packet.air
            air[bit / 8] ^= 1 << UInt8(bit % 8)
            let opened = open(air, counter: 1, fromCentral: true, header: packet.header)
            #expect(!opened.0)
            #expect(opened.1.allSatisfy { $0 == 0 }, "plaintext without a MIC is not handed out")
        }
        #expect(!open(packet.air, counter: 2, fromCentral: true, header: packet.header).0)
        #expect(!open(packet.air, counter: 1 + 1 << 38, fromCentral: true, header: packet.header).0)
        #expect(!open(packet.air, counter: 1, fromCentral: false, header: packet.header).0)
        #expect(!open(packet.air, counter: 1, fromCentral: true, header: packet.header ^ 0x01).0, "LLID")
        #expect(open(packet.air, counter: 1, fromCentral: true, header: packet.header ^ 0x1C).0, "NESN, SN, MD")
    }

    /// Every length of a data PDU, so that each number of blocks and each remainder occurs.
    @Test func everyLengthRoundTrips() {
        for count in 0...251 {
            let plain = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7) }
            let sealed = seal(plain, counter: UInt64(count), fromCentral: true, header: 2)
            #expect(sealed.count == count + 4)
            let opened = open(sealed, counter: UInt64(count), fromCentral: true, header: 2)
            #expect(opened.0)
            #expect(opened.1 == plain)
        }
    }
}
