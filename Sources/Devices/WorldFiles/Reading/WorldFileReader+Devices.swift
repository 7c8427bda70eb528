import BLESimulator
import DeviceFiles
import Foundation

extension WorldFileReader {
    static let deviceKeys = [
        "id", "name", "program", "parameters", "profile", "script", "scripts", "beacon", "at", "loss", "clock",
        "platform",
        "on", "count", "grid",
    ]
    private static let bodyKeys = ["program", "profile", "script", "scripts", "beacon"]

    /// The devices at time zero.
    mutating func devices(_ node: YAMLNode) -> [WorldFile.Device] {
        var devices: [WorldFile.Device] = []
        for element in yaml.list(node, "a list of devices") ?? [] {
            guard let mapping = yaml.mapping(element, "a device", keys: Self.deviceKeys) else { continue }
            guard let count = mapping["count"] else {
                if mapping.contains("grid") {
                    yaml.complain("expected the key \"count\" beside \"grid\", found none.", at: mapping.position)
                }
                if let device = device(mapping), add(device) { devices.append(device) }
                continue
            }
            guard let count = yaml.integer(count, in: 1...Int(UInt32.max), "a number of devices"),
                hasRoom(for: count, at: element.position)
            else { continue }
            devices += group(element, mapping, count)
        }
        return devices
    }

    /// A device that an event adds.
    mutating func addedDevice(_ node: YAMLNode) -> WorldFile.Device? {
        let keys = Self.deviceKeys.filter { $0 != "count" && $0 != "grid" }
        guard let mapping = yaml.mapping(node, "a device", keys: keys), let device = device(mapping),
            hasRoom(for: 1, at: node.position)
        else { return nil }
        return add(device) ? device : nil
    }

    private mutating func hasRoom(for count: Int, at position: YAMLPosition) -> Bool {
        guard scene.deviceCount + count <= WorldFile.Limit.devices else {
            yaml.complain(
                "expected at most \(WorldFile.Limit.devices) devices, found \(scene.deviceCount + count).", at: position
            )
            return false
        }
        return true
    }

    private mutating func add(_ device: WorldFile.Device) -> Bool {
        let position = YAMLPosition(line: device.place.line, column: device.place.column)
        guard scene.names.insert(device.id).inserted else {
            yaml.complain("expected an id that no other device has, found \"\(device.id)\" again.", at: position)
            return false
        }
        guard hasRoom(for: 1, at: position) else { return false }
        scene.deviceCount += 1
        scene.devices[device.id] = SceneState.Device(body: device.body, isOn: device.isOn)
        return true
    }

    // MARK: Groups

    /// Devices that differ in their numbers and places. `${n}` in texts is the number.
    private mutating func group(_ node: YAMLNode, _ mapping: YAMLMapping, _ count: Int) -> [WorldFile.Device] {
        guard let entries = node.entries else { return [] }
        var columns = 1
        var spacing = 0.0
        if let grid = mapping["grid"], let grid = yaml.mapping(grid, "a grid", keys: ["columns", "spacing"]) {
            columns =
                yaml.required("columns", of: grid).flatMap { yaml.integer($0, in: 1...WorldFile.Limit.devices) } ?? 1
            spacing = yaml.required("spacing", of: grid).flatMap { yaml.number($0, in: 0...1000) } ?? 0
        }
        let rest = entries.filter { $0.key != "count" && $0.key != "grid" && $0.key != "id" }
        guard let base = yaml.required("id", of: mapping).flatMap({ identifier($0) }) else { return [] }
        let values = rest.reduce(1) { $0 + Self.size($1.value) } * count
        guard values <= limits.nodes else {
            yaml.complain("expected a group of at most \(limits.nodes) values, found \(values).", at: node.position)
            return []
        }
        var devices: [WorldFile.Device] = []
        for number in 1...count {
            let entries = rest.map { entry in
                YAMLEntry(key: entry.key, at: entry.keyPosition, value: Self.replacing(number, in: entry.value))
            }
            let mapping = YAMLMapping(entries: entries, position: mapping.position, what: mapping.what)
            guard var device = device(mapping, id: "\(base)-\(number)") else { break }
            device.position.x += Double((number - 1) % columns) * spacing
            device.position.y += Double((number - 1) / columns) * spacing
            guard add(device) else { break }
            devices.append(device)
        }
        return devices
    }

    /// The number of values. A text that has the number of its device is another one in each device: it counts as one more for each 64 octets.
    private static func size(_ node: YAMLNode) -> Int {
        switch node.content {
        case .scalar(let text, _): 1 + (text.contains("${n}") ? text.utf8.count / 64 : 0)
        case .sequence(let elements): elements.reduce(1) { $0 + size($1) }
        case .mapping(let entries): entries.reduce(1) { $0 + size($1.value) }
        }
    }

