import BLEAdapter
import BLERuntime
import StudioRoom
import StudioServer

/// The parts of the studio behind the page.
package final class Studio: Sendable {
    /// What the names of the lesson's topics, streams, commands and files begin with.
    package static let lessonPrefix = "lesson."
    /// What the names of its explorers begin with.
    static let lessonExplorers = "lesson-"

    package let hub = StudioHub()
    package let room: RoomService
    /// The world of the lessons and the questions: opening one leaves the room alone.
    package let lessonRoom: RoomService
    package let explorers: ExplorerDirectory
    /// The explorer on the machine's adapter; nil unless the command names a controller.
    private let adapterExplorer: AdapterExplorer?
    private let lesson: LessonPart
    private let keeper: RoomKeeper

    /// - Parameters:
    ///   - controller: The controller of the machine's adapter, as in `BLUETOOTH_CONTROLLER`, which the caller has set. Nil leaves the machine's
    ///     Bluetooth alone.
    ///   - checkout: The folder of the package that the studio was built in; nil if it was installed.
    ///   - file: The file that keeps the room; nil lets the room end with the studio.
    ///   - capture: A capture file whose packets the page shows beside those of the room.
    package init(
        controller: String? = nil, file: RoomFile? = nil, checkout: String? = nil, capture: OpenedCapture? = nil
    ) {
        let explorers = ExplorerDirectory(hub)
        let keeper = RoomKeeper(file, hub)
        let hub = hub
        do {
            room = try RoomService(
                hub, programs: Self.programs(explorers, world: ""), scenes: Self.scenes
            ) { keeper.note($0) }
            lessonRoom = try RoomService(
                hub, prefix: Self.lessonPrefix, programs: Self.programs(explorers, world: Self.lessonExplorers),
                scenes: Lesson.scenes.map(\.roomScene), isOwn: false
            ) { [weak hub] changes in
                if changes.time || changes.room || changes.happened { hub?.touch("lesson") }
            }
        } catch {
            preconditionFailure("The first scene cannot begin: \(error)")
        }
        self.explorers = explorers
        self.keeper = keeper
        adapterExplorer = controller.map { AdapterExplorer($0, on: AdapterBinding.current(), explorers) }
        explorers.setRoom { [room, lessonRoom] explorer, action, arguments in
            let isLesson = explorer.hasPrefix(Self.lessonExplorers)
            let device = isLesson ? String(explorer.dropFirst(Self.lessonExplorers.count)) : explorer
            _ = try await (isLesson ? lessonRoom : room).perform(.act(device: device, action: action, with: arguments))
        }
        lesson = LessonPart(engine: lessonRoom.engine, hub: hub, checkout: checkout)
        for world in [room, lessonRoom] {
            let engine = world.engine
            let packets = PacketViews {
                try await engine.perform { $0.timeline.roomPackets }
            } hci: { device in
                try await engine.perform { try $0.timeline.hciRecording(of: device) }
            }
            packets.register(on: hub, prefix: world.prefix)
        }
        MakerCommands.register(on: hub, hasAdapter: controller != nil)
        CaptureCommands.register(capture, on: hub)
    }

    private static let scenes = RoomScene.standard + Lesson.scenes.map(\.roomScene)

    private static func programs(_ explorers: ExplorerDirectory, world: String) -> [WorldProgramKind] {
        WorldProgramKind.standard + ProfilePrograms.all + [ExplorerProgram.kind(explorers, world: world)]
            + Lesson.programs
    }

    /// Begins the room that the file keeps, at the moment that it had reached.
    ///
    /// - Parameter isFormer: Whether the caller begins another room: the kept one is then the room before it.
    package func restore(asFormer isFormer: Bool = false) async {
        await keeper.restore(room, scenes: Self.scenes, asFormer: isFormer)
    }

    /// Keeps the room, and ends.
    package func end() async { await keeper.end() }
}
