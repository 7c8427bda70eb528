extension ATT {
    /// A value that the server sends without a request or a confirmation (Vol 3, Part F, 3.4.7.1).
    package struct HandleValueNotification: ATTHandleValuePDU, ~Escapable {
        package static var opcode: Opcode { .handleValueNotification }
        package let handle: UInt16
        package let value: Span<UInt8>
        @_lifetime(copy value)
        package init(handle: UInt16, value: Span<UInt8>) {
            self.handle = handle
            self.value = value
        }
    }

    /// A value from the server that the client confirms (3.4.7.2).
    package struct HandleValueIndication: ATTHandleValuePDU, ~Escapable {
        package static var opcode: Opcode { .handleValueIndication }
        package let handle: UInt16
        package let value: Span<UInt8>
        @_lifetime(copy value)
        package init(handle: UInt16, value: Span<UInt8>) {
            self.handle = handle
            self.value = value
        }
    }

    /// Confirms an indication (3.4.7.3).
    package struct HandleValueConfirmation: ATTEmptyPDU, Hashable {
        package static var opcode: Opcode { .handleValueConfirmation }
        package init() {}
    }

    /// Two or more values from the server in one PDU (3.4.7.4). One value is accepted too, which BlueZ sends, and so is a cut last one, which is
    /// left out.
    package struct MultipleHandleValueNotification: ATTPDU, ~Escapable {
        package static var opcode: Opcode { .multipleHandleValueNotification }
        /// Handles, lengths and values in the wire format.
        package let octets: Span<UInt8>
        @_lifetime(copy octets)
        package init(octets: Span<UInt8>) { self.octets = octets }
        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var rest = bytes
            while let _ = Self.next(from: &rest) {}
            // `next` leaves a cut value.
            let whole = bytes.count - rest.count
            guard whole > 0 else { throw .invalidLength }
            octets = bytes.extracting(first: whole)
        }
        package var encodedCount: Int { octets.count }
        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) { try output.write(octets) }

        /// Removes the first value from `rest`, which initially equals `octets`. Returns nil at the end.
        @_lifetime(rest: copy rest)
        @_lifetime(copy rest)
        package static func next(from rest: inout Span<UInt8>) -> HandleValueNotification? {
            var tuple = rest
            guard let handle = try? tuple.readUInt16(), let length = try? tuple.readUInt16(),
                Int(length) <= tuple.count
            else { return nil }
            let value = tuple.extracting(first: Int(length))
            rest = tuple.extracting(droppingFirst: Int(length))
            return HandleValueNotification(handle: handle, value: value)
        }
    }
}
