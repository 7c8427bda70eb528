import BLEAdapter
import BLEHostAdapter
import BLEStore
import BLEVirtualRadio

/// The persistent memory of a ``VirtualDevice``: the key of its identifiers, the names of connected devices, the state of
/// managers with a restore identifier, and bonds.
///
/// To test a program after a crash, copy the memory, remove the device, and add it again with the copy:
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

    /// A copy of the current content. Later changes of the device do not affect it.
    public func copy() -> DeviceMemory { DeviceMemory(store: store.copy()) }
}
