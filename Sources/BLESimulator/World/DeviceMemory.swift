import BLEAdapter
import BLERuntime
import BLEStore
import BLEVirtualRadio

/// What a ``VirtualDevice`` would have on its disk: the key of its identifiers, the names of devices it was connected to, and what
/// managers with a restore identifier did.
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

    /// What the device knows now. The copy does not change when the device goes on.
    public func copy() -> DeviceMemory { DeviceMemory(store: store.copy()) }
}
