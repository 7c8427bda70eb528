import BLEWire

/// Why octets are no message of Protocol Buffers.
package enum ProtobufError: Error, Hashable, Sendable {
    case truncated
    /// A varint of more than ten octets, the field number 0, or a wire type that does not exist.
    case malformed
    /// More fields than any message of this protocol has.
    case tooManyFields
}

/// Reads the fields of a message in the order of the wire, without copying. It never traps and allocates nothing.
///
/// Groups, which proto3 does not have, are malformed. A field that its reader does not know costs no more than its octets.
package struct ProtobufReader: ~Escapable {
    /// A message of this protocol has at most some hundred fields. The bound keeps a frame of empty fields from costing more.
    package static let fieldLimit = 65_536

    /// The octets of the message.
    package let octets: Span<UInt8>
    private var position = 0
    private var fieldCount = 0

    /// The number of the field that `next` found.
    package private(set) var number: UInt32 = 0
    /// Its value if it is a varint or a fixed-width number, otherwise 0.
    package private(set) var varint: UInt64 = 0
    /// The place of its octets if it is a string, bytes or a message; otherwise empty.
    package private(set) var range = 0..<0
    /// Whether it is a string, bytes or a message.
    package private(set) var isOctets = false

    @_lifetime(copy octets)
    package init(_ octets: Span<UInt8>) { self.octets = octets }

    /// The octets of the field.
    package var content: Span<UInt8> {
        @_lifetime(copy self)
        get { octets.extracting(range) }
    }

    /// Moves to the next field.
    ///
    /// - Returns: false at the end of the message.
    @_lifetime(self: copy self)
    package mutating func next() throws(ProtobufError) -> Bool {
        guard position < octets.count else { return false }
        fieldCount += 1
        guard fieldCount <= Self.fieldLimit else { throw .tooManyFields }
        let tag = try readVarint()
        guard tag >> 3 != 0, tag >> 3 <= 0x1FFF_FFFF else { throw .malformed }
        number = UInt32(tag >> 3)
        varint = 0
        range = 0..<0
        isOctets = tag & 7 == 2
        switch tag & 7 {
        case 0: varint = try readVarint()
        case 1: varint = try readFixed(8)
        case 5: varint = try readFixed(4)
        case 2:
            let count = try readVarint()
            guard count <= UInt64(octets.count - position) else { throw .truncated }
            range = position..<position + Int(count)
            position = range.upperBound
        default: throw .malformed
        }
        return true
    }

    @_lifetime(self: copy self)
    private mutating func readVarint() throws(ProtobufError) -> UInt64 {
        var value: UInt64 = 0
        for index in 0..<10 {
            guard position < octets.count else { throw .truncated }
            let octet = octets[position]
            position += 1
            // The tenth octet has one bit of a number of 64 bits. Writers of negative numbers set it alone.
            value |= UInt64(octet & 0x7F) << UInt64(7 * index)
            if octet & 0x80 == 0 { return value }
        }
        throw .malformed
    }

    @_lifetime(self: copy self)
    private mutating func readFixed(_ count: Int) throws(ProtobufError) -> UInt64 {
        guard octets.count - position >= count else { throw .truncated }
        var value: UInt64 = 0
        for index in 0..<count { value |= UInt64(octets[position + index]) << UInt64(8 * index) }
        position += count
        return value
    }
}

/// Reads packed varints, the wire form of a repeated number.
package func forEachPackedVarint(
    _ octets: Span<UInt8>, _ body: (UInt64) -> Void
) throws(ProtobufError) {
    var value: UInt64 = 0
    var count = 0
    for index in octets.indices {
        let octet = octets[index]
        guard count < 10 else { throw .malformed }
        value |= UInt64(octet & 0x7F) << UInt64(7 * count)
        count += 1
        guard octet & 0x80 == 0 else { continue }
        body(value)
        value = 0
        count = 0
    }
    guard count == 0 else { throw .truncated }
}