    private static func replacing(_ number: Int, in node: YAMLNode) -> YAMLNode {
        switch node.content {
        case .scalar(let text, let isQuoted):
            guard text.contains("${n}") else { return node }
            let text = text.replacingOccurrences(of: "${n}", with: "\(number)")
            return YAMLNode(.scalar(text, isQuoted: isQuoted), at: node.position)
        case .sequence(let elements):
            return YAMLNode(.sequence(elements.map { replacing(number, in: $0) }), at: node.position)
        case .mapping(let entries):
            let entries = entries.map {
                YAMLEntry(key: $0.key, at: $0.keyPosition, value: replacing(number, in: $0.value))
            }
            return YAMLNode(.mapping(entries), at: node.position)
        }
    }

    // MARK: One device

    private mutating func device(_ mapping: YAMLMapping, id: String? = nil) -> WorldFile.Device? {
        guard let id = id ?? yaml.required("id", of: mapping).flatMap({ identifier($0) }) else { return nil }
        let place = WorldFile.Place(line: mapping.position.line, column: mapping.position.column)
        var device = WorldFile.Device(id, place: place)
        if let node = mapping["name"] {
            guard let name = deviceName(node) else { return nil }
            device.name = name
        }
        if let node = mapping["at"] {
            guard let position = position(node) else { return nil }
            device.position = position
        }
        if let node = mapping["loss"] { device.loss = share(node) ?? 0 }
        if let node = mapping["clock"] { device.clockError = clockError(node) ?? 0 }
        if let node = mapping["on"] { device.isOn = yaml.boolean(node) ?? true }
        guard let body = body(mapping, device.name ?? id) else { return nil }
        device.body = body
        if let node = mapping["platform"] {
            guard let platform = yaml.choice(node, of: Platform.presets.keys.sorted()) else { return nil }
            guard hasHost(body) else {
                yaml.complain("expected no platform: this device has no host, found one.", at: node.position)
                return nil
            }
            device.platform = platform
        }
        return device
    }

    /// Whether a device has a host, which may be that of a phone.
    private func hasHost(_ body: WorldFile.Device.Body) -> Bool {
        switch body {
        case .beacon: return false
        case .program(let id, _):
            if case .advertiser? = programs[id]?.body { return false }
            return true
        case .bare, .profile, .scripts: return true
        }
    }

    mutating func deviceName(_ node: YAMLNode) -> String? {
        guard let name = yaml.string(node, "a name") else { return nil }
        guard (1...WorldFile.Limit.name).contains(name.utf8.count) else {
            yaml.complain(
                "expected a name of 1 to \(WorldFile.Limit.name) octets, found \(name.utf8.count).", at: node.position)
            return nil
        }
        return name
    }

    private mutating func body(_ mapping: YAMLMapping, _ name: String) -> WorldFile.Device.Body? {
        let present = Self.bodyKeys.filter { mapping[$0] != nil }
        if present.count > 1, let second = mapping[present[1]] {
            yaml.complain(
                "expected one of program, profile, script, scripts and beacon, found \(present.joined(separator: " and ")).",
                at: second.position)
            return nil
        }
        if let node = mapping["parameters"], mapping["program"] == nil {
            yaml.complain("expected the key \"program\" beside \"parameters\", found none.", at: node.position)
            return nil
        }
        if let node = mapping["program"] { return program(node, mapping["parameters"], name) }
        if let node = mapping["profile"] { return profile(node).map { .profile($0) } }
        if let node = mapping["script"] { return script(node).map { .scripts([$0]) } }
        if let node = mapping["scripts"] { return scripts(node).map { .scripts($0) } }
        if let node = mapping["beacon"] { return beacon(node).map { .beacon($0) } }
        return .bare
    }

    private mutating func program(
        _ node: YAMLNode, _ parameters: YAMLNode?, _ name: String
    ) -> WorldFile.Device.Body? {
        guard let id = yaml.choice(node, of: programs.keys.sorted()), let kind = programs[id] else { return nil }
        var value = WorldValue.null
        if let parameters {
            guard parameters.entries != nil else {
                yaml.expected("a mapping of parameters", found: parameters)
                return nil
            }
            value = Self.value(parameters)
        }
        // An advertiser without a host refuses its parameters when it is made.
        if case .advertiser(let make) = kind.body {
            do {
                _ = try make(WorldAdvertiserContext(name: name, seed: 0, parameters: value))
            } catch {
                yaml.complain("expected parameters of \(id): \(error)", at: (parameters ?? node).position)
                return nil
            }
        }
        return .program(id, parameters: value)
    }
}
