import BLEWire

/// Read Characteristic Value and Read Long Characteristic Values in one (Vol 3, Part G, 4.8.1 and 4.8.3).
struct ValueRead: ClientProcedure {
    private let handle: UInt16
    private var value: [UInt8]
    /// The number of octets in a full response to the outstanding request.
    private(set) var fullLength = 0

    init(handle: UInt16) {
        self.handle = handle
        value = []
    }

    /// Continues after `prefix`, which must not be empty.
    init(handle: UInt16, prefix: [UInt8]) {
        self.handle = handle
        value = prefix
    }

    mutating func start(mtu: Int) -> ClientStep<[UInt8]> { ask(mtu) }

    private mutating func ask(_ mtu: Int) -> ClientStep<[UInt8]> {
        fullLength = mtu - 1
        return .send(value.isEmpty ? .read(handle: handle) : .readBlob(handle: handle, offset: value.count))
    }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<[UInt8]> {
        switch packet {
        case .readResponse(let response): return take(response.value, mtu)
        case .readBlobResponse(let response): return take(response.value, mtu)
        case .errorResponse(let error):
            // A server may send this error if the value ends with the previous PDU (Vol 3, Part F, 3.4.4.5).
            if !value.isEmpty, error.code == .attributeNotLong || error.code == .invalidOffset { return .finish(value) }
            return .refused(error)
        default: return .nonsense
        }
    }

    private mutating func take(_ part: Span<UInt8>, _ mtu: Int) -> ClientStep<[UInt8]> {
        guard value.count + part.count <= ATT.maximumValueLength else {
            return .fail(.attribute(ATT.ErrorCode.invalidAttributeValueLength.rawValue))
        }
        if value.isEmpty { value = [UInt8](part) } else { value.append(part) }
        // The ATT_MTU may have grown since the request, and the peer may have used the old one for its answer.
        let isLast = part.isEmpty || part.count < min(fullLength, mtu - 1)
        return isLast || value.count == ATT.maximumValueLength ? .finish(value) : ask(mtu)
    }
}
