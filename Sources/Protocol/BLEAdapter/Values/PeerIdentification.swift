import BLEWire

/// Maps the addresses of devices to the identifiers of this host, and back. Both directions are look-ups without an
/// effect.
package protocol PeerIdentification: Sendable {
    /// The identifier of the device with this address. It is the same in every run.
    func identifier(for address: DeviceAddress) -> PeerIdentifier

    /// The address of an identifier; nil if this host did not create the identifier.
    func address(of identifier: PeerIdentifier) -> DeviceAddress?

    /// The peer with this address. An adapter reports its advertisers with these identities.
    func identity(for address: DeviceAddress) -> AdvertiserIdentity

    /// The peer with an identifier.
    func identity(of identifier: PeerIdentifier) -> AdvertiserIdentity

    /// The identifier that is computed from an address, even if the device has another one.
    func computedIdentifier(for address: DeviceAddress) -> PeerIdentifier
}

// For identifiers that cost little.
extension PeerIdentification {
    package func identity(for address: DeviceAddress) -> AdvertiserIdentity {
        AdvertiserIdentity(identifier(for: address))
    }
    package func identity(of identifier: PeerIdentifier) -> AdvertiserIdentity { AdvertiserIdentity(identifier) }
    package func computedIdentifier(for address: DeviceAddress) -> PeerIdentifier { identifier(for: address) }
}
