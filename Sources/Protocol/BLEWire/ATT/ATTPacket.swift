extension ATT {
    /// Any PDU of the protocol, decoded by its opcode.
    package enum Packet: ~Escapable {
        case errorResponse(ErrorResponse)
        case exchangeMTURequest(ExchangeMTURequest)
        case exchangeMTUResponse(ExchangeMTUResponse)
        case findInformationRequest(FindInformationRequest)
        case findInformationResponse(FindInformationResponse)
        case findByTypeValueRequest(FindByTypeValueRequest)
        case findByTypeValueResponse(FindByTypeValueResponse)
        case readByTypeRequest(ReadByTypeRequest)
        case readByTypeResponse(ReadByTypeResponse)
        case readRequest(ReadRequest)
        case readResponse(ReadResponse)
        case readBlobRequest(ReadBlobRequest)
        case readBlobResponse(ReadBlobResponse)
        case readMultipleRequest(ReadMultipleRequest)
        case readMultipleResponse(ReadMultipleResponse)
        case readByGroupTypeRequest(ReadByGroupTypeRequest)
        case readByGroupTypeResponse(ReadByGroupTypeResponse)
        case readMultipleVariableRequest(ReadMultipleVariableRequest)
        case readMultipleVariableResponse(ReadMultipleVariableResponse)
        case writeRequest(WriteRequest)
        case writeResponse
        case writeCommand(WriteCommand)
        case signedWriteCommand(SignedWriteCommand)
        case prepareWriteRequest(PrepareWriteRequest)
        case prepareWriteResponse(PrepareWriteResponse)
        case executeWriteRequest(ExecuteWriteRequest)
        case executeWriteResponse
        case notification(HandleValueNotification)
        case indication(HandleValueIndication)
        case confirmation
        case multipleNotification(MultipleHandleValueNotification)

        /// Decodes a whole PDU with its opcode. An unknown opcode throws `.unexpectedType`.
        @_lifetime(copy bytes)
        package init(decoding bytes: Span<UInt8>) throws(DecodeError) {
            var bytes = bytes
            let opcode = Opcode(rawValue: try bytes.readUInt8())
            switch opcode {
            case .errorResponse: self = .errorResponse(try .init(decoding: bytes))
            case .exchangeMTURequest: self = .exchangeMTURequest(try .init(decoding: bytes))
            case .exchangeMTUResponse: self = .exchangeMTUResponse(try .init(decoding: bytes))
            case .findInformationRequest: self = .findInformationRequest(try .init(decoding: bytes))
            case .findInformationResponse: self = .findInformationResponse(try .init(decoding: bytes))
            case .findByTypeValueRequest: self = .findByTypeValueRequest(try .init(decoding: bytes))
            case .findByTypeValueResponse: self = .findByTypeValueResponse(try .init(decoding: bytes))
            case .readByTypeRequest: self = .readByTypeRequest(try .init(decoding: bytes))
            case .readByTypeResponse: self = .readByTypeResponse(try .init(decoding: bytes))
            case .readRequest: self = .readRequest(try .init(decoding: bytes))
            case .readResponse: self = .readResponse(try .init(decoding: bytes))
            case .readBlobRequest: self = .readBlobRequest(try .init(decoding: bytes))
            case .readBlobResponse: self = .readBlobResponse(try .init(decoding: bytes))
            case .readMultipleRequest: self = .readMultipleRequest(try .init(decoding: bytes))
            case .readMultipleResponse: self = .readMultipleResponse(try .init(decoding: bytes))
            case .readByGroupTypeRequest: self = .readByGroupTypeRequest(try .init(decoding: bytes))
            case .readByGroupTypeResponse: self = .readByGroupTypeResponse(try .init(decoding: bytes))
            case .readMultipleVariableRequest: self = .readMultipleVariableRequest(try .init(decoding: bytes))
            case .readMultipleVariableResponse: self = .readMultipleVariableResponse(try .init(decoding: bytes))
            case .writeRequest: self = .writeRequest(try .init(decoding: bytes))
            case .writeResponse:
                _ = try WriteResponse(decoding: bytes)
                self = .writeResponse
            case .writeCommand: self = .writeCommand(try .init(decoding: bytes))
            case .signedWriteCommand: self = .signedWriteCommand(try .init(decoding: bytes))
            case .prepareWriteRequest: self = .prepareWriteRequest(try .init(decoding: bytes))
            case .prepareWriteResponse: self = .prepareWriteResponse(try .init(decoding: bytes))
            case .executeWriteRequest: self = .executeWriteRequest(try .init(decoding: bytes))
            case .executeWriteResponse:
                _ = try ExecuteWriteResponse(decoding: bytes)
                self = .executeWriteResponse
            case .handleValueNotification: self = .notification(try .init(decoding: bytes))
            case .handleValueIndication: self = .indication(try .init(decoding: bytes))
            case .handleValueConfirmation:
                _ = try HandleValueConfirmation(decoding: bytes)
                self = .confirmation
            case .multipleHandleValueNotification: self = .multipleNotification(try .init(decoding: bytes))
            default: throw .unexpectedType
            }
        }
    }
}
