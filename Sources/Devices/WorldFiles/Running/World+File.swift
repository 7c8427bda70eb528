import BLESimulator
import Foundation

extension World {
    /// Creates the world that a file describes, at time zero, and starts the programs of its devices.
    ///
    /// ```swift
    /// let world = try World(contentsOf: URL(filePath: "Worlds/corridor.world.yaml"))
    /// let phone = try world.device("phone").run { Phone() }
    /// await world.run(for: .seconds(10))
    /// ```
    ///
    /// What the file describes happens by itself while the world runs, in virtual time. Documentation/Worlds.md describes the format. A device with
    /// a script is a device without a program here: `bluelab test` runs scripts.
    ///
    /// - Parameters:
    ///   - url: A file URL. Paths in the file are relative to its folder.
    ///   - seed: Determines all random draws; nil selects the seed of the file.
    ///   - pace: The ratio of virtual time to real time.
    /// - Throws: ``WorldFileError`` if the file cannot be read, or with a sentence for each of its errors.
    public convenience init(
        contentsOf url: URL, seed: UInt64? = nil, pace: Pace = .unlimited
    ) throws(WorldFileError) {
        try self.init(try WorldFile(path: url.path), fileName: url.path, seed: seed, pace: pace)
    }

    /// Creates the world of a value. `fileName` is its name in errors. `stress` replaces the faults that the seed in the file selects.
    package convenience init(
        _ file: WorldFile, fileName: String, seed: UInt64? = nil, pace: Pace = .unlimited,
        programs: [WorldProgramKind] = WorldProgramKind.standard, stress: Stress? = nil
    ) throws(WorldFileError) {
        var environment = file.environment
        environment.walls = file.walls.map(\.wall)
        self.init(seed: seed ?? file.seed, pace: pace, environment: environment)
        companion = try WorldScene(file, fileName: fileName, in: self, programs: programs, stress: stress)
    }

    /// The devices and events of the file; nil for a world without a file.
    package var scene: WorldScene? { companion as? WorldScene }

    /// The device with an identifier of the world file.
    ///
    /// A device with a program or a profile is a new object after it lost its power and got it back.
    ///
    /// - Throws: ``WorldFileError`` if the file has no such device, if it is a beacon, or if it has no power.
    public func device(_ identifier: String) throws(WorldFileError) -> VirtualDevice {
        guard let scene else {
            throw WorldFileError("the world has no device \(identifier): it was not read from a file.")
        }
        let result: Result<VirtualDevice, WorldFileError> = scene.onQueue {
            guard let device = scene.devices[identifier] else {
                let list = scene.devices.keys.sorted().prefix(20).joined(separator: ", ")
                return .failure(
                    WorldFileError("\(scene.fileName): expected one of the devices \(list), found \(identifier)."))
            }
            switch device.body {
            case .host(let host, _): return .success(host)
            case .off: return .failure(scene.failure("the device \(identifier) has no power.", device.setup.place))
            case .advertiser:
                return .failure(
                    scene.failure("the device \(identifier) is a beacon without a host.", device.setup.place))
            }
        }
        return try result.get()
    }

    /// The lines of the programs and the changes of the file so far, oldest first. Of more than 100,000 events the world keeps the last ones.
    public var events: [WorldEvent] { scene?.events(from: 0).events ?? [] }
}
