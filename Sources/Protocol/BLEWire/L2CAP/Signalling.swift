extension L2CAP {
    /// The code of a signalling packet (Vol 3, Part A, 4, table 4.2).
    package struct SignalCode: RawRepresentable, Hashable, Sendable {
        package let rawValue: UInt8
        package init(rawValue: UInt8) { self.rawValue = rawValue }

        package static let commandReject = SignalCode(rawValue: 0x01)
        package static let disconnectionRequest = SignalCode(rawValue: 0x06)
        package static let disconnectionResponse = SignalCode(rawValue: 0x07)
        package static let connectionParameterUpdateRequest = SignalCode(rawValue: 0x12)
        package static let connectionParameterUpdateResponse = SignalCode(rawValue: 0x13)
        package static let creditBasedConnectionRequest = SignalCode(rawValue: 0x14)
        package static let creditBasedConnectionResponse = SignalCode(rawValue: 0x15)
        package static let flowControlCredit = SignalCode(rawValue: 0x16)
        package static let enhancedConnectionRequest = SignalCode(rawValue: 0x17)
        package static let enhancedConnectionResponse = SignalCode(rawValue: 0x18)
        package static let enhancedReconfigureRequest = SignalCode(rawValue: 0x19)
        package static let enhancedReconfigureResponse = SignalCode(rawValue: 0x1A)

        /// Whether this is a response. A response never gets an answer.
        package var isResponse: Bool {
            switch self {
            case .commandReject, .disconnectionResponse, .connectionParameterUpdateResponse,
                .creditBasedConnectionResponse, .enhancedConnectionResponse, .enhancedReconfigureResponse:
                true
            default: false
            }
        }
    }

    /// A signalling packet with its header and its undecoded data. An LE frame holds exactly one.
    package struct SignalPacket: ~Escapable {
        package let code: SignalCode
        /// Matches a response to its request; never 0.
        package let identifier: UInt8
        package let data: Span<UInt8>

        @_lifetime(copy data)
        package init(code: SignalCode, identifier: UInt8, data: Span<UInt8>) {
            self.code = code
            self.identifier = identifier
            self.data = data
        }
    }

    /// The data of one kind of signalling packet.
    package protocol Signal: PDU, ~Escapable {
        static var code: SignalCode { get }
    }
}

extension L2CAP.SignalPacket: PDU {
    @_lifetime(copy bytes)
    package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
        var bytes = bytes
        code = L2CAP.SignalCode(rawValue: try bytes.readUInt8())
        identifier = try bytes.readUInt8()
        let length = Int(try bytes.readUInt16())
        data = try bytes.readBytes(length)
        try bytes.finish()
    }

    package var encodedCount: Int { 4 + data.count }

    package func encode(into output: inout OutputSpan<UInt8>) throws(EncodeError) {
        guard let length = UInt16(exactly: data.count) else { throw .fieldTooLong }
        try output.write(code.rawValue)
        try output.write(identifier)
        try output.write(length)
        try output.write(data)
    }
}

extension [UInt8] {
    /// Appends a whole signalling packet. On an error the array is unchanged.
    package mutating func append<S: L2CAP.Signal & ~Escapable>(signal: S, identifier: UInt8) throws(EncodeError) {
        guard let length = UInt16(exactly: signal.encodedCount) else { throw .fieldTooLong }
        let before = count
        append(S.code.rawValue)
        append(identifier)
        append(UInt8(truncatingIfNeeded: length))
        append(UInt8(truncatingIfNeeded: length >> 8))
        do throws(EncodeError) {
            try append(encoding: signal)
        } catch {
            removeSubrange(before...)
            throw error
        }
    }
}
