import BLEAdapter
import BLERuntime
import StudioRoom
import StudioServer

/// The parts of the studio behind the page.
package final class Studio: Sendable {
    package let hub = StudioHub()
    package let room: RoomService
    package let explorers: ExplorerDirectory
    /// The explorer on the machine's adapter; nil unless the command names a controller.
    private let adapterExplorer: AdapterExplorer?

    /// - Parameter controller: The controller of the explorer on a real adapter, as in `BLUETOOTH_CONTROLLER`, which the caller has set.
    package init(controller: String? = nil) {
        let explorers = ExplorerDirectory(hub)
        do {
            room = try RoomService(
                hub, programs: RoomProgramKind.standard + [ExplorerProgram.kind(explorers)],
                scenes: RoomScene.standard)
        } catch {
            preconditionFailure("The first scene cannot begin: \(error)")
        }
        explorers.setRoom { [room] device, action, arguments in
            _ = try await room.perform(.act(device: device, action: action, with: arguments))
        }
        self.explorers = explorers
        adapterExplorer = controller.map { AdapterExplorer($0, on: AdapterBinding.current(), explorers) }
    }
}
