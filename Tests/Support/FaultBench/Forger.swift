import BLEWire

/// Changes packets, and creates packets that no side sent. All of them are valid H4.
struct Forger {
    private let direction: FaultyLine.Direction

    init(_ direction: FaultyLine.Direction) { self.direction = direction }

    /// The number of octets of parameters or data, from the packet's header.
    static func length(of packet: [UInt8]) -> Int { packet.count - headerCount(of: packet) }

    private static func headerCount(of packet: [UInt8]) -> Int {
        switch packet.first {
        case 1: 4
        case 4: 3
        default: 5
        }
    }

    /// Cuts or extends the parameters, and adapts the header.
    static func setLength(of packet: inout [UInt8], to length: Int) {
        let header = headerCount(of: packet)
        guard packet.count >= header else { return }
        let count = packet[0] == 2 ? length : min(length, 255)
        while packet.count > header + count { packet.removeLast() }
        while packet.count < header + count { packet.append(UInt8(truncatingIfNeeded: 0xA5 &+ packet.count)) }
        packet[header - 1] = UInt8(truncatingIfNeeded: count)
        if packet[0] == 2 {
            packet[3] = UInt8(truncatingIfNeeded: count)
            packet[4] = UInt8(truncatingIfNeeded: count >> 8)
        }
    }

    /// The position of the connection handle in a packet; nil if it has none.
    private static func handleOffset(in packet: [UInt8]) -> Int? {
        guard packet.count > 5 else { return nil }
        switch (packet[0], packet[1]) {
        case (2, _): return 1
        case (4, 0x05), (4, 0x13): return 4
        case (4, 0x3E):
            switch packet[3] {
            case 1, 3, 4, 10, 12: return 5
            case 6, 7: return 4
            case 18: return 6
            default: return nil
            }
        // Disconnect, Read RSSI, and the LE commands about a link.
        case (1, 0x06), (1, 0x13), (1, 0x16), (1, 0x22), (1, 0x32): return 4
        default: return nil
        }
    }

    static func setHandle(of packet: inout [UInt8], to handle: UInt16) {
        guard let offset = handleOffset(in: packet), offset + 1 < packet.count else { return }
        packet[offset] = UInt8(truncatingIfNeeded: handle)
        packet[offset + 1] = packet[offset + 1] & 0xF0 | UInt8(truncatingIfNeeded: handle >> 8)
    }

    func changeHandle(of packet: inout [UInt8], _ random: inout SeededRandom) {
        guard let offset = Self.handleOffset(in: packet), offset + 1 < packet.count else { return }
        packet[offset] = UInt8(truncatingIfNeeded: random.next())
        packet[offset + 1] = packet[offset + 1] & 0xF0 | UInt8(truncatingIfNeeded: random.next() % 16)
    }

    /// A packet that would be valid at another time.
    func packet(like model: [UInt8], _ random: inout SeededRandom) -> [UInt8] {
        func octet() -> UInt8 { UInt8(truncatingIfNeeded: random.next()) }
        guard direction == .toHost else {
            // A command with random parameters, or data for some link. Never a command that deliberately changes the
            // whole state.
            return random.next() & 1 == 0
                ? [1, 0x05, 0x14, 2, 0x40 + octet() % 3, 0]
                : [2, 0x40 + octet() % 4, 0, 7, 0, 3, 0, 4, 0, octet(), 1, 0]
        }
        // The first handle of the virtual controller.
        let handle: [UInt8] = [0x40 + octet() % 3, 0]
        switch random.next() % 16 {
        case 0: return [4, 0x05, 4, 0] + handle + [0x08]
        case 1: return [4, 0x05, 4, octet() % 2 * 0x1F] + handle + [0x13]
        case 2: return [4, 0x13, 5, 1] + handle + [octet() % 20, 0]
        case 3: return [4, 0x13, 9, 2] + handle + [1, 0] + handle + [255, 255]
        case 4:
            return [4, 0x3E, 19, 1, 0] + handle + [octet() % 2, 1, octet(), 0, 0, 0, 0, 0xC0, 24, 0, 0, 0, 200, 0, 0]
        case 5: return [4, 0x3E, 19, 1, 0x3E, 0, 0, octet() % 2, 1, octet(), 0, 0, 0, 0, 0xC0, 24, 0, 0, 0, 200, 0, 0]
        case 6: return [4, 0x3E, 10, 3, octet() % 2 * 0x3B] + handle + [24, 0, 0, 0, 200, 0]
        case 7: return [4, 0x3E, 12, 4, octet() % 2 * 0x1A] + handle + (0..<8).map { _ in octet() }
        case 8: return [4, 0x3E, 11, 7] + handle + [251, 0, 0x48, 8, 251, 0, 0x48, 8]
        case 9: return [4, 0x3E, 6, 12, 0] + handle + [octet() % 4, octet() % 4]
        case 10: return [4, 0x0F, 4, octet() % 0x20, octet() % 3, octet() % 0x33, 0x20]
        case 11: return [4, 0x0E, 4, octet() % 3, octet() % 0x33, 0x20, octet() % 0x20]
        case 12: return [4, 0x10, 1, octet()]
        case 13:
            // An LE event that this host does not support.
            let count = 1 + octet() % 4
            return [4, 0x3E, count, 0x40 + octet() % 16] + [UInt8](repeating: 0, count: Int(count) - 1)
        case 14: return [4, 0x1A, 1, 1]
        default:
            return [2] + [handle[0], 0x20 | octet() & 0x10] + [9, 0, 5, 0, 4, 0, 0x1B] + (0..<4).map { _ in octet() }
        }
    }
}
