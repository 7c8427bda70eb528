import BLEWire

/// The filter accept list (Vol 6, Part B, 4.3.1).
struct FilterAcceptList {
    let capacity: UInt8
    private var entries: [DeviceAddress] = []

    init(capacity: UInt8) { self.capacity = capacity }

    /// Whether the list has the device, by its identity or by the received address.
    func accepts(_ peer: PeerAddress) -> Bool {
        entries.contains(peer.device) || peer.isResolved && entries.contains(peer.onAir)
    }

    /// Whether the list has the entry of all anonymous advertisers (Vol 4, Part E, 7.8.16).
    var acceptsAnonymous: Bool { entries.contains(Self.anonymous) }

    private static let anonymous = DeviceAddress(kind: .anonymous, value: 0)

    /// The entry of an address. That of anonymous advertisers has none.
    private static func entry(_ address: DeviceAddress) throws(HCI.ErrorCode) -> DeviceAddress {
        if address.kind == .anonymous { return anonymous }
        guard address.kind.rawValue <= 1 else { throw .invalidHCICommandParameters }
        return address
    }

    /// A full list takes no other device (Vol 4, Part E, 7.8.16).
    mutating func add(_ address: DeviceAddress) throws(HCI.ErrorCode) {
        let address = try Self.entry(address)
        guard !entries.contains(address) else { return }
        guard entries.count < Int(capacity) else { throw .memoryCapacityExceeded }
        entries.append(address)
    }

    mutating func removeAll() { entries.removeAll() }

    /// - Parameter isInUse: Whether an active role filters by the list, so that it must not change (Vol 4, Part E, 7.8.15).
    mutating func handle(
        _ opcode: HCI.Opcode, _ parameters: Span<UInt8>, isInUse: Bool, _ host: inout HostInterface
    ) throws(HCI.ErrorCode) -> Bool {
        switch opcode {
        case .leClearFilterAcceptList:
            _ = try HCI.LEClearFilterAcceptList(from: parameters)
            guard !isInUse else { throw .commandDisallowed }
            removeAll()
        case .leAddDeviceToFilterAcceptList:
            let address = try HCI.LEAddDeviceToFilterAcceptList(from: parameters).address
            guard !isInUse else { throw .commandDisallowed }
            try add(address)
        case .leRemoveDeviceFromFilterAcceptList:
            let address = try HCI.LERemoveDeviceFromFilterAcceptList(from: parameters).address
            guard !isInUse else { throw .commandDisallowed }
            let entry = try Self.entry(address)
            entries.removeAll { $0 == entry }
        default: return false
        }
        host.complete(opcode, .success)
        return true
    }
}
