/// The control PDUs that start, pause and resume encryption (Vol 6, Part B, 5.1.3).
extension LL {
    /// The part of the session key diversifier and of the initialization vector that one device draws for an encrypted
    /// session. SKD and IV are each the concatenation of the central's part, in the low octets, and the peripheral's (Vol 6,
    /// Part B, 5.1.3.1).
    package struct SessionPart: Hashable, Sendable {
        package var diversifier: UInt64
        package var vector: UInt32

        package init(diversifier: UInt64, vector: UInt32) {
            self.diversifier = diversifier
            self.vector = vector
        }
    }

    /// Requests encryption (2.4.2.4). The central sends it.
    package struct EncReq: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .encReq }
        /// Rand and EDIV identify the LTK. Both are 0 for a key of LE Secure Connections.
        package var randomNumber: UInt64
        package var encryptedDiversifier: UInt16
        package var part: SessionPart
    }

    /// Answers LL_ENC_REQ (2.4.2.5).
    package struct EncRsp: ControlPayload, FieldPDU, Hashable {
        package static var opcode: ControlOpcode { .encRsp }
        package var part: SessionPart
    }

    /// Reports that the peripheral has the key (2.4.2.6).
    package struct StartEncReq: ControlPayload, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: ControlOpcode { .startEncReq }
        package init() {}
    }

    /// The first encrypted PDU of each direction (2.4.2.7).
    package struct StartEncRsp: ControlPayload, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: ControlOpcode { .startEncRsp }
        package init() {}
    }

    /// Requests a pause of encryption, for another key (2.4.2.11). The central sends it.
    package struct PauseEncReq: ControlPayload, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: ControlOpcode { .pauseEncReq }
        package init() {}
    }

    /// Answers LL_PAUSE_ENC_REQ, encrypted, and is answered itself, unencrypted (2.4.2.12).
    package struct PauseEncRsp: ControlPayload, ParameterlessPDU, Hashable, Sendable {
        package static var opcode: ControlOpcode { .pauseEncRsp }
        package init() {}
    }
}

extension Span where Element == UInt8 {
    /// The part of the session key diversifier, then the part of the initialization vector.
    @_lifetime(self: copy self)
    mutating func readSessionPart() throws(DecodeError) -> LL.SessionPart {
        LL.SessionPart(diversifier: try readUInt64(), vector: try readUInt32())
    }
}

extension OutputSpan where Element == UInt8 {
    /// The part of the session key diversifier, then the part of the initialization vector.
    @_lifetime(self: copy self)
    mutating func write(_ part: LL.SessionPart) throws(EncodeError) {
        try write(part.diversifier)
        try write(part.vector)
    }
}
