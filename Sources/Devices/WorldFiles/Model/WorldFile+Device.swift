import BLESimulator
import DeviceFiles

extension WorldFile {
    /// A device of a world.
    package struct Device: Hashable, Sendable {
        package enum Body: Hashable, Sendable {
            /// A host without a program. A test runs its own program on it.
            case bare
            /// The identifier of a `WorldProgramKind`, and its parameters.
            case program(String, parameters: WorldValue = .null)
            case profile(Profile)
            /// Each one is a program of its own, all on the adapter of this device.
            case scripts([Script])
            /// An advertiser without a host.
            case beacon(Beacon)

            /// The parameters of its program.
            package var parameters: WorldValue {
                if case .program(_, let parameters) = self { parameters } else { .null }
            }

            /// Its profile as YAML.
            package var profile: String? { if case .profile(let profile) = self { profile.text } else { nil } }

            /// Whether a test, a tool or a person runs a program on the device. Such a device keeps its managers without power.
            package var isBare: Bool {
                switch self {
                case .bare, .scripts: true
                case .program, .profile, .beacon: false
                }
            }
        }

        package var id: String
        /// The GAP device name; nil selects that of the program, or the identifier.
        package var name: String?
        package var body: Body
        package var position: Position
        /// The share of packets to and from the device that are lost, 0 to 1.
        package var loss: Double
        /// The error of the controller's clock in parts per million, -500 to 500.
        package var clockError: Int
        package var isOn: Bool
        /// The name of one of `Platform.presets`; nil for a device without a platform.
        package var platform: String?
        package var place: Place

        package init(
            _ id: String, name: String? = nil, _ body: Body = .bare, at position: Position = .origin, loss: Double = 0,
            clockError: Int = 0, isOn: Bool = true, platform: String? = nil, place: Place = Place()
        ) {
            self.id = id
            self.name = name
            self.body = body
            self.position = position
            self.loss = loss
            self.clockError = clockError
            self.isOn = isOn
            self.platform = platform
            self.place = place
        }
    }

    /// The profile of a device.
    package enum Profile: Hashable, Sendable {
        /// The name of a profile that the package contains.
        case shipped(String)
        /// A path relative to the world file, and what the file contains.
        case file(String, DeviceProfile)
        case inline(DeviceProfile)

        /// The profile as YAML.
        package var text: String {
            switch self {
            case .shipped(let name): ShippedProfiles.text(named: name) ?? ""
            case .file(_, let profile), .inline(let profile): profile.yaml()
            }
        }
    }

    /// The script of a device: the steps of `bluelab run`.
    package enum Script: Hashable, Sendable {
        /// A path relative to the world file, and what the file contains.
        case file(String, DeviceScript)
        case inline(DeviceScript)

        package var script: DeviceScript {
            switch self {
            case .file(_, let script), .inline(let script): script
            }
        }

        /// Compares what the scripts do, because the lines of their steps depend on how they are written.
        package static func == (left: Script, right: Script) -> Bool {
            switch (left, right) {
            case (.file(let left, let script), .file(let right, let other)):
                left == right && script.text == other.text
            case (.inline(let left), .inline(let right)): left.text == right.text
            default: false
            }
        }

        package func hash(into hasher: inout Hasher) { hasher.combine(script.text) }
    }

    /// An advertiser without a host.
    package struct Beacon: Hashable, Sendable {
        package var advertisement: RawAdvertisement
        /// The transmit power in dBm, -127 to 20.
        package var power: Int

        package init(_ advertisement: RawAdvertisement, power: Int = 0) {
            self.advertisement = advertisement
            self.power = power
        }
    }
}
