import BLEWire

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

    /// Opens a session for pairing and bonds. The session holds the observer weakly. Releasing it ends its agent.
    func openPairing(observer: any PairingObserver) -> any PairingSession

    /// Where managers with a restore identifier keep what they do; nil: nowhere.
    var restorationStore: (any RestorationStore)? { get }

    /// Gives the device another GAP device name (2A00). An adapter without a name of its own ignores it.
    func rename(_ name: String)

    /// Runs callbacks in step with this adapter's clock; nil: callbacks go straight to their queues.
    var callbackScheduler: (any CallbackScheduling)? { get }
}

extension BluetoothAdapter {
    package var restorationStore: (any RestorationStore)? { nil }
    package var callbackScheduler: (any CallbackScheduling)? { nil }
    package func rename(_ name: String) {}
    package func openPairing(observer: any PairingObserver) -> any PairingSession {
        UnsupportedPairing(observer: observer)
    }
}
