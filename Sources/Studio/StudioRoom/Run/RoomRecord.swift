import Phrases

/// What determines a room: its scene, its seed, and the commands of its user. A run of it repeats all packets.
package struct RoomRecord: Hashable, Codable, Sendable {
    package struct Entry: Hashable, Codable, Sendable {
        /// Virtual nanoseconds since the room began.
        package var time: Int64
        package var command: RoomCommand

        package init(time: Int64, command: RoomCommand) {
            self.time = time
            self.command = command
        }
    }

    package var scene: String
    package var parameters: RoomValue
    package var seed: UInt64
    /// The present of the room in virtual nanoseconds.
    package var now: Int64
    /// In the order of their times.
    package var commands: [Entry]

    package init(
        scene: String, parameters: RoomValue = .null, seed: UInt64, now: Int64 = 0, commands: [Entry] = []
    ) {
        self.scene = scene
        self.parameters = parameters
        self.seed = seed
        self.now = now
        self.commands = commands
    }
}

extension PhrasedError {
    static let disorder = PhrasedError(
        "record", Phrase("The commands of the kept room are not in order.", "保存的房间中，命令的顺序不正确。"))

    static let noFormerRoom = PhrasedError(
        "no-former-room", Phrase("There is no room before this one.", "在此之前没有别的房间。"))
}
