import BLEWire

/// Write Characteristic Value. Values above ATT_MTU - 3 octets use Write Long Characteristic Values (Vol 3, Part G,
/// 4.9.3 and 4.9.4).
struct ValueWrite: ClientProcedure {
    private enum State {
        case writing
        // Indirect, so that the frequent state stays small.
        indirect case prepared(PreparedWrites)
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
        var writes = PreparedWrites([AttributeValue(handle: handle, value: value)])
        defer { state = .prepared(writes) }
        return writes.start(mtu: mtu)
    }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<Void> {
        switch (state, packet) {
        case (.writing, .writeResponse): return .finish(())
        case (.writing, .errorResponse(let error)): return .refused(error)
        case (.writing, _): return .nonsense
        case (.prepared(var writes), _):
            defer { state = .prepared(writes) }
            return writes.receive(packet, mtu: mtu)
        }
    }
}
