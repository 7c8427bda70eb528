import BLESimulator
import DeviceFiles
import Phrases

/// A room that the user can select: devices with programs, walls, and how signals propagate.
package struct RoomScene: Sendable {
    /// The name in commands.
    package let id: String
    /// Makes the room. The parameters are those of the command `room.scene`; `.null` if there are none.
    package let make: @Sendable (_ parameters: RoomValue) throws -> WorldFile

    /// - Parameter make: Devices without an identifier get `d1`, `d2` and so on in their order.
    package init(_ id: String, make: @escaping @Sendable (_ parameters: RoomValue) throws -> WorldFile) {
        self.id = id
        self.make = { parameters in
            var world = try make(parameters)
            for index in world.devices.indices where world.devices[index].id.isEmpty {
                world.devices[index].id = RoomDevice.identifier(index + 1)
            }
            return world
        }
    }
}

extension WorldFile.Device {
    /// A device of a scene with a profile as YAML. The scene gives it its identifier.
    ///
    /// - Throws: `PhrasedError` for a text that is not a profile.
    package init(running program: String, name: String? = nil, x: Double, y: Double, profile: String?) throws {
        let body = try Body(program: program, profile: profile, parameters: .null)
        let kind = ProfilePrograms.all.first { $0.id == program }
        self.init("", name: name ?? kind?.defaultName, body, at: Position(x: x, y: y))
    }

    /// A device of a scene. The scene gives it its identifier.
    package init(
        running program: String, name: String? = nil, x: Double, y: Double, parameters: RoomValue = .null,
        isOn: Bool = true, loss: Double = 0
    ) {
        self.init(
            "", name: name, .program(program, parameters: parameters), at: Position(x: x, y: y), loss: loss, isOn: isOn)
    }
}

extension WorldFile.Device.Body {
    /// What the identifier of a program in a command means.
    ///
    /// - Parameter profile: YAML, for a program that takes a profile.
    /// - Throws: `PhrasedError` for a text that is not a profile.
    init(program: String, profile: String?, parameters: RoomValue) throws {
        let shipped = program.hasPrefix("profile:") ? String(program.dropFirst("profile:".count)) : nil
        if let profile, program == "profile" || shipped != nil {
            self = .profile(.inline(try ProfileProgram.profile(profile)))
        } else if let shipped, ShippedProfiles.text(named: shipped) != nil {
            self = .profile(.shipped(shipped))
        } else {
            self = .program(program, parameters: parameters)
        }
    }

    /// The identifier of the program in commands and on the page.
    package var program: String {
        switch self {
        case .bare, .scripts: "bare"
        case .program(let program, _): program
        case .profile(.shipped(let name)): "profile:\(name)"
        case .profile: "profile"
        case .beacon: "beacon"
        }
    }
}
