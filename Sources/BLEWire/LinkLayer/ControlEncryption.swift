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
    package struct EncReq: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .encReq }
        /// Rand and EDIV identify the LTK. Both are 0 for a key of LE Secure Connections.
        package var randomNumber: UInt64
        package var encryptedDiversifier: UInt16
        package var part: SessionPart

        package init(randomNumber: UInt64, encryptedDiversifier: UInt16, part: SessionPart) {
            self.randomNumber = randomNumber
            self.encryptedDiversifier = encryptedDiversifier
            self.part = part
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            randomNumber = try bytes.readUInt64()
            encryptedDiversifier = try bytes.readUInt16()
            part = SessionPart(diversifier: try bytes.readUInt64(), vector: try bytes.readUInt32())
            try bytes.finish()
        }

        package var encodedCount: Int { 22 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(randomNumber)
            try output.write(encryptedDiversifier)
            try output.write(part.diversifier)
            try output.write(part.vector)
        }
    }

    /// Answers LL_ENC_REQ (2.4.2.5).
    package struct EncRsp: ControlPayload, Hashable, Sendable {
        package static var opcode: ControlOpcode { .encRsp }
        package var part: SessionPart

        package init(part: SessionPart) {
            self.part = part
        }

        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            part = SessionPart(diversifier: try bytes.readUInt64(), vector: try bytes.readUInt32())
            try bytes.finish()
        }

        package var encodedCount: Int { 12 }

        package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
            try output.write(part.diversifier)
            try output.write(part.vector)
        }
    }

    /// A control PDU without parameters.
    package protocol EmptyControlPayload: PDU, Hashable, Sendable {
        init()
    }

    /// Reports that the peripheral has the key (2.4.2.6).
    package struct StartEncReq: ControlPayload, EmptyControlPayload {
        package static var opcode: ControlOpcode { .startEncReq }
        package init() {}
    }

    /// The first encrypted PDU of each direction (2.4.2.7).
    package struct StartEncRsp: ControlPayload, EmptyControlPayload {
        package static var opcode: ControlOpcode { .startEncRsp }
        package init() {}
    }

    /// Requests a pause of encryption, for another key (2.4.2.11). The central sends it.
    package struct PauseEncReq: ControlPayload, EmptyControlPayload {
        package static var opcode: ControlOpcode { .pauseEncReq }
        package init() {}
    }

    /// Answers LL_PAUSE_ENC_REQ, encrypted, and is answered itself, unencrypted (2.4.2.12).
    package struct PauseEncRsp: ControlPayload, EmptyControlPayload {
        package static var opcode: ControlOpcode { .pauseEncRsp }
        package init() {}
    }
}

extension LL.EmptyControlPayload {
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        try bytes.finish()
        self.init()
    }

    package var encodedCount: Int { 0 }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {}
}
