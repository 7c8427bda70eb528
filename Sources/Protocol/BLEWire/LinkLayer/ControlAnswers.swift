extension LL {
    /// Ends the connection (Vol 6, Part B, 2.4.2.3).
    package struct TerminateInd: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .terminateInd }
        /// An HCI error code.
        package var reason: UInt8
    }

    /// Answers an opcode that is unknown or unsupported (Vol 6, Part B, 2.4.2.8).
    package struct UnknownRsp: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .unknownRsp }
        package var unknownType: ControlOpcode
    }

    /// Reports the link layer's version (Vol 6, Part B, 2.4.2.13).
    package struct VersionInd: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .versionInd }
        /// The assigned number. 0x0D stands for 5.4.
        package var version: UInt8
        /// Company identifier.
        package var company: UInt16
        package var subversion: UInt16
    }

    /// Refuses a request (Vol 6, Part B, 2.4.2.14).
    package struct RejectInd: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .rejectInd }
        /// An HCI error code.
        package var errorCode: UInt8
    }

    /// Refuses a request and names its opcode (Vol 6, Part B, 2.4.2.18).
    package struct RejectExtInd: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .rejectExtInd }
        package var rejectOpcode: ControlOpcode
        /// An HCI error code.
        package var errorCode: UInt8
    }

    /// Requests a response from the peer's link layer (Vol 6, Part B, 2.4.2.19).
    package struct PingReq: ControlPayload, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: ControlOpcode { .pingReq }
        package init() {}
    }

    /// Answers a ping (Vol 6, Part B, 2.4.2.20).
    package struct PingRsp: ControlPayload, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: ControlOpcode { .pingRsp }
        package init() {}
    }
}
