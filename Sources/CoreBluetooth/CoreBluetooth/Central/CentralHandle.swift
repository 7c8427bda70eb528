internal import BLERuntime
internal import BLEWire
import BLEAdapter

/// The reference of peripherals and of the dispatcher to the core of a central manager.
///
/// The adapter has a weak reference to the core, which makes each strong one expensive. Each report and each peripheral has some, so they have
/// references to this object instead.
final class CentralHandle: PeripheralOwner, @unchecked Sendable {
    let core: CentralCore

    init(_ core: CentralCore) { self.core = core }

    var dispatcher: CallbackDispatcher { core.dispatcher }
    var session: (any CentralSession)? { core.session }
    var hasManager: Bool { core.hasManager }

    func connectionRequested(_ peripheral: CBPeripheral, reconnectsAutomatically: Bool) {
        core.connectionRequested(peripheral, reconnectsAutomatically: reconnectsAutomatically)
    }
    func connectionEnded(_ peer: PeerIdentifier) { core.connectionEnded(peer) }
    func peripheralReleased(_ peer: AdvertiserIdentity, _ object: ObjectIdentifier, requested: PeerIdentifier?) {
        core.peripheralReleased(peer, object, requested: requested)
    }
}
