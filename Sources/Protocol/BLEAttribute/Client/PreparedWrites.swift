import BLEWire

/// Writes values in parts, which the server applies together: Write Long Characteristic Values and Reliable Writes (Vol 3, Part G, 4.9.4 and
/// 4.9.5). It checks the server's echo of each part, and cancels the prepared parts if one differs or is refused.
struct PreparedWrites: ClientProcedure {
    private enum State {
        /// The outstanding part of the value with this index.
        case preparing(Int, Range<Int>)
        case executing
        /// The procedure cancels the prepared parts (Vol 3, Part F, 3.4.6.3). The failure is its result.
        case cancelling(GATTError)
    }

    private let values: [AttributeValue]
    private var state = State.executing

    init(_ values: [AttributeValue]) { self.values = values }

    mutating func start(mtu: Int) -> ClientStep<Void> {
        guard values.allSatisfy({ $0.value.count <= ATT.maximumValueLength }) else { return .fail(.valueTooLong) }
        return values.isEmpty ? .finish(()) : prepare(0, from: 0, mtu)
    }

    private mutating func prepare(_ index: Int, from offset: Int, _ mtu: Int) -> ClientStep<Void> {
        let value = values[index].value
        let part = offset..<min(value.count, offset + mtu - 5)
        state = .preparing(index, part)
        return .send(.prepareWrite(handle: values[index].handle, value: value, part: part))
    }

    /// Continues after an accepted part.
    private mutating func prepareNext(after index: Int, _ end: Int, _ mtu: Int) -> ClientStep<Void> {
        if end < values[index].value.count { return prepare(index, from: end, mtu) }
        if index + 1 < values.count { return prepare(index + 1, from: 0, mtu) }
        state = .executing
        return .send(.executeWrite(true))
    }

    private mutating func cancel(_ failure: GATTError) -> ClientStep<Void> {
        state = .cancelling(failure)
        return .send(.executeWrite(false))
    }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<Void> {
        switch (state, packet) {
        case (.preparing(let index, let part), .prepareWriteResponse(let echo)):
            let value = values[index].value
            guard echo.handle == values[index].handle, Int(echo.offset) == part.lowerBound,
                echo.value.elementsEqual(value.span.extracting(part))
            else { return cancel(.attribute(ATT.ErrorCode.unlikelyError.rawValue)) }
            return prepareNext(after: index, part.upperBound, mtu)
        case (.preparing(let index, let part), .errorResponse(let error)):
            // The procedure has to drop only parts accepted before this one.
            if index > 0 || part.lowerBound > 0, case .fail(let failure) = ClientStep<Void>.refused(error) {
                return cancel(failure)
            }
            return .refused(error)

        case (.executing, .executeWriteResponse): return .finish(())
        case (.executing, .errorResponse(let error)): return .refused(error)
        case (.cancelling(let failure), _): return .fail(failure)
        default: return .nonsense
        }
    }
}
