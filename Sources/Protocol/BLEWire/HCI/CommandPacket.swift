extension HCI {
    /// Any command: its opcode and a view of its parameters (Vol 4, Part E, 5.4.1).
    package struct CommandPacket: PDU, ~Escapable {
        /// The most octets of parameters.
        package static var maximumParameters: Int { 255 }

        package var opcode: Opcode
        package var parameters: Span<UInt8>

        @_lifetime(copy parameters)
        package init(opcode: Opcode, parameters: Span<UInt8>) {
            self.opcode = opcode
            self.parameters = parameters
        }

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            opcode = Opcode(rawValue: try bytes.readUInt16())
            let length = try bytes.readUInt8()
            guard bytes.count == Int(length) else { throw .invalidLength }
            parameters = bytes
        }

        package var encodedCount: Int { 3 + parameters.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard let length = UInt8(exactly: parameters.count) else { throw .fieldTooLong }
            try output.write(opcode.rawValue)
            try output.write(length)
            try output.write(parameters)
        }
    }

    /// Any event: its code and a view of its parameters (Vol 4, Part E, 5.4.4).
    package struct EventPacket: PDU, ~Escapable {
        package var code: EventCode
        package var parameters: Span<UInt8>

        @_lifetime(copy parameters)
        package init(code: EventCode, parameters: Span<UInt8>) {
            self.code = code
            self.parameters = parameters
        }

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            code = EventCode(rawValue: try bytes.readUInt8())
            let length = try bytes.readUInt8()
            guard bytes.count == Int(length) else { throw .invalidLength }
            parameters = bytes
        }

        package var encodedCount: Int { 2 + parameters.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            guard let length = UInt8(exactly: parameters.count) else { throw .fieldTooLong }
            try output.write(code.rawValue)
            try output.write(length)
            try output.write(parameters)
        }
    }
}
