import BLEAdapter
import BLERuntime
import BLEVirtualRadio

/// The storage of a ``VirtualDevice``: the key of its identifiers, the names of devices it was connected to, and the state of
/// managers with a restore identifier.
///
/// A test of what a program does after a crash copies the memory, removes the device, and adds it again with the copy:
///
/// ```swift
/// let memory = gateway.memory.copy()
/// gateway.remove()
/// let restarted = world.addDevice("gateway", memory: memory)
/// let program = restarted.run { Gateway() }      // its managers get willRestoreState
/// ```
public final class DeviceMemory: Sendable {
    let store: DeviceStore

    init(store: DeviceStore) { self.store = store }

    /// A copy of the present memory. It does not change when the device does.
    public func copy() -> DeviceMemory { DeviceMemory(store: store.copy()) }
}
