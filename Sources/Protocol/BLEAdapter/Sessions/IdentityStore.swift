import BLEWire

/// Stores data about devices. Any thread may call its methods, which do not wait for a disk.
package protocol IdentityStore: PeerIdentification, AnyObject {
    /// Stores the names of a device that this host is connected to.
    func remember(_ address: DeviceAddress, _ names: PeerNames)

    /// Stores the identity address of a device (Vol 3, Part H, 3.6.5), which keeps its identifier.
    func learn(_ identity: DeviceAddress, of identifier: PeerIdentifier)

    /// The names of the stored devices, from this run and from earlier ones.
    var knownNames: [PeerIdentifier: PeerNames] { get }
}
