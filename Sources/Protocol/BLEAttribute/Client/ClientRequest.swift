import BLEWire

/// A request of a client procedure. The bearer encodes it.
enum ClientRequest: Hashable, Sendable {
    case exchangeMTU(UInt16)
    case findInformation(HandleRange)
    /// The primary services with this UUID.
    case findPrimaryServices(HandleRange, BluetoothUUID)
    case readByType(HandleRange, BluetoothUUID)
    case readByGroupType(HandleRange, BluetoothUUID)
    case read(handle: UInt16)
    case readBlob(handle: UInt16, offset: Int)
    /// Two or more handles.
    case readMultipleVariable([UInt16])
    case write(handle: UInt16, value: [UInt8])
    /// The range `part` of the octets of `value`.
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
        case .readMultipleVariable: .readMultipleVariableRequest
        case .write: .writeRequest
        case .prepareWrite: .prepareWriteRequest
        case .executeWrite: .executeWriteRequest
        }
    }

    func send(to output: inout ATTOutput) {
        switch self {
        case .exchangeMTU(let mtu): output.send(ATT.ShortPDU(ATT.ExchangeMTURequest(number: mtu)))
        case .findInformation(let range): output.send(ATT.ShortPDU(ATT.FindInformationRequest(range: range)))
        case .findPrimaryServices(let range, let uuid):
            var octets: [UInt8] = []
            try? octets.append(encoding: uuid.attributeForm)
            output.send(
                ATT.FindByTypeValueRequest(range: range, type: GATTType.primaryServiceValue, value: octets.span))
        case .readByType(let range, let type): send(ATT.ReadByTypeRequest(range: range, type: type), to: &output)
        case .readByGroupType(let range, let type):
            send(ATT.ReadByGroupTypeRequest(range: range, type: type), to: &output)
        case .read(let handle): output.send(ATT.ShortPDU(ATT.ReadRequest(handle: handle)))
        case .readBlob(let handle, let offset):
            output.send(ATT.ReadBlobRequest(handle: handle, offset: UInt16(clamping: offset)))
        case .readMultipleVariable(let handles):
            var octets: [UInt8] = []
            for handle in handles { octets.append(littleEndian: handle) }
            output.send(ATT.ReadMultipleVariableRequest(octets: octets.span))
        case .write(let handle, let value): output.send(ATT.WriteRequest(handle: handle, value: value.span))
        case .prepareWrite(let handle, let value, let part):
            output.send(
                ATT.PrepareWriteRequest(
                    handle: handle, offset: UInt16(clamping: part.lowerBound), value: value.span.extracting(part)))
        case .executeWrite(let writes): output.send(ATT.ExecuteWriteRequest(writes: writes))
        }
    }

    private func send<P: ATTRangeTypePDU>(_ pdu: P, to output: inout ATTOutput) {
        if let short = ATT.ShortPDU(pdu) { output.send(short) } else { output.send(pdu) }
    }
}

/// The next step of a client procedure. A failure ends the procedure, never the bearer.
enum ClientStep<Output> {
    case send(ClientRequest)
    case finish(Output)
    case fail(GATTError)

    /// The peer's answer is inconsistent: handles that do not advance, a wrong echo or too many octets.
    static var nonsense: Self { .fail(.attribute(ATT.ErrorCode.unlikelyError.rawValue)) }
    /// A field of the peer's answer has a wrong length.
    static var malformed: Self { .fail(.attribute(ATT.ErrorCode.invalidPDU.rawValue)) }

    /// The failure for an Error Response. Code 0 is not an error code and must not count as success.
    static func refused(_ error: ATT.ErrorResponse) -> Self {
        .fail(.attribute(error.code.rawValue == 0 ? ATT.ErrorCode.unlikelyError.rawValue : error.code.rawValue))
    }
}

extension ClientStep: Equatable where Output: Equatable {}

/// One GATT procedure as a value. It sends a request and takes the matching response or Error Response.
protocol ClientProcedure {
    associatedtype Output
    /// `mtu`: the current ATT_MTU in octets.
    mutating func start(mtu: Int) -> ClientStep<Output>
    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<Output>
}
