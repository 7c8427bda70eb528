/// Functions that append fields to a packet, in little endian. A field that does not fit is refused, not cut.
extension OutputSpan where Element == UInt8 {
    @inlinable
    @_lifetime(self: copy self)
    package mutating func write(_ value: UInt8) throws(EncodeError) {
        guard freeCapacity >= 1 else { throw .noSpace }
        append(value)
    }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func write(_ value: Int8) throws(EncodeError) {
        try write(UInt8(bitPattern: value))
    }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func write(_ value: UInt16) throws(EncodeError) {
        try writeLittleEndian(UInt64(value), 2)
    }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func write24(_ value: UInt32) throws(EncodeError) {
        try writeLittleEndian(UInt64(value), 3)
    }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func write(_ value: UInt32) throws(EncodeError) {
        try writeLittleEndian(UInt64(value), 4)
    }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func write(_ value: UInt64) throws(EncodeError) {
        try writeLittleEndian(value, 8)
    }

    @_lifetime(self: copy self)
    package mutating func write(_ value: UInt128) throws(EncodeError) {
        guard freeCapacity >= 16 else { throw .noSpace }
        try write(UInt64(truncatingIfNeeded: value))
        try write(UInt64(truncatingIfNeeded: value >> 64))
    }

    /// Appends the low `length` octets, 1 to 8, of `value`.
    @inlinable
    @inline(__always)
    @_lifetime(self: copy self)
    package mutating func writeLittleEndian(_ value: UInt64, _ length: Int) throws(EncodeError) {
        guard freeCapacity >= length else { throw .noSpace }
        for index in 0..<length { append(UInt8(truncatingIfNeeded: value >> (8 * UInt64(index)))) }
    }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func write(_ bytes: Span<UInt8>) throws(EncodeError) {
        guard freeCapacity >= bytes.count else { throw .noSpace }
        // One copy of all octets. `append` in a loop costs an instruction for each.
        bytes.withUnsafeBufferPointer { source in
            guard let start = source.baseAddress else { return }
            withUnsafeMutableBufferPointer { output, count in
                // The output has a base address, because it has room for at least one octet if `source` is not empty.
                output.baseAddress.unsafelyUnwrapped.advanced(by: count).initialize(from: start, count: source.count)
                count += source.count
            }
        }
    }

    @inlinable
    @_lifetime(self: copy self)
    package mutating func write<let N: Int>(_ bytes: InlineArray<N, UInt8>) throws(EncodeError) {
        guard freeCapacity >= N else { throw .noSpace }
        for index in bytes.indices { append(bytes[index]) }
    }
}
