import BLEWire

/// Write Characteristic Value. Values above ATT_MTU - 3 octets use Write Long Characteristic Values (Vol 3, Part G,
/// 4.9.3 and 4.9.4), and the server's echo is checked.
struct ValueWrite: ClientProcedure {
    private enum State {
        case writing
        case preparing(Range<Int>)
        case executing
        /// The procedure cancels the prepared parts (Vol 3, Part F, 3.4.6.3). The failure is its result.
        case cancelling(GATTError)
    }

    private let handle: UInt16
    private let value: [UInt8]
    private var state = State.writing

    init(handle: UInt16, value: [UInt8]) {
        self.handle = handle
        self.value = value
    }

    mutating func start(mtu: Int) -> ClientStep<Void> {
        guard value.count <= ATT.maximumValueLength else { return .fail(.valueTooLong) }
        guard value.count > mtu - 3 else { return .send(.write(handle: handle, value: value)) }
        return prepare(from: 0, mtu)
    }

    private mutating func prepare(from offset: Int, _ mtu: Int) -> ClientStep<Void> {
        let part = offset..<min(value.count, offset + mtu - 5)
        state = .preparing(part)
        return .send(.prepareWrite(handle: handle, value: value, part: part))
    }

    private mutating func cancel(_ failure: GATTError) -> ClientStep<Void> {
        state = .cancelling(failure)
        return .send(.executeWrite(false))
    }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<Void> {
        switch (state, packet) {
        case (.writing, .writeResponse), (.executing, .executeWriteResponse): return .finish(())
        case (.writing, .errorResponse(let error)), (.executing, .errorResponse(let error)): return .refused(error)

        case (.preparing(let part), .prepareWriteResponse(let echo)):
            guard echo.handle == handle, Int(echo.offset) == part.lowerBound,
                echo.value.elementsEqual(value.span.extracting(part))
            else { return cancel(.attribute(ATT.ErrorCode.unlikelyError.rawValue)) }
            guard part.upperBound == value.count else { return prepare(from: part.upperBound, mtu) }
            state = .executing
            return .send(.executeWrite(true))
        case (.preparing(let part), .errorResponse(let error)):
            // The procedure has to drop only parts accepted before this one.
            if part.lowerBound > 0, case .fail(let failure) = ClientStep<Void>.refused(error) { return cancel(failure) }
            return .refused(error)

        case (.cancelling(let failure), _): return .fail(failure)
        default: return .nonsense
        }
    }
}
