import BLEWire

/// Describes the PDUs of the Attribute Protocol (Vol 3, Part F, 3.4).
package enum ATTText {
    package static func describe(_ pdu: Span<UInt8>, in language: TextLanguage = .english) -> PDUText {
        guard !pdu.isEmpty else { return PDUText("ATT", line: "nothing") }
        let opcode = ATT.Opcode(rawValue: pdu[0])
        let name = opcode.specificationName
        guard let packet = try? ATT.Packet(decoding: pdu) else {
            return PDUText(
                name, "\(language.undecodable)  \(octetText(pdu, in: language))",
                line: "\(opcode), undecodable  \(octetText(pdu))")
        }
        let detail = detail(packet, language)
        return PDUText(name, detail, line: detail.isEmpty ? "\(opcode)" : "\(opcode)  \(detail)")
    }

    private static func detail(_ packet: borrowing ATT.Packet, _ language: TextLanguage) -> String {
        switch packet {
        case .errorResponse(let error):
            language("\(error.request)", error.request.specificationName) + language.comma
                + "\(language.handle) \(handle(error.handle)): \(language.error(error.code))"
        case .exchangeMTURequest(let request): "\(request.number)"
        case .exchangeMTUResponse(let response): "\(response.number)"
        case .findInformationRequest(let request): range(request.range, language)
        case .findInformationResponse(let response): octetText(response.data, in: language)
        case .findByTypeValueRequest(let request):
            "\(range(request.range, language))\(language.comma)\(language.type) \(handle(request.type)) = \(octetText(request.value, in: language))"
        case .findByTypeValueResponse(let response): octetText(response.data, in: language)
        case .readByTypeRequest(let request):
            "\(range(request.range, language))\(language.comma)\(language.type) \(request.type)"
        case .readByTypeResponse(let response):
            language("\(response.length) octets each: ", "每项 \(response.length) 字节：")
                + octetText(response.data, in: language)
        case .readRequest(let request): "\(language.handle) \(handle(request.handle))"
        case .readResponse(let response): octetText(response.value, in: language)
        case .readBlobRequest(let request):
            "\(language.handle) \(handle(request.handle)) \(language.from(request.offset))"
        case .readBlobResponse(let response): octetText(response.value, in: language)
        case .readMultipleRequest(let request): octetText(request.octets, in: language)
        case .readMultipleResponse(let response): octetText(response.value, in: language)
        case .readByGroupTypeRequest(let request):
            "\(range(request.range, language))\(language.comma)\(language.type) \(request.type)"
        case .readByGroupTypeResponse(let response):
            language("\(response.length) octets each: ", "每项 \(response.length) 字节：")
                + octetText(response.data, in: language)
        case .readMultipleVariableRequest(let request): octetText(request.octets, in: language)
        case .readMultipleVariableResponse(let response): octetText(response.value, in: language)
        case .writeRequest(let request):
            "\(language.handle) \(handle(request.handle)) = \(octetText(request.value, in: language))"
        case .writeCommand(let command):
            "\(language.handle) \(handle(command.handle)) = \(octetText(command.value, in: language))"
        case .signedWriteCommand(let command):
            "\(language.handle) \(handle(command.handle)) = \(octetText(command.value, in: language))"
        case .prepareWriteRequest(let request):
            "\(language.handle) \(handle(request.handle)) \(language.from(request.offset)) = \(octetText(request.value, in: language))"
        case .prepareWriteResponse(let response):
            "\(language.handle) \(handle(response.handle)) \(language.from(response.offset)) = \(octetText(response.value, in: language))"
        case .executeWriteRequest(let request): language.execution(writes: request.writes)
        case .notification(let notification):
            "\(language.handle) \(handle(notification.handle)) = \(octetText(notification.value, in: language))"
        case .indication(let indication):
            "\(language.handle) \(handle(indication.handle)) = \(octetText(indication.value, in: language))"
        case .multipleNotification(let notification): octetText(notification.octets, in: language)
        case .writeResponse, .executeWriteResponse, .confirmation: ""
        }
    }

    static func handle(_ value: UInt16) -> String { hexadecimal(value, digits: 4) }

    static func range(_ range: HandleRange, _ language: TextLanguage = .english) -> String {
        let ends = language.range(handle(range.start), handle(range.end))
        return language("handles \(ends)", "句柄 \(ends)")
    }
}

extension ATT.Opcode {
    /// The specification's name of the PDU, such as `ATT_READ_REQ` (Vol 3, Part F, 3.4.8).
    package var specificationName: String {
        switch self {
        case .errorResponse: "ATT_ERROR_RSP"
        case .exchangeMTURequest: "ATT_EXCHANGE_MTU_REQ"
        case .exchangeMTUResponse: "ATT_EXCHANGE_MTU_RSP"
        case .findInformationRequest: "ATT_FIND_INFORMATION_REQ"
        case .findInformationResponse: "ATT_FIND_INFORMATION_RSP"
        case .findByTypeValueRequest: "ATT_FIND_BY_TYPE_VALUE_REQ"
        case .findByTypeValueResponse: "ATT_FIND_BY_TYPE_VALUE_RSP"
        case .readByTypeRequest: "ATT_READ_BY_TYPE_REQ"
        case .readByTypeResponse: "ATT_READ_BY_TYPE_RSP"
        case .readRequest: "ATT_READ_REQ"
        case .readResponse: "ATT_READ_RSP"
        case .readBlobRequest: "ATT_READ_BLOB_REQ"
        case .readBlobResponse: "ATT_READ_BLOB_RSP"
        case .readMultipleRequest: "ATT_READ_MULTIPLE_REQ"
        case .readMultipleResponse: "ATT_READ_MULTIPLE_RSP"
        case .readByGroupTypeRequest: "ATT_READ_BY_GROUP_TYPE_REQ"
        case .readByGroupTypeResponse: "ATT_READ_BY_GROUP_TYPE_RSP"
        case .writeRequest: "ATT_WRITE_REQ"
        case .writeResponse: "ATT_WRITE_RSP"
        case .prepareWriteRequest: "ATT_PREPARE_WRITE_REQ"
        case .prepareWriteResponse: "ATT_PREPARE_WRITE_RSP"
        case .executeWriteRequest: "ATT_EXECUTE_WRITE_REQ"
        case .executeWriteResponse: "ATT_EXECUTE_WRITE_RSP"
        case .handleValueNotification: "ATT_HANDLE_VALUE_NTF"
        case .handleValueIndication: "ATT_HANDLE_VALUE_IND"
        case .handleValueConfirmation: "ATT_HANDLE_VALUE_CFM"
        case .readMultipleVariableRequest: "ATT_READ_MULTIPLE_VARIABLE_REQ"
        case .readMultipleVariableResponse: "ATT_READ_MULTIPLE_VARIABLE_RSP"
        case .multipleHandleValueNotification: "ATT_MULTIPLE_HANDLE_VALUE_NTF"
        case .writeCommand: "ATT_WRITE_CMD"
        case .signedWriteCommand: "ATT_SIGNED_WRITE_CMD"
        default: "ATT opcode \(hexadecimal(rawValue, digits: 2))"
        }
    }
}
