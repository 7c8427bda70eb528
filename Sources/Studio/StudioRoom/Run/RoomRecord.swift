import Phrases

/// What determines a room: its world, and the commands of its user. A run of it repeats all packets.
package struct RoomRecord: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        /// Virtual nanoseconds since the room began.
        package var time: Int64
        package var change: WorldFile.Event.Change
        /// Whether it is an event of the world, which a command before it leaves there.
        package var isPlanned: Bool
        /// Whether it failed when the user gave it. It fails again in each run, and no file has it.
        package var hasFailed = false

        package init(time: Int64, change: WorldFile.Event.Change, isPlanned: Bool = false) {
            self.time = time
            self.change = change
            self.isPlanned = isPlanned
        }
    }

    /// The scene of a room that was opened from a file.
    package static let fileScene = "file"

    package var scene: String
    /// The room at time zero, with its seed. Its events are in `entries`.
    package var world: WorldFile
    /// The present of the room in virtual nanoseconds.
    package var now: Int64
    /// In the order of their times.
    package var entries: [Entry]

    package init(scene: String, world: WorldFile, now: Int64 = 0, entries: [Entry] = []) {
        self.scene = scene
        self.world = world
        self.now = now
        self.entries = entries
    }

    /// A world at time zero, whose events are still to come.
    package init(scene: String = Self.fileScene, opening world: WorldFile) {
        self.init(scene: scene, world: world)
        entries = world.events.map {
            Entry(time: $0.time.wholeNanoseconds, change: $0.change, isPlanned: true)
        }
        self.world.events = []
    }

    /// The name of the world; nil for a scene.
    package var title: String? { scene == Self.fileScene ? world.name ?? "" : nil }
}

extension PhrasedError {
    static let disorder = PhrasedError(
        "record", Phrase("The commands of the kept room are not in order.", "保存的房间中，命令的顺序不正确。"))

    static let tooLate = PhrasedError(
        "record", Phrase("A room runs for at most 30 days, and an event is later.", "房间最多运行 30 天，而有一个事件更晚。"))

    static let noFormerRoom = PhrasedError(
        "no-former-room", Phrase("There is no room before this one.", "在此之前没有别的房间。"))
}
