import BLEWire

/// An advertisement of a simulated device: 31 octets with a name, and manufacturer data that carry a count and the time, so that a receiver
/// of the gateway's message knows how long it took.
struct DeviceAdvertisement: Equatable, Sendable {
    /// The advertisements that this device sent before.
    var count: UInt32
    /// Microseconds since 1970.
    var time: Int64

    /// The company identifier 0xFFFF is for tests (Assigned Numbers, 7.1). The characters OCB follow it.
    private static let mark: [UInt8] = [0xFF, 0xFF, 0x4F, 0x43, 0x42]
    /// The characters as a payload has them, with and without the company identifier.
    private static let digitsOfMark: [UInt8] = Array("4f4342".utf8)

    /// A static address: its two most significant bits are 1 (Vol 6, Part B, 1.3.2.1).
    static func address(gateway: Int, device: Int) -> DeviceAddress {
        DeviceAddress(kind: .random, value: 0xC0 << 40 | UInt64(gateway & 0xFF_FFFF) << 16 | UInt64(device & 0xFFFF))
    }

    func octets(device: Int) -> [UInt8] {
        var octets: [UInt8] = []
        octets.reserveCapacity(31)
        // Flags: general discoverable, no BR/EDR (Supplement, Part A, 1.3).
        octets += [2, 0x01, 0x06]
        octets += [18, 0xFF]
        octets += Self.mark
        for shift in stride(from: 24, through: 0, by: -8) { octets.append(UInt8(truncatingIfNeeded: count >> shift)) }
        for shift in stride(from: 56, through: 0, by: -8) { octets.append(UInt8(truncatingIfNeeded: time >> shift)) }
        // The complete local name, "tag" and four digits.
        octets += [8, 0x09, 0x74, 0x61, 0x67]
        for power in [1000, 100, 10, 1] { octets.append(48 + UInt8(device / power % 10)) }
        return octets
    }

    /// Finds the advertisement in the payload of a gateway's message, as octets or decoded.
    init?(payload: [UInt8]) {
        guard let start = Self.find(Self.digitsOfMark, in: payload) else { return nil }
        guard let count = Self.hexadecimal(payload, start + 6, digits: 8),
            let time = Self.hexadecimal(payload, start + 14, digits: 16)
        else { return nil }
        (self.count, self.time) = (UInt32(truncatingIfNeeded: count), Int64(truncatingIfNeeded: time))
    }

    init(count: UInt32, time: Int64) { (self.count, self.time) = (count, time) }

    private static func find(_ wanted: [UInt8], in octets: [UInt8]) -> Int? {
        guard octets.count >= wanted.count else { return nil }
        let first = wanted[0]
        var index = 0
        while index <= octets.count - wanted.count {
            if octets[index] == first, octets[index..<index + wanted.count].elementsEqual(wanted) { return index }
            index += 1
        }
        return nil
    }

    private static func hexadecimal(_ octets: [UInt8], _ start: Int, digits: Int) -> UInt64? {
        guard start + digits <= octets.count else { return nil }
        var value: UInt64 = 0
        for octet in octets[start..<start + digits] {
            switch octet {
            case 48...57: value = value << 4 | UInt64(octet - 48)
            case 97...102: value = value << 4 | UInt64(octet - 87)
            default: return nil
            }
        }
        return value
    }
}

/// The sequence number at the beginning of each message of an outbox.
enum MessageNumber {
    private static let start = Array(#"{"queue":""#.utf8)
    private static let middle = Array(#"","seq":"#.utf8)
    private static let nameLength = 8

    static func find(in payload: [UInt8]) -> UInt64? {
        let digits = start.count + nameLength + middle.count
        guard payload.count > digits, payload.starts(with: start),
            payload[(digits - middle.count)..<digits].elementsEqual(middle)
        else { return nil }
        var number: UInt64 = 0
        var length = 0
        for octet in payload[digits...] {
            guard (48...57).contains(octet) else { break }
            length += 1
            guard length <= 19 else { return nil }
            number = number * 10 + UInt64(octet - 48)
        }
        return length > 0 ? number : nil
    }
}
