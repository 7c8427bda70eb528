#if !canImport(Darwin)
internal import BLERuntime
import BLEAdapter
import Foundation

/// A remote device: a ``CBPeripheral`` or a ``CBCentral``.
open class CBPeer: NSObject, NSCopying {
    let peer: PeerIdentifier

    init(peer: PeerIdentifier) {
        self.peer = peer
        super.init()
    }

    /// The identifier under which this machine knows the device: a random UUID, the same in each run of any program, and never
    /// the device's address.
    open var identifier: UUID { peer.uuid }

    /// The object itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
#endif
