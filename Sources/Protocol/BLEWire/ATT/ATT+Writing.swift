extension ATT {
    /// Writes a value (Vol 3, Part F, 3.4.5.1).
    package struct WriteRequest: ATTHandleValuePDU, ~Escapable {
        package static var opcode: Opcode { .writeRequest }
        package let handle: UInt16
        package let value: Span<UInt8>
        @_lifetime(copy value)
        package init(handle: UInt16, value: Span<UInt8>) {
            self.handle = handle
            self.value = value
        }
    }

    /// The value was written (3.4.5.2).
    package struct WriteResponse: ATTEmptyPDU, Hashable {
        package static var opcode: Opcode { .writeResponse }
        package init() {}
    }

    /// Writes a value without a response (3.4.5.3).
    package struct WriteCommand: ATTHandleValuePDU, ~Escapable {
        package static var opcode: Opcode { .writeCommand }
        package let handle: UInt16
        package let value: Span<UInt8>
        @_lifetime(copy value)
        package init(handle: UInt16, value: Span<UInt8>) {
            self.handle = handle
            self.value = value
        }
    }

    /// Writes a value without a response, signed (3.4.5.4).
    package struct SignedWriteCommand: ATTPDU, ~Escapable {
        package static var opcode: Opcode { .signedWriteCommand }
        package let handle: UInt16
        package let value: Span<UInt8>
        /// A sign counter of 4 octets and a MAC of 8.
        package let signature: InlineArray<12, UInt8>
        @_lifetime(copy value)
        package init(handle: UInt16, value: Span<UInt8>, signature: InlineArray<12, UInt8>) {
            self.handle = handle
            self.value = value
            self.signature = signature
        }
        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            handle = try bytes.readUInt16()
            value = try bytes.readBytes(bytes.count - 12)
            signature = try bytes.readArray()
        }
        package var encodedCount: Int { 14 + value.count }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(handle)
            try output.write(value)
            try output.write(signature)
        }
    }

    /// Appends a part of a value to the server's prepare queue (3.4.6.1).
    package struct PrepareWriteRequest: ATTPartPDU, ~Escapable {
        package static var opcode: Opcode { .prepareWriteRequest }
        package let handle: UInt16
        package let offset: UInt16
        package let value: Span<UInt8>
        @_lifetime(copy value)
        package init(handle: UInt16, offset: UInt16, value: Span<UInt8>) {
            self.handle = handle
            self.offset = offset
            self.value = value
        }
    }

    /// The part as the server received it (3.4.6.2).
    package struct PrepareWriteResponse: ATTPartPDU, ~Escapable {
        package static var opcode: Opcode { .prepareWriteResponse }
        package let handle: UInt16
        package let offset: UInt16
        package let value: Span<UInt8>
        @_lifetime(copy value)
        package init(handle: UInt16, offset: UInt16, value: Span<UInt8>) {
            self.handle = handle
            self.offset = offset
            self.value = value
        }
    }

    /// Writes or drops everything in the prepare queue (3.4.6.3).
    package struct ExecuteWriteRequest: ATTPDU, Hashable {
        package static var opcode: Opcode { .executeWriteRequest }
        /// False cancels all prepared writes.
        package var writes: Bool
        package init(writes: Bool) { self.writes = writes }
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            let flags = try bytes.readUInt8()
            try bytes.finish()
            guard flags <= 1 else { throw .invalidValue }
            writes = flags == 1
        }
        package var encodedCount: Int { 1 }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(UInt8(writes ? 1 : 0))
        }
    }

    /// The queue was written or dropped (3.4.6.4).
    package struct ExecuteWriteResponse: ATTEmptyPDU, Hashable {
        package static var opcode: Opcode { .executeWriteResponse }
        package init() {}
    }
}
