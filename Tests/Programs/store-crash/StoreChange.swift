import BLEAdapter
import BLESecurity
import BLEStore
import BLEWire

/// Changes of a store, each of which one write puts on the disk.
package enum StoreChange: String, CaseIterable, Sendable {
    /// The first bond, with the first identity key of the host.
    case firstBond
    /// Other keys for one bond, the removal of another one, and octets of a third.
    case bonds
    /// Names of devices, and the state of a manager.
    case names

    package static func address(_ number: UInt64) -> DeviceAddress {
        DeviceAddress(kind: .random, value: 0xC000_0000_0000 | number)
    }

    /// A bond whose keys all derive from `keys`.
    package static func bond(_ number: UInt64, keys: UInt128) -> Bond {
        Bond(
            peer: address(number),
            security: LinkSecurity(keySize: 16, isAuthenticated: true, isSecureConnections: true, isBonded: true),
            usesDebugKeys: false,
            localKey: StoredKey(key: LongTermKey(value: keys &+ 1), diversifier: 0, random: 0),
            peerKey: StoredKey(key: LongTermKey(value: keys &+ 2), diversifier: 3, random: 4),
            peerIdentityKey: IdentityResolvingKey(value: keys &+ 5), localSignatureKey: SignatureKey(value: keys &+ 6),
            peerSignatureKey: nil, linkKey: ClassicLinkKey(value: keys &+ 7))
    }

    /// Creates the content before the change.
    package func prepare(_ store: DeviceStore) {
        guard self != .firstBond else { return }
        store.remember(Self.address(1), PeerNames(deviceName: "One"))
        store.keep(
            CentralRestoration(connections: [
                .init(peer: PeerIdentifier(high: 1, low: 2), reconnectsAutomatically: false)
            ]), of: "manager")
        store.bonds.localIdentityKey = IdentityResolvingKey(value: 99)
        for number in 1...3 as ClosedRange<UInt64> { store.bonds.keep(Self.bond(number, keys: UInt128(number) << 64)) }
        store.bonds.keep([1, 2, 3], as: .clientState, of: Self.address(2))
        store.bonds.keep([4, 5], as: .attributeCache, of: Self.address(3))
    }

    package func apply(to store: DeviceStore) {
        switch self {
        case .firstBond:
            store.bonds.localIdentityKey = IdentityResolvingKey(value: 77)
            store.bonds.keep(Self.bond(1, keys: 1000))
        case .bonds:
            store.bonds.keep(Self.bond(1, keys: 1000))
            store.bonds.remove(Self.address(2))
            store.bonds.keep(Array(repeating: 9, count: 500), as: .attributeCache, of: Self.address(3))
        case .names:
            store.remember(Self.address(1), PeerNames(deviceName: "Renamed"))
            store.remember(Self.address(2), PeerNames(deviceName: "Two"))
            store.keep(nil as CentralRestoration?, of: "manager")
        }
    }
}
