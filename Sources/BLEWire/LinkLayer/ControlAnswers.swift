extension LL {
    /// Ends the connection (Vol 6, Part B, 2.4.2.3).
    package struct TerminateInd: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .terminateInd }
        /// An HCI error code.
        package var reason: UInt8

        package init(reason: UInt8) {
            self.reason = reason
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            reason = try bytes.readUInt8()
            try bytes.finish()
        }

        package var encodedCount: Int { 1 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(reason)
        }
    }

    /// Answers an opcode that is unknown or unsupported (Vol 6, Part B, 2.4.2.8).
    package struct UnknownRsp: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .unknownRsp }
        package var unknownType: ControlOpcode

        package init(unknownType: ControlOpcode) {
            self.unknownType = unknownType
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            unknownType = ControlOpcode(rawValue: try bytes.readUInt8())
            try bytes.finish()
        }

        package var encodedCount: Int { 1 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(unknownType.rawValue)
        }
    }

    /// Reports the link layer's version (Vol 6, Part B, 2.4.2.13).
    package struct VersionInd: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .versionInd }
        /// The assigned number. 0x0D stands for 5.4.
        package var version: UInt8
        /// Company identifier.
        package var company: UInt16
        package var subversion: UInt16

        package init(version: UInt8, company: UInt16, subversion: UInt16) {
            self.version = version
            self.company = company
            self.subversion = subversion
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            version = try bytes.readUInt8()
            company = try bytes.readUInt16()
            subversion = try bytes.readUInt16()
            try bytes.finish()
        }

        package var encodedCount: Int { 5 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(version)
            try output.write(company)
            try output.write(subversion)
        }
    }

    /// Refuses a request (Vol 6, Part B, 2.4.2.14).
    package struct RejectInd: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .rejectInd }
        /// An HCI error code.
        package var errorCode: UInt8

        package init(errorCode: UInt8) {
            self.errorCode = errorCode
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            errorCode = try bytes.readUInt8()
            try bytes.finish()
        }

        package var encodedCount: Int { 1 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(errorCode)
        }
    }

    /// Refuses a request and names its opcode (Vol 6, Part B, 2.4.2.18).
    package struct RejectExtInd: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .rejectExtInd }
        package var rejectOpcode: ControlOpcode
        /// An HCI error code.
        package var errorCode: UInt8

        package init(rejectOpcode: ControlOpcode, errorCode: UInt8) {
            self.rejectOpcode = rejectOpcode
            self.errorCode = errorCode
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            rejectOpcode = ControlOpcode(rawValue: try bytes.readUInt8())
            errorCode = try bytes.readUInt8()
            try bytes.finish()
        }

        package var encodedCount: Int { 2 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(rejectOpcode.rawValue)
            try output.write(errorCode)
        }
    }

    /// Requests a response from the peer's link layer (Vol 6, Part B, 2.4.2.19).
    package struct PingReq: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .pingReq }
        package init() {}

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            try bytes.finish()
        }

        package var encodedCount: Int { 0 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {}
    }

    /// Answers a ping (Vol 6, Part B, 2.4.2.20).
    package struct PingRsp: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .pingRsp }
        package init() {}

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            try bytes.finish()
        }

        package var encodedCount: Int { 0 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {}
    }
}
