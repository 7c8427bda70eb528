import BLEWire

/// A request as a client procedure asks for it; the bearer puts it on the wire.
enum ClientRequest: Hashable, Sendable {
    case exchangeMTU(UInt16)
    case findInformation(HandleRange)
    /// The primary services with this UUID.
    case findPrimaryServices(HandleRange, BluetoothUUID)
    case readByType(HandleRange, BluetoothUUID)
    case readByGroupType(HandleRange, BluetoothUUID)
    case read(handle: UInt16)
    case readBlob(handle: UInt16, offset: Int)
    case write(handle: UInt16, value: [UInt8])
    /// The octets `part` of `value`.
    case prepareWrite(handle: UInt16, value: [UInt8], part: Range<Int>)
    case executeWrite(Bool)

    var opcode: ATT.Opcode {
        switch self {
        case .exchangeMTU: .exchangeMTURequest
        case .findInformation: .findInformationRequest
        case .findPrimaryServices: .findByTypeValueRequest
        case .readByType: .readByTypeRequest
        case .readByGroupType: .readByGroupTypeRequest
        case .read: .readRequest
        case .readBlob: .readBlobRequest
        case .write: .writeRequest
        case .prepareWrite: .prepareWriteRequest
        case .executeWrite: .executeWriteRequest
        }
    }

    func send(to output: inout ATTOutput) {
        switch self {
        case .exchangeMTU(let mtu): output.send(ATT.ExchangeMTURequest(number: mtu))
        case .findInformation(let range): output.send(ATT.FindInformationRequest(range: range))
        case .findPrimaryServices(let range, let uuid):
            var octets: [UInt8] = []
            try? octets.append(encoding: uuid.attributeForm)
            output.send(
                ATT.FindByTypeValueRequest(range: range, type: GATTType.primaryServiceValue, value: octets.span))
        case .readByType(let range, let type): output.send(ATT.ReadByTypeRequest(range: range, type: type))
        case .readByGroupType(let range, let type): output.send(ATT.ReadByGroupTypeRequest(range: range, type: type))
        case .read(let handle): output.send(ATT.ReadRequest(handle: handle))
        case .readBlob(let handle, let offset):
            output.send(ATT.ReadBlobRequest(handle: handle, offset: UInt16(clamping: offset)))
        case .write(let handle, let value): output.send(ATT.WriteRequest(handle: handle, value: value.span))
        case .prepareWrite(let handle, let value, let part):
            output.send(
                ATT.PrepareWriteRequest(
                    handle: handle, offset: UInt16(clamping: part.lowerBound), value: value.span.extracting(part)))
        case .executeWrite(let writes): output.send(ATT.ExecuteWriteRequest(writes: writes))
        }
    }
}

/// What a client procedure wants next. Its errors end the procedure, never the bearer.
enum ClientStep<Output> {
    case send(ClientRequest)
    case finish(Output)
    case fail(GATTFailure)

    /// The peer's answer makes no sense: handles that do not advance, a wrong echo, too many octets.
    static var nonsense: Self { .fail(.attribute(ATT.ErrorCode.unlikelyError.rawValue)) }
    /// The peer's answer has a field of the wrong length.
    static var malformed: Self { .fail(.attribute(ATT.ErrorCode.invalidPDU.rawValue)) }

    /// The failure that an Error Response means. Code 0 is no error code, and must not read as success.
    static func refused(_ error: ATT.ErrorResponse) -> Self {
        .fail(.attribute(error.code.rawValue == 0 ? ATT.ErrorCode.unlikelyError.rawValue : error.code.rawValue))
    }
}

extension ClientStep: Equatable where Output: Equatable {}

/// One GATT procedure as a value: a request goes out, the matching response (or the Error Response to that request) comes in.
protocol ClientProcedure {
    associatedtype Output
    /// `mtu`: the current ATT_MTU, octets.
    mutating func start(mtu: Int) -> ClientStep<Output>
    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<Output>
}
