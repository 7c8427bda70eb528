import BLEAdapter
import SystemBus

/// A part of the adapter with objects or calls of its own. Used on the adapter's scheduler.
protocol BlueZRole: AnyObject {
    /// The adapter is powered on. `objects` is what bluetoothd has, and `adapter` the path of the adapter.
    func begin(on bus: any Bus, adapter: String, _ objects: BlueZObjects)
    /// The adapter has another state than powered on: nothing that was asked of bluetoothd holds any more.
    func end(_ state: AdapterState)
    /// bluetoothd changed an object, while the adapter is powered on.
    func apply(_ change: BlueZObjects.Change, _ objects: BlueZObjects)
}
