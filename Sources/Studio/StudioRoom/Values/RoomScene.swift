/// A room that the user can select: devices with programs, walls, and how signals propagate.
package struct RoomScene: Sendable {
    /// The name in commands.
    package let id: String
    /// Makes the room. The parameters are those of the command `room.scene`; `.null` if there are none.
    package let make: @Sendable (_ parameters: RoomValue) throws -> RoomSetup

    package init(_ id: String, make: @escaping @Sendable (_ parameters: RoomValue) throws -> RoomSetup) {
        self.id = id
        self.make = make
    }
}

/// The content of a room at time zero.
package struct RoomSetup: Hashable, Sendable {
    /// A device at time zero. Devices get the identifiers `d1`, `d2` and so on in their order.
    package struct Device: Hashable, Sendable {
        /// The identifier of a `WorldProgramKind`.
        package var program: String
        /// Nil selects the name of the program kind.
        package var name: String?
        /// Metres.
        package var x: Double
        package var y: Double
        /// YAML, for a program that takes a profile.
        package var profile: String?
        package var parameters: RoomValue
        package var isOn: Bool
        /// 0 to 1.
        package var loss: Double

        package init(
            _ program: String, name: String? = nil, x: Double, y: Double, profile: String? = nil,
            parameters: RoomValue = .null, isOn: Bool = true, loss: Double = 0
        ) {
            self.program = program
            self.name = name
            self.x = x
            self.y = y
            self.profile = profile
            self.parameters = parameters
            self.isOn = isOn
            self.loss = loss
        }
    }

    /// A wall at time zero. Walls get the identifiers `w1`, `w2` and so on in their order.
    package struct Wall: Hashable, Sendable {
        /// Metres.
        package var x1: Double
        package var y1: Double
        package var x2: Double
        package var y2: Double
        /// dB.
        package var attenuation: Double

        package init(x1: Double, y1: Double, x2: Double, y2: Double, attenuation: Double) {
            self.x1 = x1
            self.y1 = y1
            self.x2 = x2
            self.y2 = y2
            self.attenuation = attenuation
        }
    }

    package var environment: RoomEnvironment
    package var walls: [Wall]
    package var devices: [Device]

    package init(
        environment: RoomEnvironment = RoomEnvironment(), walls: [Wall] = [], devices: [Device] = []
    ) {
        self.environment = environment
        self.walls = walls
        self.devices = devices
    }
}
