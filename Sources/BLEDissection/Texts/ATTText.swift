import BLEWire

/// Describes the PDUs of the Attribute Protocol (Vol 3, Part F, 3.4).
package enum ATTText {
    package static func describe(_ pdu: Span<UInt8>) -> PDUText {
        guard !pdu.isEmpty else { return PDUText("ATT", line: "nothing") }
        let opcode = ATT.Opcode(rawValue: pdu[0])
        let name = opcode.specificationName
        guard let packet = try? ATT.Packet(decoding: pdu) else {
            return PDUText(
                name, "undecodable  \(octetText(pdu))", line: "\(opcode), undecodable  \(octetText(pdu))")
        }
        let detail = detail(packet)
        return PDUText(name, detail, line: detail.isEmpty ? "\(opcode)" : "\(opcode)  \(detail)")
    }

    private static func detail(_ packet: borrowing ATT.Packet) -> String {
        switch packet {
        case .errorResponse(let error): "\(error.request), handle \(handle(error.handle)): \(error.code)"
        case .exchangeMTURequest(let request): "\(request.number)"
        case .exchangeMTUResponse(let response): "\(response.number)"
        case .findInformationRequest(let request): range(request.range)
        case .findInformationResponse(let response): octetText(response.data)
        case .findByTypeValueRequest(let request):
            "\(range(request.range)), type \(handle(request.type)) = \(octetText(request.value))"
        case .findByTypeValueResponse(let response): octetText(response.data)
        case .readByTypeRequest(let request): "\(range(request.range)), type \(request.type)"
        case .readByTypeResponse(let response): "\(response.length) octets each: \(octetText(response.data))"
        case .readRequest(let request): "handle \(handle(request.handle))"
        case .readResponse(let response): octetText(response.value)
        case .readBlobRequest(let request): "handle \(handle(request.handle)) from \(request.offset)"
        case .readBlobResponse(let response): octetText(response.value)
        case .readMultipleRequest(let request): octetText(request.octets)
        case .readMultipleResponse(let response): octetText(response.value)
        case .readByGroupTypeRequest(let request): "\(range(request.range)), type \(request.type)"
        case .readByGroupTypeResponse(let response): "\(response.length) octets each: \(octetText(response.data))"
        case .readMultipleVariableRequest(let request): octetText(request.octets)
        case .readMultipleVariableResponse(let response): octetText(response.value)
        case .writeRequest(let request): "handle \(handle(request.handle)) = \(octetText(request.value))"
        case .writeCommand(let command): "handle \(handle(command.handle)) = \(octetText(command.value))"
        case .signedWriteCommand(let command): "handle \(handle(command.handle)) = \(octetText(command.value))"
        case .prepareWriteRequest(let request):
            "handle \(handle(request.handle)) from \(request.offset) = \(octetText(request.value))"
        case .prepareWriteResponse(let response):
            "handle \(handle(response.handle)) from \(response.offset) = \(octetText(response.value))"
        case .executeWriteRequest(let request): request.writes ? "write" : "cancel"
        case .notification(let notification):
            "handle \(handle(notification.handle)) = \(octetText(notification.value))"
        case .indication(let indication): "handle \(handle(indication.handle)) = \(octetText(indication.value))"
        case .multipleNotification(let notification): octetText(notification.octets)
        case .writeResponse, .executeWriteResponse, .confirmation: ""
        }
    }

    static func handle(_ value: UInt16) -> String { hexadecimal(value, digits: 4) }

    static func range(_ range: HandleRange) -> String {
        "handles \(handle(range.start)) to \(handle(range.end))"
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
