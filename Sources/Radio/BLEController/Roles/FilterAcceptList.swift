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

    /// A full list takes no other device (Vol 4, Part E, 7.8.16).
    mutating func add(_ address: DeviceAddress) -> HCI.ErrorCode {
        guard address.kind.rawValue <= 1 else { return .invalidHCICommandParameters }
        guard !entries.contains(address) else { return .success }
        guard entries.count < Int(capacity) else { return .memoryCapacityExceeded }
        entries.append(address)
        return .success
    }

    mutating func remove(_ address: DeviceAddress) { entries.removeAll { $0 == address } }

    mutating func removeAll() { entries.removeAll() }
}
