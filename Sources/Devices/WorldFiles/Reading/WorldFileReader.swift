import BLESimulator
import DeviceFiles
import Foundation

/// Reads the values of a world file. A method that returns nil has recorded an error.
struct WorldFileReader {
    var yaml: YAMLReader
    let folder: URL?
    let programs: [String: WorldProgramKind]
    let limits: YAMLDocument.Limits
    /// The profiles that were read, by their paths; nil for one with errors.
    var profiles: [String: DeviceProfile?] = [:]
    /// What exists at the present time of the file's events.
    var scene = SceneState()

    static let keys = [
        "world", "name", "summary", "seed", "stress", "environment", "walls", "devices", "events", "expect",
    ]

    init(file: String, folder: URL?, programs: [WorldProgramKind], limits: YAMLDocument.Limits) {
        // A group of devices can repeat one error for each of them.
        yaml = YAMLReader(file: file)
        self.folder = folder
        self.limits = limits
        self.programs = Dictionary(programs.map { ($0.id, $0) }, uniquingKeysWith: { _, last in last })
    }

    mutating func world(_ root: YAMLNode) -> WorldFile {
        var world = WorldFile()
        guard let top = yaml.mapping(root, "a world", keys: Self.keys),
            let version = yaml.required("world", of: top)
        else { return world }
        guard version.text == "\(WorldFile.version)" else {
            yaml.expected("the version \(WorldFile.version) of the format", found: version)
            return world
        }
        world.name = top["name"].flatMap { yaml.string($0) }
        world.summary = top["summary"].flatMap { yaml.string($0) }
        world.seed = top["seed"].flatMap { seed($0) } ?? 0
        world.stress = top["stress"].flatMap { seed($0) }
        if let node = top["environment"] { world.environment = environment(node, from: world.environment) }
        for node in top["walls"].flatMap({ yaml.list($0, "a list of walls") }) ?? [] {
            if let wall = wall(node), add(wall, node) { world.walls.append(wall) }
        }
        if let node = top["devices"] { world.devices = devices(node) }
        let environment = world.environment
        if let node = top["events"] { world.events = events(node, from: environment) }
        if let node = top["expect"] { world.expectations = expectations(node) }
        return world
    }

    private mutating func seed(_ node: YAMLNode) -> UInt64? {
        guard let text = node.text, let seed = UInt64(text) else {
            yaml.expected("a seed from 0 to \(UInt64.max)", found: node)
            return nil
        }
        return seed
    }

    // MARK: Environment and walls

    /// Reads the keys that are present, and keeps the other values.
    mutating func environment(_ node: YAMLNode, from environment: RadioEnvironment) -> RadioEnvironment {
        var environment = environment
        let keys = ["path-loss-exponent", "reference-loss", "fading", "packet-loss", "sensitivity"]
        guard let mapping = yaml.mapping(node, "an environment", keys: keys) else { return environment }
        if let node = mapping["path-loss-exponent"] {
            environment.pathLossExponent = yaml.number(node, in: 1...6) ?? environment.pathLossExponent
        }
        if let node = mapping["reference-loss"] {
            environment.referenceLoss = quantity(node, "dB", in: 0...200) ?? environment.referenceLoss
        }
        if let node = mapping["fading"] { environment.fading = quantity(node, "dB", in: 0...20) ?? environment.fading }
        if let node = mapping["packet-loss"] { environment.packetLoss = share(node) ?? environment.packetLoss }
        if let node = mapping["sensitivity"] {
            environment.sensitivity = quantity(node, "dBm", in: -120 ... -40) ?? environment.sensitivity
        }
        return environment
    }

    /// A wall of the list `walls`.
    private mutating func wall(_ node: YAMLNode) -> WorldFile.Wall? {
        guard let mapping = yaml.mapping(node, "a wall", keys: ["id", "from", "to", "loss"]),
            let id = yaml.required("id", of: mapping).flatMap({ identifier($0) })
        else { return nil }
        return wall(id, mapping)
    }

    /// A wall with the ends and the loss of a mapping.
    mutating func wall(_ id: String, _ mapping: YAMLMapping) -> WorldFile.Wall? {
        let start = yaml.required("from", of: mapping).flatMap { position($0) }
        let end = yaml.required("to", of: mapping).flatMap { position($0) }
        let loss = yaml.required("loss", of: mapping).flatMap { quantity($0, "dB", in: 0...200) }
        guard let start, let end, let loss else { return nil }
        return WorldFile.Wall(id: id, Wall(from: start, to: end, attenuation: loss))
    }

    private mutating func add(_ wall: WorldFile.Wall, _ node: YAMLNode) -> Bool {
        guard scene.walls.insert(wall.id).inserted else {
            yaml.complain("expected an id that no other wall has, found \"\(wall.id)\" again.", at: node.position)
            return false
        }
        return hasRoomForWalls(node)
    }

    /// Records an error if there are too many walls.
    mutating func hasRoomForWalls(_ node: YAMLNode) -> Bool {
        if scene.walls.count == WorldFile.Limit.walls + 1 {
            yaml.complain("expected at most \(WorldFile.Limit.walls) walls, found more.", at: node.position)
        }
        return scene.walls.count <= WorldFile.Limit.walls
    }
}

/// What exists at one time of a world file.
struct SceneState {
    struct Device {
        var body: WorldFile.Device.Body
        var isOn: Bool
    }

    var devices: [String: Device] = [:]
    var walls: Set<String> = []
    /// The number of devices of the whole file, with those that events add and remove.
    var deviceCount = 0
    /// The identifiers of all devices of the whole file.
    var names: Set<String> = []
}
