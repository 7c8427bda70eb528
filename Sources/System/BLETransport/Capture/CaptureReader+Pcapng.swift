/// The blocks of pcapng.
extension CaptureReader {
    private enum BlockType {
        static let sectionHeader: UInt32 = 0x0A0D_0D0A
        static let interfaceDescription: UInt32 = 1
        /// The predecessor of the Enhanced Packet Block.
        static let packet: UInt32 = 2
        static let simplePacket: UInt32 = 3
        static let enhancedPacket: UInt32 = 6
    }

    /// The octets of a packet's block besides the packet, more than any writer needs: headers, comments and other options.
    private static let blockOverhead = 1 << 17

    mutating func pcapngBlock(isBigEndian: Bool) throws(Fault) -> Step {
        guard bufferedOctets >= 12 else { return .waiting }
        let type = number32(0, isBigEndian: isBigEndian)
        // The type of the section header reads the same in both byte orders.
        guard type != BlockType.sectionHeader else { return try sectionHeader() }
        let length = Int(number32(4, isBigEndian: isBigEndian))
        guard length >= 12, length % 4 == 0 else { throw damage }
        let isRead: Bool
        switch type {
        case BlockType.interfaceDescription, BlockType.packet, BlockType.simplePacket, BlockType.enhancedPacket:
            isRead = true
        default: isRead = false
        }
        guard isRead else {
            skip(length)
            return .nothing
        }
        guard length <= Self.packetLimit + Self.blockOverhead else { throw damage }
        guard bufferedOctets >= length else { return .waiting }
        let step: Step
        switch type {
        case BlockType.interfaceDescription: step = try interfaceDescription(length, isBigEndian)
        case BlockType.simplePacket: step = try simplePacket(length, isBigEndian)
        default: step = try timedPacket(length, isBigEndian, isEnhanced: type == BlockType.enhancedPacket)
        }
        consume(length)
        return step
    }

    private mutating func sectionHeader() throws(Fault) -> Step {
        let isBigEndian: Bool
        switch number32(8, isBigEndian: true) {
        case 0x1A2B_3C4D: isBigEndian = true
        case 0x4D3C_2B1A: isBigEndian = false
        default: throw damage
        }
        let length = Int(number32(4, isBigEndian: isBigEndian))
        guard length >= 28, length % 4 == 0 else { throw damage }
        beginSection(isBigEndian: isBigEndian)
        skip(length)
        return .nothing
    }

    private mutating func interfaceDescription(_ length: Int, _ isBigEndian: Bool) throws(Fault) -> Step {
        guard length >= 20 else { throw damage }
        guard interfaces.count < Self.interfaceLimit else { return .nothing }
        var interface = Interface(
            linkType: CaptureLinkType(pcap: UInt32(number16(8, isBigEndian: isBigEndian))),
            snapLength: Int(number32(12, isBigEndian: isBigEndian)))
        var place = 16
        while place + 4 <= length - 4 {
            let code = number16(place, isBigEndian: isBigEndian)
            let count = Int(number16(place + 2, isBigEndian: isBigEndian))
            guard code != 0, place + 4 + count <= length - 4 else { break }
            if code == 9, count >= 1 {
                let exponent = UInt128(octet(place + 4) & 0x7F)
                // Finer units than these fit no 64 bits of a date.
                interface.unitsPerSecond =
                    octet(place + 4) & 0x80 != 0
                    ? 1 << min(exponent, 63) : (0..<min(exponent, 19)).reduce(1) { value, _ in value * 10 }
            }
            if code == 14, count >= 8 {
                let low = UInt64(number32(place + (isBigEndian ? 8 : 4), isBigEndian: isBigEndian))
                let high = UInt64(number32(place + (isBigEndian ? 4 : 8), isBigEndian: isBigEndian))
                interface.offset = Int64(bitPattern: high << 32 | low)
            }
            place += 4 + (count + 3) & ~3
        }
        interfaces.append(interface)
        return .nothing
    }

    /// An Enhanced Packet Block, or the older Packet Block, whose interface has 16 bits.
    private func timedPacket(_ length: Int, _ isBigEndian: Bool, isEnhanced: Bool) throws(Fault) -> Step {
        guard length >= 32 else { throw damage }
        let number =
            isEnhanced
            ? Int(number32(8, isBigEndian: isBigEndian)) : Int(number16(8, isBigEndian: isBigEndian))
        let captured = Int(number32(20, isBigEndian: isBigEndian))
        let original = number32(24, isBigEndian: isBigEndian)
        guard captured <= length - 32 else { throw damage }
        let interface = interfaces.indices.contains(number) ? interfaces[number] : Interface(linkType: nil)
        let stamp =
            UInt64(number32(12, isBigEndian: isBigEndian)) << 32 | UInt64(number32(16, isBigEndian: isBigEndian))
        return .packet(
            CapturedPacket(
                number: 0, time: Self.time(stamp, of: interface), isTruncated: original > captured,
                content: interface.linkType?.content(slice(28..<28 + captured)) ?? .other))
    }

    /// A Simple Packet Block: of the first interface, without a time.
    private func simplePacket(_ length: Int, _ isBigEndian: Bool) throws(Fault) -> Step {
        guard length >= 16 else { throw damage }
        let original = Int(number32(8, isBigEndian: isBigEndian))
        let interface = interfaces.first ?? Interface(linkType: nil)
        let limit = interface.snapLength == 0 ? original : min(original, interface.snapLength)
        let captured = min(limit, length - 16)
        return .packet(
            CapturedPacket(
                number: 0, time: nil, isTruncated: original > captured,
                content: interface.linkType?.content(slice(12..<12 + captured)) ?? .other))
    }

    /// Nanoseconds since the beginning of 1970.
    private static func time(_ stamp: UInt64, of interface: Interface) -> Int64 {
        let nanoseconds = UInt128(stamp) * 1_000_000_000 / interface.unitsPerSecond
        return Int64(clamping: Int128(nanoseconds) + Int128(interface.offset) * 1_000_000_000)
    }
}
