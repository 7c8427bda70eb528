import BLESimulator

extension WorldFile {
    /// Something that happens at a time.
    package struct Event: Hashable, Sendable {
        package enum Change: Hashable, Sendable {
            /// Moves a device in a straight line, in steps of 100 ms.
            case move(device: String, to: Position, over: Duration)
            case power(device: String, isOn: Bool)
            /// 0 to 1.
            case loss(device: String, Double)
            /// An action of the device's program.
            case press(device: String, action: String, with: WorldValue)
            case rename(device: String, String)
            /// Gives a device the host of one of `Platform.presets`, with which it starts again; nil for a device without a platform.
            case platform(device: String, String?)
            case fault(device: String, Fault)
            case removeFaults(device: String)
            /// Restarts the Bluetooth adapter.
            case restart(device: String)
            case add(Device)
            case remove(device: String)
            /// Adds a wall, or replaces the one with its identifier.
            case wall(Wall)
            case removeWall(String)
            /// The propagation of signals from now on, without walls.
            case environment(RadioEnvironment)
        }

        /// Since the world began.
        package var time: Duration
        package var change: Change
        package var place: Place

        package init(at time: Duration, _ change: Change, place: Place = Place()) {
            self.time = time
            self.change = change
            self.place = place
        }
    }

    /// What must hold in a run.
    package struct Expectation: Hashable, Sendable {
        package enum Condition: Hashable, Sendable {
            /// Whether a link between two devices is open.
            case link(String, String, isOpen: Bool)
            case state(device: String, WorldDeviceState)
            /// A line of the device's program contains a text.
            case line(device: String, contains: String)
        }

        package enum Window: Hashable, Sendable {
            /// The condition holds at least once.
            case within(Duration, after: Duration)
            /// The condition holds at this time.
            case at(Duration)
            /// The condition holds from the first time up to, and not including, the second one.
            case during(from: Duration, to: Duration)

            /// The time at which the expectation is decided at the latest.
            package var end: Duration {
                switch self {
                case .within(let length, let start): start + length
                case .at(let time): time
                case .during(_, let end): end
                }
            }
        }

        package var condition: Condition
        package var window: Window
        package var place: Place

        package init(_ condition: Condition, _ window: Window, place: Place = Place()) {
            self.condition = condition
            self.window = window
            self.place = place
        }
    }
}
