extension HCI {
    /// Reports a completed command. Its return parameters are a view (Vol 4, Part E, 7.7.14).
    package struct CommandComplete: HCIEvent, ~Escapable {
        package static var eventCode: HCI.EventCode { .commandComplete }

        /// The number of commands that the host may now send.
        package var numberOfCommandPackets: UInt8
        /// The command; 0 if the event only changes the number of commands.
        package var opcode: HCI.Opcode
        package var returnParameters: Span<UInt8>

        @_lifetime(copy returnParameters)
        package init(numberOfCommandPackets: UInt8 = 1, opcode: HCI.Opcode, returnParameters: Span<UInt8>) {
            self.numberOfCommandPackets = numberOfCommandPackets
            self.opcode = opcode
            self.returnParameters = returnParameters
        }

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            numberOfCommandPackets = try bytes.readUInt8()
            opcode = HCI.Opcode(rawValue: try bytes.readUInt16())
            returnParameters = bytes
        }

        /// The first return parameter, which is the status for every known command; nil if there are no return
        /// parameters. Controllers may omit the others unless the status is `.success`, so check the status before
        /// decoding them.
        package var status: HCI.ErrorCode? {
            returnParameters.isEmpty ? nil : HCI.ErrorCode(rawValue: returnParameters[0])
        }

        /// Decodes the return parameters as those of `command`.
        package func returnParameters<C: HCICommand & ~Escapable>(
            of command: C.Type
        ) throws(DecodeError) -> C.ReturnParameters {
            guard opcode == C.opcode else { throw .unexpectedType }
            return try C.ReturnParameters(decoding: returnParameters)
        }

        package var encodedCount: Int { 3 + returnParameters.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(numberOfCommandPackets)
            try output.write(opcode.rawValue)
            try output.write(returnParameters)
        }
    }

    /// Any LE event: its subevent code and a view of its parameters (Vol 4, Part E, 7.7.65).
    package struct LEMetaEvent: HCIEvent, ~Escapable {
        package static var eventCode: HCI.EventCode { .leMeta }

        package var subeventCode: HCI.LESubeventCode
        package var parameters: Span<UInt8>

        @_lifetime(copy parameters)
        package init(subeventCode: HCI.LESubeventCode, parameters: Span<UInt8>) {
            self.subeventCode = subeventCode
            self.parameters = parameters
        }

        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            subeventCode = HCI.LESubeventCode(rawValue: try bytes.readUInt8())
            parameters = bytes
        }

        package var encodedCount: Int { 1 + parameters.count }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(subeventCode.rawValue)
            try output.write(parameters)
        }
    }
}
