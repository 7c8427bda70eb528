import BLEWire

/// Finds a characteristic's client configuration and writes it (Vol 3, Part G, 3.3.3.3, 4.10 and 4.11).
struct Subscription: ClientProcedure {
    private enum State {
        case finding(DescriptorDiscovery)
        case writing
    }

    let valueHandle: UInt16
    /// The last handle of the characteristic.
    let end: UInt16
    let mode: GATTOperation.NotifyMode
    /// The handle of the client characteristic configuration, if it is known.
    private(set) var configurationHandle: UInt16?
    private var state: State

    init(valueHandle: UInt16, end: UInt16, mode: GATTOperation.NotifyMode) {
        self.valueHandle = valueHandle
        self.end = end
        self.mode = mode
        state = .finding(DescriptorDiscovery(after: valueHandle, end: end, first: GATTType.clientConfiguration))
    }

    /// Writes the configuration with this handle without a search.
    mutating func skipSearch(_ handle: UInt16) {
        configurationHandle = handle
        state = .writing
    }

    private var configuration: [UInt8] {
        switch mode {
        case .off: [0, 0]
        case .notification: [1, 0]
        case .indication: [2, 0]
        }
    }

    mutating func start(mtu: Int) -> ClientStep<Void> {
        if let configurationHandle { return .send(.write(handle: configurationHandle, value: configuration)) }
        guard case .finding(var search) = state else { return .nonsense }
        let step = search.start(mtu: mtu)
        return advance(search, step)
    }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<Void> {
        switch state {
        case .finding(var search):
            let step = search.receive(packet, mtu: mtu)
            return advance(search, step)
        case .writing:
            switch packet {
            case .writeResponse: return .finish(())
            case .errorResponse(let error): return .refused(error)
            default: return .nonsense
            }
        }
    }

    private mutating func advance(
        _ search: DescriptorDiscovery, _ step: ClientStep<[DiscoveredDescriptor]>
    ) -> ClientStep<Void> {
        switch step {
        case .send(let request):
            state = .finding(search)
            return .send(request)
        case .fail(let failure): return .fail(failure)
        case .finish(let found):
            guard let descriptor = found.first else {
                return .fail(.attribute(ATT.ErrorCode.attributeNotFound.rawValue))
            }
            configurationHandle = descriptor.handle
            state = .writing
            return .send(.write(handle: descriptor.handle, value: configuration))
        }
    }
}
