import BLEWire

/// Reads several values, in as few requests as possible: Read Multiple Variable Length Characteristic Values (Vol 3, Part G, 4.8.5). A value that
/// the response cuts continues with Read Blob. A server without the request gets a Read for each value.
struct ValuesRead: ClientProcedure {
    private enum State {
        /// The values of the next handles, this many.
        case several(Int)
        case one(ValueRead)
    }

    private let handles: [UInt16]
    /// The complete values of the first handles.
    private var values: [[UInt8]] = []
    private var state = State.several(0)
    /// Whether the server has not refused Read Multiple Variable.
    private var usesLists = true
    /// The number of octets in a full response to the outstanding request.
    private var fullLength = 0

    init(handles: [UInt16]) { self.handles = handles }

    mutating func start(mtu: Int) -> ClientStep<[[UInt8]]> { ask(mtu) }

    /// Requests the next values.
    private mutating func ask(_ mtu: Int) -> ClientStep<[[UInt8]]> {
        let rest = handles[values.count...]
        guard let next = rest.first else { return .finish(values) }
        fullLength = mtu - 1
        let count = min(rest.count, fullLength / 2)
        guard usesLists, count > 1 else { return read(ValueRead(handle: next), mtu) }
        state = .several(count)
        return .send(.readMultipleVariable(Array(rest.prefix(count))))
    }

    private mutating func read(_ read: ValueRead, _ mtu: Int) -> ClientStep<[[UInt8]]> {
        var read = read
        let step = read.start(mtu: mtu)
        return follow(step, of: read, mtu)
    }

    /// Takes the next step of the read of one value.
    private mutating func follow(
        _ step: ClientStep<[UInt8]>, of read: ValueRead, _ mtu: Int
    ) -> ClientStep<[[UInt8]]> {
        state = .one(read)
        switch step {
        case .send(let request): return .send(request)
        case .finish(let value):
            values.append(value)
            return ask(mtu)
        case .fail(let failure): return .fail(failure)
        }
    }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<[[UInt8]]> {
        switch (state, packet) {
        case (.one(var read), _):
            let step = read.receive(packet, mtu: mtu)
            return follow(step, of: read, mtu)
        case (.several(let count), .readMultipleVariableResponse(let response)):
            return take(response.value, count, mtu)
        case (.several, .errorResponse(let error)):
            guard error.code == .requestNotSupported else { return .refused(error) }
            usesLists = false
            return ask(mtu)
        case (.several, _): return .nonsense
        }
    }

    /// Takes a list of lengths and values. A full response may end within a value, or before a length (Vol 3, Part F, 3.4.4.12).
    private mutating func take(_ list: Span<UInt8>, _ count: Int, _ mtu: Int) -> ClientStep<[[UInt8]]> {
        // The ATT_MTU may have grown since the request, and the peer may have used the old one for its answer.
        let mayBeCut = list.count >= min(fullLength, mtu - 1)
        let first = values.count
        var rest = list
        for _ in 0..<count {
            guard let length = try? rest.readUInt16() else {
                // The rest of the PDU may be too short for a length: the list ends one octet earlier then.
                guard list.count + 1 >= min(fullLength, mtu - 1), values.count > first else { return .malformed }
                return ask(mtu)
            }
            guard length <= ATT.maximumValueLength else {
                return .fail(.attribute(ATT.ErrorCode.invalidAttributeValueLength.rawValue))
            }
            guard Int(length) <= rest.count else {
                guard mayBeCut else { return .malformed }
                let handle = handles[values.count]
                let part = [UInt8](rest)
                return read(part.isEmpty ? ValueRead(handle: handle) : ValueRead(handle: handle, prefix: part), mtu)
            }
            values.append([UInt8](rest.extracting(first: Int(length))))
            rest = rest.extracting(droppingFirst: Int(length))
        }
        return rest.isEmpty ? ask(mtu) : .malformed
    }
}
