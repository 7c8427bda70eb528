extension ATT {
    /// Reads the attributes of a type in a range (Vol 3, Part F, 3.4.4.1).
    @usableFromInline
    package struct ReadByTypeRequest: ATTRangeTypePDU, Hashable {
        @inlinable package static var opcode: Opcode { .readByTypeRequest }
        @usableFromInline package var range: HandleRange
        @usableFromInline package var type: BluetoothUUID
        @inlinable
        package init(range: HandleRange, type: BluetoothUUID) {
            self.range = range
            self.type = type
        }
    }

    /// Handles with values of equal length (3.4.4.2).
    package struct ReadByTypeResponse: ATTPDU, ~Escapable {
        package static var opcode: Opcode { .readByTypeResponse }
        /// The number of octets of each entry, 2 to 255: a handle and a value.
        package let length: Int
        package let data: Span<UInt8>

        /// `data`: one or more entries of `length` octets.
        @_lifetime(copy data)
        package init(length: Int, data: Span<UInt8>) {
            self.length = length
            self.data = data
        }
        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            length = Int(try bytes.readUInt8())
            guard !bytes.isEmpty else { throw .truncated }
            guard length >= 2, bytes.count % length == 0 else { throw .invalidLength }
            data = bytes
        }
        package var encodedCount: Int { 1 + data.count }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard let length = UInt8(exactly: length) else { throw .fieldTooLong }
            try output.write(length)
            try output.write(data)
        }

        /// The number of entries.
        package var count: Int { data.count / length }
        /// The handle of the entry at `index`, 0 ..< count.
        package func handle(at index: Int) -> UInt16 {
            UInt16(data[index * length]) | UInt16(data[index * length + 1]) << 8
        }
        /// The value of the entry at `index`, 0 ..< count.
        @_lifetime(copy self)
        package func value(at index: Int) -> Span<UInt8> {
            data.extracting(index * length + 2..<(index + 1) * length)
        }
    }

    /// Reads a value (3.4.4.3).
    @usableFromInline
    package struct ReadRequest: ATTNumberPDU, Hashable {
        @inlinable package static var opcode: Opcode { .readRequest }
        @usableFromInline package var handle: UInt16
        @inlinable package var number: UInt16 { handle }
        @inlinable package init(handle: UInt16) { self.handle = handle }
        @inlinable package init(number: UInt16) { handle = number }
    }

    /// The first octets of a value. If they fill the PDU, the value may be longer (3.4.4.4).
    package struct ReadResponse: ATTValuePDU, ~Escapable {
        package static var opcode: Opcode { .readResponse }
        package let value: Span<UInt8>
        @_lifetime(copy value)
        package init(value: Span<UInt8>) { self.value = value }
    }

    /// Reads a value from an offset on (3.4.4.5).
    package struct ReadBlobRequest: ATTPDU, Hashable {
        package static var opcode: Opcode { .readBlobRequest }
        package var handle: UInt16
        package var offset: UInt16
        package init(handle: UInt16, offset: UInt16) {
            self.handle = handle
            self.offset = offset
        }
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            handle = try bytes.readUInt16()
            offset = try bytes.readUInt16()
            try bytes.finish()
        }
        package var encodedCount: Int { 4 }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(handle)
            try output.write(offset)
        }
    }

    /// A part of a value (3.4.4.6).
    package struct ReadBlobResponse: ATTValuePDU, ~Escapable {
        package static var opcode: Opcode { .readBlobResponse }
        package let value: Span<UInt8>
        @_lifetime(copy value)
        package init(value: Span<UInt8>) { self.value = value }
    }

    /// Reads two or more values of known lengths (3.4.4.7).
    package struct ReadMultipleRequest: ATTHandlesPDU, ~Escapable {
        package static var opcode: Opcode { .readMultipleRequest }
        package let octets: Span<UInt8>
        @_lifetime(copy octets)
        package init(octets: Span<UInt8>) { self.octets = octets }
    }

    /// The values one after another (3.4.4.8).
    package struct ReadMultipleResponse: ATTValuePDU, ~Escapable {
        package static var opcode: Opcode { .readMultipleResponse }
        package let value: Span<UInt8>
        @_lifetime(copy value)
        package init(value: Span<UInt8>) { self.value = value }
    }

    /// Reads the grouping attributes of a type in a range (3.4.4.9).
    package struct ReadByGroupTypeRequest: ATTRangeTypePDU, Hashable {
        package static var opcode: Opcode { .readByGroupTypeRequest }
        package var range: HandleRange
        package var type: BluetoothUUID
        package init(range: HandleRange, type: BluetoothUUID) {
            self.range = range
            self.type = type
        }
    }

    /// Groups with values of equal length (3.4.4.10).
    package struct ReadByGroupTypeResponse: ATTPDU, ~Escapable {
        package static var opcode: Opcode { .readByGroupTypeResponse }
        /// The number of octets of each entry, 4 to 255: the group's first and last handle and a value.
        package let length: Int
        package let data: Span<UInt8>

        /// `data`: one or more entries of `length` octets.
        @_lifetime(copy data)
        package init(length: Int, data: Span<UInt8>) {
            self.length = length
            self.data = data
        }
        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            length = Int(try bytes.readUInt8())
            guard !bytes.isEmpty else { throw .truncated }
            guard length >= 4, bytes.count % length == 0 else { throw .invalidLength }
            data = bytes
        }
        package var encodedCount: Int { 1 + data.count }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard let length = UInt8(exactly: length) else { throw .fieldTooLong }
            try output.write(length)
            try output.write(data)
        }

        /// The number of entries.
        package var count: Int { data.count / length }
        /// The handles of the group at `index`, 0 ..< count.
        package func range(at index: Int) -> HandleRange {
            var entry = data.extracting(index * length..<index * length + 4)
            return HandleRange(start: (try? entry.readUInt16()) ?? 0, end: (try? entry.readUInt16()) ?? 0)
        }
        /// The value of the group at `index`, 0 ..< count.
        @_lifetime(copy self)
        package func value(at index: Int) -> Span<UInt8> {
            data.extracting(index * length + 4..<(index + 1) * length)
        }
    }

    /// Reads two or more values of any length (3.4.4.11).
    package struct ReadMultipleVariableRequest: ATTHandlesPDU, ~Escapable {
        package static var opcode: Opcode { .readMultipleVariableRequest }
        package let octets: Span<UInt8>
        @_lifetime(copy octets)
        package init(octets: Span<UInt8>) { self.octets = octets }
    }

    /// Values, each after its length (3.4.4.12).
    package struct ReadMultipleVariableResponse: ATTValuePDU, ~Escapable {
        package static var opcode: Opcode { .readMultipleVariableResponse }
        /// Lengths and values in the wire format.
        package let value: Span<UInt8>
        @_lifetime(copy value)
        package init(value: Span<UInt8>) { self.value = value }

        /// Removes the first value from `rest`, which initially equals `value`. Returns nil at the end. The ATT_MTU may
        /// have cut the last value: it is then shorter than its length field states.
        @_lifetime(rest: copy rest)
        @_lifetime(copy rest)
        package static func next(from rest: inout Span<UInt8>) -> Span<UInt8>? {
            guard let length = try? rest.readUInt16() else { return nil }
            let value = rest.extracting(first: min(Int(length), rest.count))
            rest = rest.extracting(droppingFirst: value.count)
            return value
        }
    }
}
