import BLESimulator

/// A program that devices of a world can run.
package struct WorldProgramKind: Sendable {
    /// The device that runs the program.
    package enum Body: Sendable {
        /// A device with a host, whose program uses managers.
        case program(@Sendable (WorldProgramContext) throws -> any WorldProgram)
        /// A cheap device without a host, which only advertises.
        case advertiser(@Sendable (WorldAdvertiserContext) throws -> RawAdvertisement)
    }

    /// The name in files and commands, such as `wristband`.
    package let id: String
    /// The kind of a device that runs the program, for its symbol.
    package let kind: WorldDeviceKind
    /// The name of a device that is added without one.
    package let defaultName: String
    /// Whether the page shows the explorer for devices with this program.
    package let isExplorer: Bool
    /// Whether the program takes other actions as well as those that the page offers.
    package let takesAnyAction: Bool
    /// In the order in which the page offers them.
    package let actions: [WorldProgramAction]
    package let body: Body

    package init(
        _ id: String, kind: WorldDeviceKind, defaultName: String, isExplorer: Bool = false,
        takesAnyAction: Bool = false, actions: [WorldProgramAction] = [],
        make: @escaping @Sendable (WorldProgramContext) throws -> any WorldProgram
    ) {
        self.id = id
        self.kind = kind
        self.defaultName = defaultName
        self.isExplorer = isExplorer
        self.takesAnyAction = takesAnyAction
        self.actions = actions
        body = .program(make)
    }

    package init(
        _ id: String, kind: WorldDeviceKind, defaultName: String,
        advertisement: @escaping @Sendable (WorldAdvertiserContext) throws -> RawAdvertisement
    ) {
        self.id = id
        self.kind = kind
        self.defaultName = defaultName
        isExplorer = false
        takesAnyAction = false
        actions = []
        body = .advertiser(advertisement)
    }
}

/// The device for which an advertisement is made.
package struct WorldAdvertiserContext {
    package let name: String
    /// Determines the random draws. It is the same in each run of the world's seed.
    package let seed: UInt64
    package let parameters: WorldValue

    package init(name: String, seed: UInt64, parameters: WorldValue) {
        self.name = name
        self.seed = seed
        self.parameters = parameters
    }
}
