/// The packets of the link layer (Vol 6, Part B).
package enum LL {
    /// The access address of all packets on the advertising channels (2.1.2).
    package static let advertisingAccessAddress: UInt32 = 0x8E89_BED6
    /// The CRC's initial value on the advertising channels (3.1.1).
    package static let advertisingCRCInit: UInt32 = 0x55_5555
    /// The inter frame space, T_IFS, between two packets of one exchange (4.1.1).
    package static let interFrameSpace = TimeSpan.microseconds(150)
    /// The longest data PDU payload that every device supports, in octets (2.4).
    package static let minimumDataLength = 27
    /// The longest data PDU payload with data length extension, in octets (2.4).
    package static let maximumDataLength = 251
    /// The octets that encryption adds to each non-empty data PDU (2.4).
    package static let micLength = 4
    /// The unit of connection intervals, transmit windows and their offsets: 1.25 ms.
    package static let slot = TimeSpan.microseconds(1250)

    /// The three octets of CRC over a PDU (3.1.1), as an integer whose lowest octet is sent first.
    package static func crc(of pdu: Span<UInt8>, initial: UInt32) -> UInt32 {
        // The register has a reversed bit order, so that it takes octets lowest bit first, in the order of
        // transmission.
        var register: UInt32 = 0
        for bit in 0..<24 where initial & (1 << UInt32(bit)) != 0 { register |= 1 << (23 - UInt32(bit)) }
        for index in pdu.indices {
            register ^= UInt32(pdu[index])
            for _ in 0..<8 {
                register = register & 1 != 0 ? (register >> 1) ^ 0xDA_6000 : register >> 1
            }
        }
        return register
    }
}
