internal import BLERuntime
import BLEAdapter
import Foundation

/// A remote device: a ``CBPeripheral`` or a ``CBCentral``.
open class CBPeer: NSObject, NSCopying {
    /// Computes the identifier at its first use; nil if it is known.
    private let advertisement: DiscoveryContent?
    private let known: PeerIdentifier

    init(peer: PeerIdentifier) {
        known = peer
        advertisement = nil
        super.init()
    }

    init(advertisement: DiscoveryContent) {
        known = PeerIdentifier(high: 0, low: 0)
        self.advertisement = advertisement
        super.init()
    }

    final var peer: PeerIdentifier { advertisement?.identifier ?? known }

    /// The identifier of the device on this machine: a random UUID that is the same in each run of any program. It does not reveal
    /// the device's address.
    open var identifier: UUID { peer.uuid }

    /// Returns the object itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
