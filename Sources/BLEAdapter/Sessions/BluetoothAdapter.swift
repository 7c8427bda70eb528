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
