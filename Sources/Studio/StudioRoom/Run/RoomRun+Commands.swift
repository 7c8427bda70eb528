import BLESimulator
import Phrases

extension RoomRun {
    /// What a command changes. Refuses a command that cannot be performed now, before it has an effect.
    ///
    /// - Parameter isUsed: Whether the world has an identifier of a device or a wall at some time.
    func change(_ command: RoomCommand, isUsed: (String) -> Bool) throws -> WorldFile.Event.Change {
        switch command {
        case .add(let program, let name, let x, let y, let profile, let parameters):
            let kind = try kind(program)
            guard devices.count < Self.deviceLimit else { throw PhrasedError.fullOfDevices }
            let body = try WorldFile.Device.Body(program: program, profile: profile, parameters: parameters)
            let id = Self.free(RoomDevice.identifier(deviceCount + 1), isUsed)
            // A world names a device with a profile by its identifier.
            return .add(WorldFile.Device(id, name: name ?? kind.defaultName, body, at: Position(x: x, y: y)))
        case .remove(let device): return .remove(device: try name(device))
        case .move(let identifier, let x, let y):
            let device = try device(identifier)
            return .move(device: device.setup.id, to: Position(x: x, y: y, z: device.position.z), over: .zero)
        case .power(let device, let isOn): return .power(device: try name(device), isOn: isOn)
        case .loss(let device, let loss): return .loss(device: try name(device), loss)
        case .rename(let device, let text): return .rename(device: try name(device), text)
        case .platform(let identifier, let platform): return try change(try device(identifier), platform)
        case .wall(let x1, let y1, let x2, let y2, let attenuation):
            guard walls.count < Self.wallLimit else { throw PhrasedError.fullOfWalls }
            let wall = Wall(from: Position(x: x1, y: y1), to: Position(x: x2, y: y2), attenuation: attenuation)
            return .wall(WorldFile.Wall(id: Self.free("w\(wallCount + 1)", isUsed), wall))
        case .unwall(let wall): return .removeWall(walls[try wallIndex(wall)].id)
        case .attenuation(let name, let attenuation):
            var wall = walls[try wallIndex(name)]
            wall.wall.attenuation = attenuation
            return .wall(wall)
        case .environment(let values): return .environment(values.applied(to: environment))
        case .act(let identifier, let action, let arguments):
            let device = try device(identifier)
            guard device.isOn else {
                throw PhrasedError(
                    "no-power", Phrase("\(device.shownName) has no power.", "\(device.shownName)没有通电。"),
                    next: Phrase("Switch it on first.", "请先打开它的电源。"))
            }
            guard device.program != nil else { throw PhrasedError.unknownAction(action) }
            return .press(device: device.setup.id, action: action, with: arguments)
        }
    }

    private func change(_ device: SceneDevice, _ platform: String?) throws -> WorldFile.Event.Change {
        guard device.takesPlatform else {
            throw PhrasedError(
                "no-platform",
                Phrase(
                    "\(device.shownName) takes no platform: it has no host, or runs no program of the room.",
                    "不能给\(device.shownName)选择平台：它没有主机，或者不运行房间里的程序。"))
        }
        if let platform, Platform.presets[platform] == nil {
            throw PhrasedError(
                "unknown-platform",
                Phrase("There is no platform \(platform.prefix(64)).", "没有平台 \(platform.prefix(64))。"),
                next: Self.choice(of: Platform.presets.keys.sorted()))
        }
        return .platform(device: device.setup.id, platform)
    }

    /// Whether a file can have the press: the action is one of the device's program.
    func hasAction(_ action: String, of name: String) -> Bool {
        guard let device = devices.first(where: { $0.setup.id == name }) else { return false }
        if case .profile = device.setup.body { return action == "apply" }
        return device.kind.map { $0.takesAnyAction || $0.actions.contains { $0.id == action } } ?? false
    }

    /// The identifier of a device in the world's file.
    private func name(_ identifier: String) throws -> String { try device(identifier).setup.id }

    /// An identifier that begins with a text and is not in use.
    private static func free(_ text: String, _ isUsed: (String) -> Bool) -> String {
        if !isUsed(text) { return text }
        var number = 2
        while isUsed("\(text)-\(number)") { number += 1 }
        return "\(text)-\(number)"
    }
}
