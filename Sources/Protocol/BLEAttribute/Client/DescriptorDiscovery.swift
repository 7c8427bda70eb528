import BLEWire

/// Discover All Characteristic Descriptors (Vol 3, Part G, 4.7.1), or the first of one type.
struct DescriptorDiscovery: ClientProcedure {
    private let end: UInt16
    private let wanted: BluetoothUUID?
    /// Nil after the end of the search.
    private var next: UInt16?
    private var found: [DiscoveredDescriptor] = []

    /// `after` is the characteristic's value handle, and `end` its last handle. With `first` the search ends at the
    /// first descriptor of that type.
    init(after: UInt16, end: UInt16, first wanted: BluetoothUUID? = nil) {
        self.end = end
        self.wanted = wanted
        next = after < end ? after + 1 : nil
    }

    mutating func start(mtu: Int) -> ClientStep<[DiscoveredDescriptor]> { ask() }

    private func ask() -> ClientStep<[DiscoveredDescriptor]> {
        guard let next else { return .finish(found) }
        return .send(.findInformation(HandleRange(start: next, end: end)))
    }

    mutating func receive(_ packet: ATT.Packet, mtu: Int) -> ClientStep<[DiscoveredDescriptor]> {
        switch packet {
        case .findInformationResponse(let response):
            for index in 0..<response.count {
                let entry = response[index]
                guard let first = next, entry.handle >= first, entry.handle <= end else { return .nonsense }
                // A declaration begins the next characteristic (Vol 3, Part G, 3.3): the caller's `end` was an
                // estimate.
                guard !GATTType.isDeclaration(entry.uuid) else { return .finish(found) }
                if let wanted {
                    if entry.uuid == wanted { return .finish([entry]) }
                } else {
                    found.append(entry)
                }
                next = entry.handle < end ? entry.handle + 1 : nil
                if next == nil { break }
            }
            return ask()
        case .errorResponse(let error):
            return error.code == .attributeNotFound ? .finish(found) : .refused(error)
        default: return .nonsense
        }
    }
}
