import BLEWire

/// Finds out whether the server supports enhanced bearers (Server Supported Features, Vol 3, Part G, 7.4), and tells it that this
/// client supports them, and several notifications in one PDU (Client Supported Features, 7.2). Its result is whether both worked.
struct EnhancedBearerSupport: ClientProcedure {
    private enum State {
        case server
        case client
        case announcing
    }

    private static let features: ClientFeatures = [.enhancedBearers, .multipleNotifications]
    private var state = State.server

    mutating func start(mtu: Int) -> ClientStep<Bool> { .send(.readByType(.all, GATTType.serverSupportedFeatures)) }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<Bool> {
        switch (state, packet) {
        case (.server, .readByTypeResponse(let response)):
            let value = response.value(at: 0)
            guard !value.isEmpty, value[0] & 1 != 0 else { return .finish(false) }
            state = .client
            return .send(.readByType(.all, GATTType.clientSupportedFeatures))
        case (.client, .readByTypeResponse(let response)):
            var value = [UInt8](response.value(at: 0))
            if value.isEmpty { value = [0] }
            let old = value[0]
            value[0] |= Self.features.rawValue
            // A bonded client has announced its features on an earlier link.
            guard value[0] != old else { return .finish(true) }
            state = .announcing
            return .send(.write(handle: response.handle(at: 0), value: value))
        case (.announcing, .writeResponse): return .finish(true)
        case (_, .errorResponse): return .finish(false)
        default: return .nonsense
        }
    }
}

extension GATTOperation {
    /// Whether the operation may run beside others: it changes nothing in the server, so that the order of execution does not
    /// matter, and can be repeated.
    var isShareable: Bool {
        switch self {
        case .read, .discoverServices, .discoverIncludedServices, .discoverCharacteristics, .discoverDescriptors: true
        case .write, .setNotify, .readRSSI: false
        }
    }
}
