import BLEAssignedNumbers
import BLEWire

/// Describes ATT PDUs with the names of attributes, as far as they are known.
enum AttributeText {
    /// The most names in one text.
    private static let nameLimit = 6

    /// - Parameters:
    ///   - attribute: The type of the attribute that the PDU, or the request of a response, names.
    ///   - requestedType: The type in the request of a response; 0 if it has none.
    /// - Returns: nil if names add nothing to the text of the PDU.
    static func describe(
        _ pdu: Span<UInt8>, attribute: BluetoothUUID?, requestedType: UInt16, in language: TextLanguage
    ) -> String? {
        guard let packet = try? ATT.Packet(decoding: pdu) else { return nil }
        switch packet {
        case .readByGroupTypeRequest(let request): return range(request.range, request.type, language)
        case .readByTypeRequest(let request): return range(request.range, request.type, language)
        case .findByTypeValueRequest(let request):
            guard let service = try? BluetoothUUID(decoding: request.value) else { return nil }
            return ATTText.range(request.range, language) + language.comma
                + "\(ValueText.name(request.type)) \(ValueText.name(service))"
        case .readByGroupTypeResponse(let response):
            return names(response.count, language) { index in try? BluetoothUUID(decoding: response.value(at: index)) }
        case .readByTypeResponse(let response)
        where response.count == 1 && requestedType != 0 && ![0x2802, 0x2803].contains(requestedType):
            let type = BluetoothUUID(requestedType)
            return "\(ValueText.name(type)) = \(ValueText.describe(response.value(at: 0), of: type, in: language))"
        case .readByTypeResponse(let response):
            return names(response.count, language) { index in uuid(in: response.value(at: index), requestedType) }
        case .findByTypeValueResponse(let response):
            let ranges = (0..<min(response.count, nameLimit)).map { ATTText.range(response[$0], language) }
            return ranges.joined(separator: language.comma)
        case .findInformationResponse(let response): return names(response.count, language) { response[$0].uuid }
        default: return attribute.flatMap { describe(packet, $0, language) }
        }
    }

    private static func describe(
        _ packet: borrowing ATT.Packet, _ type: BluetoothUUID, _ language: TextLanguage
    ) -> String? {
        let name = ValueText.name(type)
        return switch packet {
        case .errorResponse(let error): "\(name): \(language.error(error.code))"
        case .readRequest, .writeResponse, .confirmation, .executeWriteResponse: name
        case .readBlobRequest(let request): "\(name) \(language.from(request.offset))"
        case .readResponse(let response): "\(name) = \(ValueText.describe(response.value, of: type, in: language))"
        case .readBlobResponse(let response): "\(name): \(octetText(response.value, in: language))"
        case .writeRequest(let request): "\(name) = \(ValueText.describe(request.value, of: type, in: language))"
        case .writeCommand(let command): "\(name) = \(ValueText.describe(command.value, of: type, in: language))"
        case .signedWriteCommand(let command): "\(name) = \(ValueText.describe(command.value, of: type, in: language))"
        case .prepareWriteRequest(let request):
            "\(name) \(language.from(request.offset)): \(octetText(request.value, in: language))"
        case .prepareWriteResponse(let response):
            "\(name) \(language.from(response.offset)): \(octetText(response.value, in: language))"
        case .executeWriteRequest(let request): name + language.comma + language.execution(writes: request.writes)
        case .notification(let notification):
            "\(name) = \(ValueText.describe(notification.value, of: type, in: language))"
        case .indication(let indication): "\(name) = \(ValueText.describe(indication.value, of: type, in: language))"
        default: nil
        }
    }

    private static func range(_ range: HandleRange, _ type: BluetoothUUID, _ language: TextLanguage) -> String {
        ATTText.range(range, language) + language.comma + ValueText.name(type)
    }

    /// The UUID in the value of a declaration (Vol 3, Part G, 3.2 and 3.3).
    private static func uuid(in value: Span<UInt8>, _ type: UInt16) -> BluetoothUUID? {
        let offset: Int
        switch type {
        case 0x2803: offset = 3
        case 0x2802: offset = 4
        default: return nil
        }
        guard value.count > offset else { return nil }
        return try? BluetoothUUID(decoding: value.extracting(droppingFirst: offset))
    }

    private static func names(_ count: Int, _ language: TextLanguage, _ uuid: (Int) -> BluetoothUUID?) -> String? {
        var names: [String] = []
        for index in 0..<min(count, nameLimit) {
            guard let uuid = uuid(index) else { return nil }
            names.append(ValueText.name(uuid))
        }
        if count > nameLimit { names.append(language("\(count - nameLimit) more", "另有 \(count - nameLimit) 项")) }
        return names.joined(separator: language.comma)
    }
}
