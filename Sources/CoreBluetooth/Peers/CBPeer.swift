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

    /// The identifier of the device on this machine: a random UUID that is the same in each run of any program. It does not reveal
    /// the device's address.
    open var identifier: UUID { peer.uuid }

    /// Returns the object itself.
    open func copy(with zone: NSZone? = nil) -> Any { self }
}
