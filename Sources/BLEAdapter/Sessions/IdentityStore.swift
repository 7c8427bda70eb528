import BLEWire

/// Maps the addresses of devices to identifiers of this host's own making, and back. Both are look-ups without an effect.
package protocol PeerIdentification: Sendable {
    /// The identifier of the device with this address: the same in every run.
    func identifier(for address: DeviceAddress) -> PeerIdentifier

    /// The address behind an identifier; nil if this host did not make it.
    func address(of identifier: PeerIdentifier) -> DeviceAddress?
}

/// Keeps what a host knows of devices. Every thread may call it; no call waits for a disk.
package protocol IdentityStore: PeerIdentification, AnyObject {
    /// Keeps the names of a device that this host is connected to.
    func remember(_ address: DeviceAddress, _ names: PeerNames)

    /// From now on the device with this identifier has `identity` as its address, too.
    func learn(_ identity: DeviceAddress, of identifier: PeerIdentifier)

    /// The names of the devices that are kept, from this run and from earlier ones.
    var knownNames: [PeerIdentifier: PeerNames] { get }
}

/// What a device is called.
package struct PeerNames: Hashable, Sendable {
    /// The name in its GAP service.
    package var deviceName: String?
    package var advertisedName: String?
    package init(deviceName: String? = nil, advertisedName: String? = nil) {
        self.deviceName = deviceName
        self.advertisedName = advertisedName
    }
}
