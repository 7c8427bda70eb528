import BLEWire

/// Finds the ends of H4 packets (Vol 4, Part A, 2; lengths: Vol 4, Part E, 5.4), for transports that carry one packet
/// at a time.
enum PacketBoundaries {
    /// The length of the first packet with its type octet, at most `bytes.count`. For an unknown type or a cut header,
    /// `bytes.count`.
    static func firstLength(in bytes: Span<UInt8>) -> Int {
        guard let type = bytes.isEmpty ? nil : H4.PacketType(rawValue: bytes[0]) else { return 0 }
        let length: Int
        switch type {
        case .command, .synchronous:
            guard bytes.count >= 4 else { return bytes.count }
            length = 4 + Int(bytes[3])
        case .event:
            guard bytes.count >= 3 else { return bytes.count }
            length = 3 + Int(bytes[2])
        case .acl:
            guard bytes.count >= 5 else { return bytes.count }
            length = 5 + (Int(bytes[3]) | Int(bytes[4]) << 8)
        case .iso:
            guard bytes.count >= 5 else { return bytes.count }
            length = 5 + (Int(bytes[3]) | Int(bytes[4] & 0x3F) << 8)
        default: return bytes.count
        }
        return min(length, bytes.count)
    }
}
