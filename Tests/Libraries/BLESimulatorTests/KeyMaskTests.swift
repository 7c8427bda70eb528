import Testing

@testable import BLESimulator

struct KeyMaskTests {
    /// The header of L2CAP for the channel of the Security Manager, and an opcode (Vol 3, Part A, 3.1; Vol 3, Part H, 3.3).
    private func frame(_ opcode: UInt8) -> [UInt8] { [17, 0, 0x06, 0, opcode] + Array(1...16) }

    @Test(arguments: [0x06, 0x08, 0x0A] as [UInt8]) func keysAreZeros(opcode: UInt8) {
        // NESN, SN and MD differ from packet to packet.
        for flags in [0x00, 0x04, 0x1C] as [UInt8] {
            let masked = RadioPacket.withoutKeys(frame(opcode), header: 0b10 | flags)
            #expect(masked == [17, 0, 0x06, 0, opcode] + [UInt8](repeating: 0, count: 16))
        }
        // The start of a fragmented frame.
        #expect(RadioPacket.withoutKeys(Array(frame(opcode).prefix(8)), header: 0b10).suffix(3) == [0, 0, 0])
    }

    /// A continuation and an LL control PDU have other octets in the place of the L2CAP header.
    @Test(arguments: [0b00, 0b01, 0b11] as [UInt8]) func otherPacketsStay(linkIdentifier: UInt8) {
        for opcode in [0x06, 0x08, 0x0A] as [UInt8] {
            #expect(RadioPacket.withoutKeys(frame(opcode), header: linkIdentifier) == frame(opcode))
        }
    }

    @Test func otherFramesStay() {
        // Pairing Random, and a value on the channel of ATT.
        #expect(RadioPacket.withoutKeys(frame(0x04), header: 0b10) == frame(0x04))
        var value = frame(0x0A)
        value[2] = 0x04
        #expect(RadioPacket.withoutKeys(value, header: 0b10) == value)
        for count in 0...4 {
            let short = Array(frame(0x06).prefix(count))
            #expect(RadioPacket.withoutKeys(short, header: 0b10) == short)
        }
    }
}
