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
    private let lesson: LessonPart

    /// - Parameter controller: The controller of the machine's adapter, as in `BLUETOOTH_CONTROLLER`, which the caller has set. Nil leaves the
    ///   machine's Bluetooth alone.
    package init(controller: String? = nil) {
        let explorers = ExplorerDirectory(hub)
        let programs =
            WorldProgramKind.standard + ProfilePrograms.all + [ExplorerProgram.kind(explorers)] + Lesson.programs
        let scenes = RoomScene.standard + Lesson.scenes.map(\.roomScene)
        do {
            room = try RoomService(hub, programs: programs, scenes: scenes)
        } catch {
            preconditionFailure("The first scene cannot begin: \(error)")
        }
        self.explorers = explorers
        adapterExplorer = controller.map { AdapterExplorer($0, on: AdapterBinding.current(), explorers) }
        explorers.setRoom { [room] device, action, arguments in
            _ = try await room.perform(.act(device: device, action: action, with: arguments))
        }
        let engine = room.engine
        lesson = LessonPart(engine: engine, hub: hub)
        let packets = PacketViews {
            try await engine.perform { $0.timeline.roomPackets }
        } hci: { device in
            try await engine.perform { try $0.timeline.hciRecording(of: device) }
        }
        packets.register(on: hub)
        MakerCommands.register(on: hub, hasAdapter: controller != nil)
    }
}
