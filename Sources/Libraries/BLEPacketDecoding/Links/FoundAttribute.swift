import BLEWire

/// An attribute in a response of a discovery (Vol 3, Part G, 4.4 to 4.7).
struct FoundAttribute: Hashable, Sendable {
    var kind: KnownAttribute.Kind
    var uuid: BluetoothUUID
    var handle: UInt16
    /// The last handle of a service; otherwise the handle.
    var end: UInt16
    /// The properties of a characteristic (Vol 3, Part G, 3.3.1.1).
    var properties: UInt8?
    /// Whether the response says the type but not what the attribute is.
    var isGuess = false
    /// The octets of the value that the response has; nil if it has none.
    var valueCount: Int?

    init(_ kind: KnownAttribute.Kind, _ uuid: BluetoothUUID, at handle: UInt16) {
        self.kind = kind
        self.uuid = uuid
        self.handle = handle
        end = handle
    }

    /// Calls `body` with the attributes of a response, in their order.
    ///
    /// - Parameters:
    ///   - requestedType: The 16-bit type in the request; 0 if it has none.
    ///   - service: The service that the request looks for.
    static func forEach(
        in pdu: Span<UInt8>, requestedType: UInt16, service: BluetoothUUID?, _ body: (FoundAttribute) -> Void
    ) {
        guard let packet = try? ATT.Packet(decoding: pdu) else { return }
        switch packet {
        case .readByGroupTypeResponse(let response) where response.length >= 6:
            for index in 0..<response.count {
                guard let uuid = try? BluetoothUUID(decoding: response.value(at: index)) else { continue }
                var found = FoundAttribute(.service, uuid, at: response.range(at: index).start)
                found.end = response.range(at: index).end
                body(found)
            }
        case .findByTypeValueResponse(let response):
            guard let service else { return }
            for index in 0..<response.count {
                var found = FoundAttribute(.service, service, at: response[index].start)
                found.end = response[index].end
                body(found)
            }
        case .findInformationResponse(let response):
            for index in 0..<response.count {
                var found = FoundAttribute(.descriptor, response[index].uuid, at: response[index].handle)
                found.isGuess = true
                body(found)
            }
        case .readByTypeResponse(let response):
            for index in 0..<response.count { found(in: response, index, requestedType, body) }
        default: break
        }
    }

    private static func found(
        in response: borrowing ATT.ReadByTypeResponse, _ index: Int, _ type: UInt16, _ body: (FoundAttribute) -> Void
    ) {
        let handle = response.handle(at: index)
        var value = response.value(at: index)
        switch type {
        case AttributeOctets.characteristic:
            guard let properties = try? value.readUInt8(), let valueHandle = try? value.readUInt16(),
                let uuid = try? BluetoothUUID(decoding: value)
            else { return }
            body(FoundAttribute(.declaration, uuid, at: handle))
            var found = FoundAttribute(.value, uuid, at: valueHandle)
            found.properties = properties
            body(found)
        case AttributeOctets.include:
            guard (try? value.readUInt32()) != nil, let uuid = try? BluetoothUUID(decoding: value) else { return }
            body(FoundAttribute(.includedService, uuid, at: handle))
        case 0: break
        default:
            var found = FoundAttribute(.value, BluetoothUUID(type), at: handle)
            found.isGuess = true
            found.valueCount = value.count
            body(found)
        }
    }
}
