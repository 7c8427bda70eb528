import BLEWire

/// Knows each device by an identifier of this host's own making. May be asked from any thread; nothing waits for a disk.
package protocol IdentityStore: AnyObject, Sendable {
    /// The identifier of the device with this address: the same in every run.
    func identifier(for address: DeviceAddress) -> PeerIdentifier

    /// The address behind an identifier; nil if this host did not make it.
    func address(of identifier: PeerIdentifier) -> DeviceAddress?

    /// Keeps what is known of a device that this host is connected to.
    func remember(_ address: DeviceAddress, _ names: PeerNames)

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
