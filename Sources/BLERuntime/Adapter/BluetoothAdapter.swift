import BLEWire
import Dispatch

/// What the façade sees of Bluetooth: GAP and GATT operations on peers, never HCI. `HostAdapter` implements it over our
/// own host; a system daemon or a remote machine can stand in its place.
///
/// Threads: every session method may be called from any thread and returns at once; calls are carried out in the order
/// of their arrival on the adapter's own serial executor. Observers are called on that executor, in order, and must not
/// block. Methods that return a value take a lock or hop synchronously; they never wait for the peer.
package protocol BluetoothAdapter: AnyObject, Sendable {
    /// Opens a session of the central role. The observer's first call is `adapterStateChanged`, some milliseconds after this
    /// method returns. The session holds the observer weakly. Releasing the session ends its scan and connections.
    func openCentral(observer: any CentralObserver) -> any CentralSession

    /// Opens a session of the peripheral role; same rules.
    func openPeripheral(observer: any PeripheralObserver) -> any PeripheralSession

    /// Where managers with a restore identifier keep what they do; nil: nowhere.
    var restorationStore: (any RestorationStore)? { get }

    /// Gives the device another GAP device name (2A00). An adapter without a name of its own ignores it.
    func rename(_ name: String)

    /// Runs a delegate callback on `queue`, in order. Virtual time stands still from this call until `body` returned.
    func deliver(on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void)

    /// The same with a block that is there already, which a queue takes without an allocation.
    func deliver(block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue)

    /// Delivers what no queue can carry, such as an event for a run loop: calls `start`, in its turn among the callbacks, on
    /// a thread that must not be blocked. If `start` gets a `done`, virtual time stands still until that is called, once.
    func deliver(handing start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void)
}

extension BluetoothAdapter {
    package func deliver(block: @escaping @Sendable @convention(block) () -> Void, on queue: DispatchQueue) {
        deliver(on: queue) { block() }
    }

    package func deliver(handing start: @escaping @Sendable (_ done: (@Sendable () -> Void)?) -> Void) { start(nil) }
}

extension BluetoothAdapter {
    package var restorationStore: (any RestorationStore)? { nil }
    package func rename(_ name: String) {}
}

/// The state of the adapter, in the terms of CBManagerState.
package enum AdapterState: Int, Sendable {
    case unknown, resetting, unsupported, unauthorized, poweredOff, poweredOn
}

/// The identifier by which this host knows a device; the same in every run, and no way from it to the address
/// for others.
package struct PeerIdentifier: Hashable, Sendable {
    package let high: UInt64
    package let low: UInt64
    package init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// What the adapter knows of a peer without asking it.
package struct PeerRecord: Hashable, Sendable {
    package var identifier: PeerIdentifier
    /// The GAP device name if it is known, else the last name advertised.
    package var name: String?
    package init(identifier: PeerIdentifier, name: String?) {
        self.identifier = identifier
        self.name = name
    }
}

/// How the connection of one session ended.
package enum LinkEnd: Hashable, Sendable {
    /// This session cancelled the connection, or its attempt at one.
    case cancelled
    /// Something else ended the link.
    case failed(LinkFailure)
}

/// Why a link or an attempt ended that its session did not cancel.
package enum LinkFailure: Error, Hashable, Sendable {
    /// The peer ended the link.
    case endedByPeer
    /// Nothing was heard for the supervision timeout, or this side lost the link in another way.
    case supervisionTimeout
    /// The peer left a request unanswered for 30 s, and this host ended the link.
    case attributeTimeout
    /// The peer broke the attribute protocol, and this host ended the link.
    case protocolViolation
    /// This host ended the link, though this session still used it.
    case endedByHost
    /// The link could not be established (HCI error 0x3E and the like).
    case establishmentFailed
    /// The controller has no room for another link.
    case limitReached
    /// The adapter went away or was reset.
    case adapterLost
    /// Any other controller error code (Vol 1, Part F).
    case controller(UInt8)
}
