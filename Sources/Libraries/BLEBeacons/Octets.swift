import Foundation

/// The company identifiers of beacon formats (Assigned Numbers, 7.1).
enum Company {
    static let apple: UInt16 = 0x004C
}

/// Removes fields from the front of octets. Every method returns nil if too few octets remain.
struct OctetReader {
    private var rest: ArraySlice<UInt8>

    init(_ data: Data) { rest = ArraySlice(data) }

    var count: Int { rest.count }

    mutating func octet() -> UInt8? { rest.popFirst() }

    mutating func octets(_ count: Int) -> Data? {
        guard rest.count >= count else { return nil }
        defer { rest.removeFirst(count) }
        return Data(rest.prefix(count))
    }

    mutating func little16() -> UInt16? {
        guard let low = octet(), let high = octet() else { return nil }
        return UInt16(low) | UInt16(high) << 8
    }

    mutating func big16() -> UInt16? {
        guard let high = octet(), let low = octet() else { return nil }
        return UInt16(high) << 8 | UInt16(low)
    }

    mutating func big32() -> UInt32? {
        guard let high = big16(), let low = big16() else { return nil }
        return UInt32(high) << 16 | UInt32(low)
    }

    mutating func uuid() -> UUID? {
        guard let octets = octets(16) else { return nil }
        var value: uuid_t = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: octets) }
        return UUID(uuid: value)
    }
}

extension Data {
    mutating func append(little value: UInt16) {
        append(UInt8(truncatingIfNeeded: value))
        append(UInt8(truncatingIfNeeded: value >> 8))
    }

    mutating func append(big value: UInt16) {
        append(UInt8(truncatingIfNeeded: value >> 8))
        append(UInt8(truncatingIfNeeded: value))
    }

    mutating func append(big value: UInt32) {
        append(big: UInt16(truncatingIfNeeded: value >> 16))
        append(big: UInt16(truncatingIfNeeded: value))
    }

    mutating func append(_ uuid: UUID) {
        Swift.withUnsafeBytes(of: uuid.uuid) { append(contentsOf: $0) }
    }
}
