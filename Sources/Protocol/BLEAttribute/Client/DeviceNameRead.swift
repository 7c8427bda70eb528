import BLEWire

/// Reads the GAP device name by its UUID (Vol 3, Part C, 12.1; Part G, 4.8.2). Reads the rest of a long name by handle.
struct DeviceNameRead: ClientProcedure {
    private enum State {
        case byType(fullLength: Int)
        case rest(ValueRead)
    }

    private var state = State.byType(fullLength: 0)

    mutating func start(mtu: Int) -> ClientStep<[UInt8]> {
        // The response has an opcode and a length of one octet each, and a handle before the value (Vol 3, Part F,
        // 3.4.4.2).
        state = .byType(fullLength: min(mtu - 4, 253))
        return .send(.readByType(.all, GATTType.deviceName))
    }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<[UInt8]> {
        switch (state, packet) {
        case (.byType(let fullLength), .readByTypeResponse(let response)):
            let name = [UInt8](response.value(at: 0))
            guard !name.isEmpty, name.count >= fullLength else { return .finish(name) }
            var read = ValueRead(handle: response.handle(at: 0), prefix: name)
            let step = read.start(mtu: mtu)
            state = .rest(read)
            return step
        case (.byType, .errorResponse(let error)): return .refused(error)
        case (.rest(var read), _):
            let step = read.receive(packet, mtu: mtu)
            state = .rest(read)
            return step
        default: return .nonsense
        }
    }
}
