/// Functions that remove fields from the front of received octets. Multi-octet integers are little endian, as
/// everywhere in Bluetooth except in a few SMP fields. No function traps.
extension Span where Element == UInt8 {
    @inlinable
    @_lifetime(self: copy self)
    package mutating func readUInt8() throws(DecodeError) -> UInt8 {
        guard count >= 1 else { throw .truncated }
        let value = self[0]
        self = extracting(droppingFirst: 1)
        return value
    }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func readInt8() throws(DecodeError) -> Int8 {
        Int8(bitPattern: try readUInt8())
    }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func readUInt16() throws(DecodeError) -> UInt16 {
        guard count >= 2 else { throw .truncated }
        let value = UInt16(self[0]) | UInt16(self[1]) << 8
        self = extracting(droppingFirst: 2)
        return value
    }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func readUInt24() throws(DecodeError) -> UInt32 {
        UInt32(truncatingIfNeeded: try readLittleEndian(3))
    }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func readUInt32() throws(DecodeError) -> UInt32 {
        UInt32(truncatingIfNeeded: try readLittleEndian(4))
    }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func readUInt40() throws(DecodeError) -> UInt64 {
        try readLittleEndian(5)
    }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func readUInt48() throws(DecodeError) -> UInt64 {
        try readLittleEndian(6)
    }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func readUInt64() throws(DecodeError) -> UInt64 {
        try readLittleEndian(8)
    }

    @_lifetime(self: copy self)
    package mutating func readUInt128() throws(DecodeError) -> UInt128 {
        guard count >= 16 else { throw .truncated }
        let low = try readUInt64()
        return UInt128(try readUInt64()) << 64 | UInt128(low)
    }

    /// Removes `length` octets, 1 to 8, as one integer.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    package mutating func readLittleEndian(_ length: Int) throws(DecodeError) -> UInt64 {
        guard count >= length else { throw .truncated }
        var value: UInt64 = 0
        for index in 0..<length { value |= UInt64(self[index]) << (8 * UInt64(index)) }
        self = extracting(droppingFirst: length)
        return value
    }

    /// Removes the next `length` octets as a view.
    @inlinable
    @_lifetime(self: copy self)
    @_lifetime(copy self)
    package mutating func readBytes(_ length: Int) throws(DecodeError) -> Span<UInt8> {
        guard length >= 0, count >= length else { throw .truncated }
        let bytes = extracting(first: length)
        self = extracting(droppingFirst: length)
        return bytes
    }

    /// Removes a fixed number of octets as an owned value.
    @inlinable
    @_lifetime(self: copy self)
    package mutating func readArray<let N: Int>() throws(DecodeError) -> InlineArray<N, UInt8> {
        guard count >= N else { throw .truncated }
        let bytes = self
        let value = InlineArray<N, UInt8> { bytes[$0] }
        self = extracting(droppingFirst: N)
        return value
    }

    /// Removes all remaining octets.
    @inlinable
    @_lifetime(self: copy self)
    @_lifetime(copy self)
    package mutating func readRest() -> Span<UInt8> {
        let bytes = self
        self = extracting(first: 0)
        return bytes
    }

    /// Throws if octets remain.
    @inlinable
    package func finish() throws(DecodeError) {
        guard isEmpty else { throw .trailingBytes }
    }

    /// Whether both spans hold the same octets.
    @inlinable
    @inline(__always)
    package func elementsEqual(_ other: Span<UInt8>) -> Bool {
        guard count == other.count else { return false }
        return withUnsafeBytes { left in
            other.withUnsafeBytes { right in
                var index = 0
                // Compares eight octets at a time while at least eight remain.
                while index + 8 <= left.count {
                    let words = (
                        left.loadUnaligned(fromByteOffset: index, as: UInt64.self),
                        right.loadUnaligned(fromByteOffset: index, as: UInt64.self)
                    )
                    guard words.0 == words.1 else { return false }
                    index += 8
                }
                // The last octets again, with some of those before them.
                if index < left.count, left.count >= 8 {
                    let last = left.count - 8
                    return left.loadUnaligned(fromByteOffset: last, as: UInt64.self)
                        == right.loadUnaligned(fromByteOffset: last, as: UInt64.self)
                }
                while index < left.count {
                    guard left[index] == right[index] else { return false }
                    index += 1
                }
                return true
            }
        }
    }
}
