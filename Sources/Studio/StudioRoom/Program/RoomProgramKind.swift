import BLESimulator

/// A program that devices of the room can run. `Studio` passes the list of all kinds to the room.
package struct RoomProgramKind: Sendable {
    /// The device that runs the program.
    package enum Body: Sendable {
        /// A device with a host, whose program uses managers.
        case program(@Sendable (RoomProgramContext) throws -> any RoomProgram)
        /// A cheap device without a host, which only advertises.
        case advertiser(@Sendable (RoomAdvertiserContext) throws -> RawAdvertisement)
    }

    /// The name in commands and scenes, such as `wristband`.
    package let id: String
    /// The kind of a device that runs the program, for its symbol.
    package let kind: RoomDevice.Kind
    /// The name of a device that is added without one.
    package let defaultName: String
    /// Whether the page shows the explorer for devices with this program.
    package let isExplorer: Bool
    /// In the order in which the page offers them.
    package let actions: [RoomProgramAction]
    package let body: Body

    package init(
        _ id: String, kind: RoomDevice.Kind, defaultName: String, isExplorer: Bool = false,
        actions: [RoomProgramAction] = [], make: @escaping @Sendable (RoomProgramContext) throws -> any RoomProgram
    ) {
        self.id = id
        self.kind = kind
        self.defaultName = defaultName
        self.isExplorer = isExplorer
        self.actions = actions
        body = .program(make)
    }

    package init(
        _ id: String, kind: RoomDevice.Kind, defaultName: String,
        advertisement: @escaping @Sendable (RoomAdvertiserContext) throws -> RawAdvertisement
    ) {
        self.id = id
        self.kind = kind
        self.defaultName = defaultName
        isExplorer = false
        actions = []
        body = .advertiser(advertisement)
    }
}

/// The device for which an advertisement is made.
package struct RoomAdvertiserContext {
    package let name: String
    /// Determines the random draws. It is the same in each run of the room's seed.
    package let seed: UInt64
    package let parameters: RoomValue
}
