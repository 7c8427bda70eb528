import BLEAdapter
import Dispatch
import Glibc
import Logging

/// The store of this user. All adapters of this process share it.
package enum ProcessStore {
    /// Read when the first adapter is created. Pending changes are written when the process exits.
    package static let shared: DeviceStore = {
        guard let directory = StoreDirectory.standard else {
            LibraryLog.logger().warning(
                """
                Neither XDG_STATE_HOME nor HOME names a directory: device identifiers and names are lost when this program \
                ends. Set one of them.
                """)
            return DeviceStore(key: .random)
        }
        atexit { ProcessStore.shared.flush() }
        return DeviceStore(directory: directory)
    }()
}
