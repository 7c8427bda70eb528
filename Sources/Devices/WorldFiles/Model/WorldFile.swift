import BLESimulator

/// A world as a file describes it: devices, walls, the propagation of signals, what happens at which time, and what is expected.
package struct WorldFile: Hashable, Sendable {
    /// The version of the format.
    package static let version = 1

    /// Limits of a file. They bound the time and the memory for a hostile one.
    package enum Limit {
        /// Octets of the file.
        package static let size = 4 << 20
        /// YAML values, aliases expanded: enough for `events` events of a dozen values.
        package static let nodes = 1_000_000
        /// Devices, with those that events add.
        package static let devices = 10_000
        /// Walls at one time.
        package static let walls = 200
        package static let events = 50_000
        package static let expectations = 1_000
        /// Scripts of a device: each keeps a link, and the adapter has 32.
        package static let scripts = 32
        /// Metres from the origin in each direction.
        package static let distance = 100_000.0
        /// The latest time of an event.
        package static let time = Duration.seconds(86_400 * 365)
        /// Characters of an identifier.
        package static let identifier = 64
        /// Octets of a device name (Vol 3, Part C, 12.1).
        package static let name = 248
    }

    package var name: String?
    package var summary: String?
    package var seed: UInt64
    /// Selects faults of the devices that have a host and power at the start; nil for none.
    package var stress: UInt64?
    /// The propagation of signals, without walls.
    package var environment: RadioEnvironment
    package var walls: [Wall]
    package var devices: [Device]
    /// In the order of their times.
    package var events: [Event]
    package var expectations: [Expectation]

    package init(
        name: String? = nil, summary: String? = nil, seed: UInt64 = 0, stress: UInt64? = nil,
        environment: RadioEnvironment = .init(), walls: [Wall] = [], devices: [Device] = [], events: [Event] = [],
        expectations: [Expectation] = []
    ) {
        self.name = name
        self.summary = summary
        self.seed = seed
        self.stress = stress
        self.environment = environment
        self.walls = walls
        self.devices = devices
        self.events = events
        self.expectations = expectations
    }

    /// The share that a file can express nearest to one from 0 to 1: steps of a millionth of a percent, so that a written share reads back as the
    /// same number.
    package static func share(_ share: Double) -> Double { (share * 1e8).rounded() / 1e6 / 100 }

    /// A place in the file. It takes no part in comparisons: equal worlds may be written differently.
    package struct Place: Hashable, Sendable {
        package var line: Int
        package var column: Int

        package init(line: Int = 0, column: Int = 0) {
            self.line = line
            self.column = column
        }

        package static func == (left: Place, right: Place) -> Bool { true }
        package func hash(into hasher: inout Hasher) {}
    }

    /// A wall with the name that events use.
    package struct Wall: Hashable, Sendable {
        package var id: String
        package var wall: BLESimulator.Wall

        package init(id: String, _ wall: BLESimulator.Wall) {
            self.id = id
            self.wall = wall
        }
    }
}
