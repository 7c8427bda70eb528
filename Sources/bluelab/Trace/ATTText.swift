import BLEWire

/// Formats ATT PDUs.
enum ATTText {
    static func describe(_ pdu: Span<UInt8>) -> String {
        guard !pdu.isEmpty else { return "nothing" }
        let opcode = ATT.Opcode(rawValue: pdu[0])
        guard let packet = try? ATT.Packet(decoding: pdu) else {
            return "\(opcode), undecodable  \(hexadecimal(pdu))"
        }
        let detail = detail(packet)
        return detail.isEmpty ? "\(opcode)" : "\(opcode)  \(detail)"
    }

    private static func detail(_ packet: borrowing ATT.Packet) -> String {
        switch packet {
        case .errorResponse(let error): "\(error.request), handle \(handle(error.handle)): \(error.code)"
        case .exchangeMTURequest(let request): "\(request.number)"
        case .exchangeMTUResponse(let response): "\(response.number)"
        case .findInformationRequest(let request): range(request.range)
        case .findInformationResponse(let response): hexadecimal(response.data)
        case .findByTypeValueRequest(let request):
            "\(range(request.range)), type \(handle(request.type)) = \(hexadecimal(request.value))"
        case .findByTypeValueResponse(let response): hexadecimal(response.data)
        case .readByTypeRequest(let request): "\(range(request.range)), type \(request.type)"
        case .readByTypeResponse(let response): "\(response.length) octets each: \(hexadecimal(response.data))"
        case .readRequest(let request): "handle \(handle(request.handle))"
        case .readResponse(let response): hexadecimal(response.value)
        case .readBlobRequest(let request): "handle \(handle(request.handle)) from \(request.offset)"
        case .readBlobResponse(let response): hexadecimal(response.value)
        case .readMultipleRequest(let request): hexadecimal(request.octets)
        case .readMultipleResponse(let response): hexadecimal(response.value)
        case .readByGroupTypeRequest(let request): "\(range(request.range)), type \(request.type)"
        case .readByGroupTypeResponse(let response): "\(response.length) octets each: \(hexadecimal(response.data))"
        case .readMultipleVariableRequest(let request): hexadecimal(request.octets)
        case .readMultipleVariableResponse(let response): hexadecimal(response.value)
        case .writeRequest(let request): "handle \(handle(request.handle)) = \(hexadecimal(request.value))"
        case .writeCommand(let command): "handle \(handle(command.handle)) = \(hexadecimal(command.value))"
        case .signedWriteCommand(let command): "handle \(handle(command.handle)) = \(hexadecimal(command.value))"
        case .prepareWriteRequest(let request):
            "handle \(handle(request.handle)) from \(request.offset) = \(hexadecimal(request.value))"
        case .prepareWriteResponse(let response):
            "handle \(handle(response.handle)) from \(response.offset) = \(hexadecimal(response.value))"
        case .executeWriteRequest(let request): request.writes ? "write" : "cancel"
        case .notification(let notification):
            "handle \(handle(notification.handle)) = \(hexadecimal(notification.value))"
        case .indication(let indication): "handle \(handle(indication.handle)) = \(hexadecimal(indication.value))"
        case .multipleNotification(let notification): hexadecimal(notification.octets)
        case .writeResponse, .executeWriteResponse, .confirmation: ""
        }
    }

    private static func handle(_ value: UInt16) -> String { hexadecimal(value, digits: 4) }

    private static func range(_ range: HandleRange) -> String {
        "handles \(handle(range.start)) to \(handle(range.end))"
    }
}
