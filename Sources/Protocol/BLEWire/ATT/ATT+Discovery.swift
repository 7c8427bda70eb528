extension ATT {
    /// The reason why a request failed (Vol 3, Part F, 3.4.1.1).
    package struct ErrorResponse: ATTPDU, Hashable {
        package static var opcode: Opcode { .errorResponse }
        package var request: Opcode
        /// The attribute that caused the error; 0 if none.
        package var handle: UInt16
        package var code: ErrorCode

        package init(request: Opcode, handle: UInt16, code: ErrorCode) {
            self.request = request
            self.handle = handle
            self.code = code
        }
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            request = Opcode(rawValue: try bytes.readUInt8())
            handle = try bytes.readUInt16()
            code = ErrorCode(rawValue: try bytes.readUInt8())
            try bytes.finish()
        }
        package var encodedCount: Int { 4 }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(request.rawValue)
            try output.write(handle)
            try output.write(code.rawValue)
        }
    }

    /// The client's receive MTU in octets (3.4.2.1).
    package struct ExchangeMTURequest: ATTNumberPDU, Hashable {
        package static var opcode: Opcode { .exchangeMTURequest }
        package var number: UInt16
        package init(number: UInt16) { self.number = number }
    }

    /// The server's receive MTU in octets (3.4.2.2).
    package struct ExchangeMTUResponse: ATTNumberPDU, Hashable {
        package static var opcode: Opcode { .exchangeMTUResponse }
        package var number: UInt16
        package init(number: UInt16) { self.number = number }
    }

    /// Requests the handles and types in a range (3.4.3.1).
    @usableFromInline
    package struct FindInformationRequest: ATTPDU, Hashable {
        @inlinable package static var opcode: Opcode { .findInformationRequest }
        @usableFromInline package var range: HandleRange
        @inlinable package init(range: HandleRange) { self.range = range }
        @usableFromInline package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            range = HandleRange(start: try bytes.readUInt16(), end: try bytes.readUInt16())
            try bytes.finish()
        }
        @inlinable package var encodedCount: Int { 4 }
        @inlinable
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(range.start)
            try output.write(range.end)
        }
    }

    /// Handles with types. All types have 16 bits, or all have 128 (3.4.3.2).
    package struct FindInformationResponse: ATTPDU, ~Escapable {
        package static var opcode: Opcode { .findInformationResponse }
        /// The number of octets of each type: 2 or 16.
        package let typeLength: Int
        package let data: Span<UInt8>

        /// `data`: one or more entries of 2 + `typeLength` octets.
        @_lifetime(copy data)
        package init(typeLength: Int, data: Span<UInt8>) {
            self.typeLength = typeLength
            self.data = data
        }
        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            switch try bytes.readUInt8() {
            case 1: typeLength = 2
            case 2: typeLength = 16
            default: throw .invalidValue
            }
            guard !bytes.isEmpty else { throw .truncated }
            guard bytes.count % (2 + typeLength) == 0 else { throw .invalidLength }
            data = bytes
        }
        package var encodedCount: Int { 1 + data.count }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(UInt8(typeLength == 2 ? 1 : 2))
            try output.write(data)
        }

        /// The number of entries.
        package var count: Int { data.count / (2 + typeLength) }
        /// The entry at `index`, 0 ..< count.
        package subscript(index: Int) -> DiscoveredDescriptor {
            let length = 2 + typeLength
            var entry = data.extracting(index * length..<(index + 1) * length)
            let handle = (try? entry.readUInt16()) ?? 0
            return DiscoveredDescriptor(
                uuid: (try? BluetoothUUID(decoding: entry)) ?? BluetoothUUID(UInt16(0)), handle: handle)
        }
    }

    /// Requests the attributes with a 16-bit type and a value, with the ends of their groups (3.4.3.3).
    package struct FindByTypeValueRequest: ATTPDU, ~Escapable {
        package static var opcode: Opcode { .findByTypeValueRequest }
        package let range: HandleRange
        package let type: UInt16
        package let value: Span<UInt8>

        @_lifetime(copy value)
        package init(range: HandleRange, type: UInt16, value: Span<UInt8>) {
            self.range = range
            self.type = type
            self.value = value
        }
        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            range = HandleRange(start: try bytes.readUInt16(), end: try bytes.readUInt16())
            type = try bytes.readUInt16()
            value = bytes
        }
        package var encodedCount: Int { 6 + value.count }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(range.start)
            try output.write(range.end)
            try output.write(type)
            try output.write(value)
        }
    }

    /// The handles found, each with the end of its group (3.4.3.4).
    package struct FindByTypeValueResponse: ATTPDU, ~Escapable {
        package static var opcode: Opcode { .findByTypeValueResponse }
        package let data: Span<UInt8>

        /// `data`: one or more entries of four octets.
        @_lifetime(copy data)
        package init(data: Span<UInt8>) { self.data = data }
        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            guard !bytes.isEmpty else { throw .truncated }
            guard bytes.count % 4 == 0 else { throw .invalidLength }
            data = bytes
        }
        package var encodedCount: Int { data.count }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) { try output.write(data) }

        /// The number of entries.
        package var count: Int { data.count / 4 }
        /// The entry at `index`, 0 ..< count.
        package subscript(index: Int) -> HandleRange {
            var entry = data.extracting(index * 4..<(index + 1) * 4)
            return HandleRange(start: (try? entry.readUInt16()) ?? 0, end: (try? entry.readUInt16()) ?? 0)
        }
    }
}
