import BLEAdapter
import BLERuntime
import StudioServer

/// The parts of the studio behind the page.
package final class Studio: Sendable {
    package let hub = StudioHub()
    package let explorers: ExplorerDirectory
    /// The explorer on the machine's adapter; nil unless the command names a controller.
    private let adapterExplorer: AdapterExplorer?

    /// - Parameter controller: The controller of the explorer on a real adapter, as in `BLUETOOTH_CONTROLLER`, which the caller has set.
    package init(controller: String? = nil) {
        let explorers = ExplorerDirectory(hub)
        self.explorers = explorers
        adapterExplorer = controller.map { AdapterExplorer($0, on: AdapterBinding.current(), explorers) }
        Maker.register(on: hub, hasAdapter: controller != nil)
    }
}
