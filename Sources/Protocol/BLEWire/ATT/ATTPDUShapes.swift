/// Formats that several PDUs share. Each field order is written once.

/// No parameters.
package protocol ATTEmptyPDU: ATTPDU {
    init()
}

extension ATTEmptyPDU {
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        try bytes.finish()
        self.init()
    }
    package var encodedCount: Int { 0 }
    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {}
}

/// One 16-bit number.
@usableFromInline
package protocol ATTNumberPDU: ATTPDU {
    init(number: UInt16)
    var number: UInt16 { get }
}

extension ATTNumberPDU {
    @usableFromInline
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        let number = try bytes.readUInt16()
        try bytes.finish()
        self.init(number: number)
    }
    @inlinable
    package var encodedCount: Int { 2 }
    @inlinable
    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) { try output.write(number) }
}

/// A range of handles and an attribute type of 16 or 128 bits.
@usableFromInline
package protocol ATTRangeTypePDU: ATTPDU {
    init(range: HandleRange, type: BluetoothUUID)
    var range: HandleRange { get }
    var type: BluetoothUUID { get }
}

extension ATTRangeTypePDU {
    @usableFromInline
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        let range = HandleRange(start: try bytes.readUInt16(), end: try bytes.readUInt16())
        self.init(range: range, type: try BluetoothUUID(attributeType: bytes))
    }
    @inlinable
    package var encodedCount: Int { 4 + type.attributeOctetCount }
    @inlinable
    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(range.start)
        try output.write(range.end)
        try output.write(attributeType: type)
    }
}

/// An attribute value or a part of one.
package protocol ATTValuePDU: ATTPDU, ~Escapable {
    @_lifetime(copy value)
    init(value: Span<UInt8>)
    var value: Span<UInt8> { @_lifetime(copy self) get }
}

extension ATTValuePDU where Self: ~Escapable {
    @_lifetime(copy bytes)
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) { self.init(value: bytes) }
    package var encodedCount: Int { value.count }
    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) { try output.write(value) }
}

/// A handle and a value.
package protocol ATTHandleValuePDU: ATTPDU, ~Escapable {
    @_lifetime(copy value)
    init(handle: UInt16, value: Span<UInt8>)
    var handle: UInt16 { get }
    var value: Span<UInt8> { @_lifetime(copy self) get }
}

extension ATTHandleValuePDU where Self: ~Escapable {
    @_lifetime(copy bytes)
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        let handle = try bytes.readUInt16()
        self.init(handle: handle, value: bytes)
    }
    package var encodedCount: Int { 2 + value.count }
    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(handle)
        try output.write(value)
    }
}

/// A handle, an offset and a part of a value.
package protocol ATTPartPDU: ATTPDU, ~Escapable {
    @_lifetime(copy value)
    init(handle: UInt16, offset: UInt16, value: Span<UInt8>)
    var handle: UInt16 { get }
    var offset: UInt16 { get }
    var value: Span<UInt8> { @_lifetime(copy self) get }
}

extension ATTPartPDU where Self: ~Escapable {
    @_lifetime(copy bytes)
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        let handle = try bytes.readUInt16()
        let offset = try bytes.readUInt16()
        self.init(handle: handle, offset: offset, value: bytes)
    }
    package var encodedCount: Int { 4 + value.count }
    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        try output.write(handle)
        try output.write(offset)
        try output.write(value)
    }
}

/// Two or more handles.
package protocol ATTHandlesPDU: ATTPDU, ~Escapable {
    @_lifetime(copy octets)
    init(octets: Span<UInt8>)
    /// The handles in the wire format.
    var octets: Span<UInt8> { @_lifetime(copy self) get }
}

extension ATTHandlesPDU where Self: ~Escapable {
    @_lifetime(copy bytes)
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        guard bytes.count >= 4 else { throw .truncated }
        guard bytes.count % 2 == 0 else { throw .invalidLength }
        self.init(octets: bytes)
    }
    package var encodedCount: Int { octets.count }
    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) { try output.write(octets) }

    /// The number of handles.
    package var count: Int { octets.count / 2 }
    /// The handle at `index`, 0 ..< count.
    package subscript(index: Int) -> UInt16 { UInt16(octets[2 * index]) | UInt16(octets[2 * index + 1]) << 8 }
}

extension BluetoothUUID {
    /// Decodes an attribute type: 2 or 16 octets (Vol 3, Part F, 3.2.1).
    package init(attributeType bytes: Span<UInt8>) throws(DecodeError) {
        guard bytes.count == 2 || bytes.count == 16 else { throw .invalidLength }
        try self.init(decoding: bytes)
    }

    /// The number of octets as an attribute type. A UUID of 32 bits has to be widened.
    @inlinable
    package var attributeOctetCount: Int { octetCount == 2 ? 2 : 16 }
}

extension OutputSpan where Element == UInt8 {
    /// Appends an attribute type, as 2 or 16 octets.
    @inlinable
    @_lifetime(self: copy self)
    package mutating func write(attributeType type: BluetoothUUID) throws(EncodeError) {
        try (type.octetCount == 4 ? BluetoothUUID(high: type.high, low: type.low) : type).encode(into: &self)
    }
}
