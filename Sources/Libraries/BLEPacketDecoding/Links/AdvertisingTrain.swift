import BLEWire

/// The advertising of one device without a long gap.
struct AdvertisingTrain: Hashable, Sendable {
    /// Longer than the longest advertising interval (Vol 6, Part B, 4.4.2.2: 10.24 s and a delay of at most 10 ms).
    static let longestGap: Int64 = 11_000_000_000

    var conversation: Int
    /// The start of the last packet in nanoseconds.
    var last: Int64

    /// The advertiser's address in an advertising PDU, with its type in bit 48; nil if the PDU is too short.
    static func advertiser(in octets: [UInt8], _ type: LL.AdvertisingPDUType) -> UInt64? {
        // A request names its sender first (Vol 6, Part B, 2.3.2.1 and 2.3.3.1).
        let isRequest = type == .scanReq || type == .connectInd
        let start = LL.AdvertisingHeader.encodedCount + (isRequest ? 6 : 0)
        guard octets.count >= start + 6 else { return nil }
        var address: UInt64 = 0
        for index in 0..<6 { address |= UInt64(octets[start + index]) << (8 * UInt64(index)) }
        let isRandom = octets[0] & (isRequest ? 0x80 : 0x40) != 0
        return address | (isRandom ? 1 << 48 : 0)
    }
}
