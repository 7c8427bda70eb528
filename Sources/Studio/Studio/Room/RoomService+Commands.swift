import Phrases
import StudioRoom
import StudioServer

extension RoomService {
    /// Runs `body` on the room at rest, after a seek.
    func change<Result: Sendable>(
        _ body: @escaping @Sendable (RoomDriver) throws -> Result
    ) async throws -> Result {
        try await engine.perform(waits: true, body)
    }

    /// Runs `body` on the room at rest, also in the middle of a seek.
    func interrupt<Result: Sendable>(
        _ body: @escaping @Sendable (RoomDriver) throws -> Result
    ) async throws -> Result {
        try await engine.perform(body)
    }

    /// Performs a command, which seeking repeats.
    package func perform(_ command: RoomCommand, drag: Int? = nil) async throws -> RoomValue {
        try await change { try $0.perform(command, drag: drag) }
    }

    /// Runs `body` on the room at rest, after a seek. Returns whether the seek that it begins has reached its moment.
    func go(
        _ body: @escaping @Sendable (RoomDriver, @escaping RoomEngine.Finish<RoomDriver.SeekEnd>) throws -> Void
    ) async throws -> SeekReply {
        SeekReply(isReached: try await engine.perform(waits: true, body) == .reached)
    }

    // MARK: Time

    /// `time.run {}`, `time.pause {}`, `time.speed {"speed"}`, `time.step {}` and `time.callback {}` -> `{"found"}`, `time.seek {"to"}` -> `{"isReached"}`, which
    /// answers when the room is there, or when another command, such as `time.pause`, has stopped it on the way.
    func addTimeCommands(to hub: StudioHub) {
        hub.on(prefix + "time.run") { [self] (_: Nothing) in
            try await interrupt { $0.start() }
            return Nothing()
        }
        hub.on(prefix + "time.pause") { [self] (_: Nothing) in
            try await interrupt { $0.pause() }
            return Nothing()
        }
        hub.on(prefix + "time.speed") { [self] (arguments: SpeedArguments) in
            guard arguments.speed == 0 || (0.001...100).contains(arguments.speed) else {
                throw StudioArguments.failure(
                    Phrase("The speed", "这个速度"),
                    Phrase("0 (as fast as possible) or 0.001 to 100", " 0（尽可能快）或 0.001 至 100"))
            }
            try await interrupt { $0.setSpeed(arguments.speed) }
            return Nothing()
        }
        hub.on(prefix + "time.step") { [self] (_: Nothing) in StepReply(found: try await change { $0.step() }) }
        hub.on(prefix + "time.callback") { [self] (_: Nothing) in
            StepReply(
                found: try await engine.perform(waits: true) { (driver, finish: @escaping RoomEngine.Finish<Bool>) in
                    driver.stepToCallback(finish)
                })
        }
        hub.on(prefix + "time.seek") { [self] (arguments: SeekArguments) in
            let time = try StudioArguments.checked(
                arguments.to, 0...Double(RoomTimeline.longest), Phrase("The time", "这个时间"),
                Phrase("0 to 30 days in nanoseconds", " 0 至 30 天的纳秒数"))
            let end = try await engine.seek(to: Int64(time))
            return SeekReply(isReached: end == .reached)
        }
    }

    // MARK: The room

    /// The commands `room.*`, with arguments as in their types. `room.add` and `room.wall` answer `{"id"}`, `room.act` what the program answers.
    func addRoomCommands(to hub: StudioHub) {
        hub.on(prefix + "room.scene") { [self] (arguments: SceneArguments) in
            let parameters = try StudioArguments.bounded(
                arguments.parameters ?? .null, Phrase("The parameters", "这些参数"))
            try await change { driver in
                try driver.begin(scene: arguments.scene, seed: arguments.seed ?? 1, parameters: parameters)
            }
            return Nothing()
        }
        hub.on(prefix + "room.back") { [self] (_: Nothing) in
            try await go { try $0.bringBack($1) }
        }
        onRoom(hub, prefix + "room.add") { (arguments: AddArguments) in try arguments.command }
        onRoom(hub, prefix + "room.remove") { (arguments: DeviceArguments) in .remove(device: arguments.device) }
        hub.on(prefix + "room.move") { [self] (arguments: MoveArguments) in
            let move = RoomCommand.move(
                device: arguments.device, x: try StudioArguments.coordinate(arguments.x),
                y: try StudioArguments.coordinate(arguments.y))
            return try await perform(move, drag: arguments.drag)
        }
        onRoom(hub, prefix + "room.power") { (arguments: PowerArguments) in
            .power(device: arguments.device, isOn: arguments.isOn)
        }
        onRoom(hub, prefix + "room.loss") { (arguments: LossArguments) in
            .loss(device: arguments.device, try StudioArguments.share(arguments.loss, Phrase("The loss", "这个丢包率")))
        }
        onRoom(hub, prefix + "room.rename") { (arguments: RenameArguments) in
            .rename(device: arguments.device, try StudioArguments.name(arguments.name))
        }
        onRoom(hub, prefix + "room.platform") { (arguments: PlatformArguments) in
            .platform(device: arguments.device, arguments.platform)
        }
        onRoom(hub, prefix + "room.wall") { (arguments: WallArguments) in try arguments.command }
        onRoom(hub, prefix + "room.unwall") { (arguments: UnwallArguments) in .unwall(wall: arguments.wall) }
        hub.on(prefix + "room.attenuation") { [self] (arguments: AttenuationArguments) in
            let attenuation = try WallArguments.checked(arguments.attenuation)
            return try await perform(.attenuation(wall: arguments.wall, attenuation), drag: arguments.drag)
        }
        onRoom(hub, prefix + "room.act") { (arguments: ActArguments) in try arguments.command }
        hub.on(prefix + "room.environment") { [self] (arguments: EnvironmentArguments) in
            try await change { driver in
                let environment = try arguments.applied(to: driver.timeline.environment)
                return try driver.perform(.environment(environment))
            }
        }
    }

    private func onRoom<Arguments: Decodable & Sendable>(
        _ hub: StudioHub, _ name: String, _ command: @escaping @Sendable (Arguments) throws -> RoomCommand
    ) {
        hub.on(name) { [self] (arguments: Arguments) in try await perform(try command(arguments)) }
    }
}
