import BLEAdapter
import BLESimulator
import DeviceFiles

extension WorldFileReader {
    /// Each kind of event with the other keys that it takes.
    static let eventKeys: [(kind: String, others: [String])] = [
        ("move", ["to", "over"]), ("power", ["on"]), ("loss", ["share"]), ("press", ["action", "with"]),
        ("rename", ["name"]), ("platform", ["is"]), ("restart", []), ("fault", ["kind", "by", "after", "for", "to"]),
        ("remove-faults", []), ("add", []), ("remove", []), ("wall", ["from", "to", "loss"]), ("remove-wall", []),
        ("environment", []),
    ]

    /// The events in the order of their times. `environment` is that of time zero.
    mutating func events(_ node: YAMLNode, from environment: RadioEnvironment) -> [WorldFile.Event] {
        guard let elements = yaml.list(node, "a list of events") else { return [] }
        guard elements.count <= WorldFile.Limit.events else {
            yaml.complain(
                "expected at most \(WorldFile.Limit.events) events, found \(elements.count).", at: node.position)
            return []
        }
        var timed: [(time: Duration, kind: String, mapping: YAMLMapping)] = []
        for element in elements {
            if let (kind, mapping) = event(element), let time = time("at", of: mapping) {
                timed.append((time, kind, mapping))
            }
        }
        // Events at one time keep their order in the file.
        let sorted = timed.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
        var events: [WorldFile.Event] = []
        var environment = environment
        for (_, (time, kind, mapping)) in sorted {
            guard let change = change(kind, mapping, &environment) else { continue }
            let place = WorldFile.Place(line: mapping.position.line, column: mapping.position.column)
            events.append(WorldFile.Event(at: time, change, place: place))
        }
        return events
    }

    /// The kind of an event, with its checked keys.
    private mutating func event(_ node: YAMLNode) -> (String, YAMLMapping)? {
        let kinds = Self.eventKeys.map(\.kind)
        guard let entries = node.entries else {
            yaml.expected("an event such as {at: 5 s, power: band, on: false}", found: node)
            return nil
        }
        // `loss` is also a key of a wall.
        let named = entries.map(\.key)
        guard let kind = named.contains("wall") ? "wall" : named.first(where: kinds.contains) else {
            yaml.complain(
                "expected an event with one of the keys \(kinds.joined(separator: ", ")), found none.",
                at: node.position)
            return nil
        }
        var others = Self.eventKeys.first { $0.kind == kind }?.others ?? []
        if kind == "fault", let fault = entries.first(where: { $0.key == "kind" })?.value.text.flatMap(Fault.Kind.init)
        {
            others = ["kind"] + fault.keys
        }
        return yaml.mapping(node, "an event", keys: ["at", kind] + others).map { (kind, $0) }
    }

    private mutating func change(
        _ kind: String, _ mapping: YAMLMapping, _ environment: inout RadioEnvironment
    ) -> WorldFile.Event.Change? {
        guard let node = yaml.required(kind, of: mapping) else { return nil }
        switch kind {
        case "add": return addedDevice(node).map { .add($0) }
        case "environment":
            environment = self.environment(node, from: environment)
            return .environment(environment)
        case "wall":
            guard let id = identifier(node), let wall = wall(id, mapping) else { return nil }
            scene.walls.insert(id)
            return hasRoomForWalls(node) ? .wall(wall) : nil
        case "remove-wall":
            guard let id = identifier(node) else { return nil }
            guard scene.walls.remove(id) != nil else {
                yaml.expected("a wall of this world", found: node)
                return nil
            }
            return .removeWall(id)
        default:
            guard let id = device(node) else { return nil }
            return change(kind, of: id, node, mapping)
        }
    }

    /// A device that exists at the time of the event.
    mutating func device(_ node: YAMLNode) -> String? {
        if let id = node.text, scene.devices[id] != nil { return id }
        if let id = node.text, scene.names.contains(id) {
            yaml.complain("expected a device that exists at this time, found \(node.found).", at: node.position)
            return nil
        }
        // The search compares the text with each name, so it ends with the errors that are listed.
        let hint = yaml.isFull ? nil : node.text.flatMap { Spelling.nearest(to: $0, in: scene.names.sorted()) }
        yaml.expected("a device of this world" + (hint.map { " (did you mean \"\($0)\"?)" } ?? ""), found: node)
        return nil
    }

    private mutating func change(
        _ kind: String, of id: String, _ node: YAMLNode, _ mapping: YAMLMapping
    ) -> WorldFile.Event.Change? {
        switch kind {
        case "move":
            guard let target = yaml.required("to", of: mapping).flatMap({ position($0) }) else { return nil }
            guard let over = mapping["over"] else { return .move(device: id, to: target, over: .zero) }
            return time(over).map { .move(device: id, to: target, over: $0) }
        case "power":
            guard let isOn = yaml.required("on", of: mapping).flatMap({ yaml.boolean($0) }) else { return nil }
            scene.devices[id]?.isOn = isOn
            return .power(device: id, isOn: isOn)
        case "loss": return yaml.required("share", of: mapping).flatMap { share($0) }.map { .loss(device: id, $0) }
        case "press": return press(id, node, mapping)
        case "rename":
            return yaml.required("name", of: mapping).flatMap { deviceName($0) }.map { .rename(device: id, $0) }
        case "platform": return platform(id, node, mapping)
        case "restart", "fault", "remove-faults":
            guard hasHost(id, node), isOn(id, node) else { return nil }
            switch kind {
            case "restart": return .restart(device: id)
            case "fault": return fault(mapping).map { .fault(device: id, $0) }
            default: return .removeFaults(device: id)
            }
        default:
            scene.devices[id] = nil
            return .remove(device: id)
        }
    }

    private mutating func press(_ id: String, _ node: YAMLNode, _ mapping: YAMLMapping) -> WorldFile.Event.Change? {
        guard let place = yaml.required("action", of: mapping), isOn(id, node) else { return nil }
        var actions: [String] = []
        switch scene.devices[id]?.body {
        case .program(let program, _):
            if programs[program]?.takesAnyAction == true {
                return yaml.string(place).map { press(id, $0, mapping) }
            }
            actions = programs[program]?.actions.map(\.id) ?? []
        case .profile: actions = ["apply"]
        default: break
        }
        guard !actions.isEmpty else {
            yaml.complain("expected a device whose program has actions, found \(node.found).", at: node.position)
            return nil
        }
        return yaml.choice(place, of: actions).map { press(id, $0, mapping) }
    }

    private func press(_ id: String, _ action: String, _ mapping: YAMLMapping) -> WorldFile.Event.Change {
        .press(device: id, action: action, with: mapping["with"].map(Self.value) ?? .null)
    }

    private mutating func platform(_ id: String, _ node: YAMLNode, _ mapping: YAMLMapping) -> WorldFile.Event.Change? {
        guard let place = yaml.required("is", of: mapping), hasHost(id, node) else { return nil }
        guard scene.devices[id]?.body.isBare == false else {
            yaml.complain(
                "expected a device with a program or a profile, found \(node.found): the managers of its program would lose their host.",
                at: node.position)
            return nil
        }
        let names = ["none"] + Platform.presets.keys.sorted()
        return yaml.choice(place, of: names).map { .platform(device: id, $0 == "none" ? nil : $0) }
    }

    private mutating func isOn(_ id: String, _ node: YAMLNode) -> Bool {
        guard scene.devices[id]?.isOn == false else { return true }
        yaml.complain(
            "expected a device that is on at this time, found \(node.found), which is off.", at: node.position)
        return false
    }

    private mutating func hasHost(_ id: String, _ node: YAMLNode) -> Bool {
        var hasHost = true
        switch scene.devices[id]?.body {
        case .beacon: hasHost = false
        case .program(let program, _): if case .advertiser = programs[program]?.body { hasHost = false }
        default: break
        }
        if !hasHost {
            yaml.complain("expected a device with a Bluetooth host, found the beacon \(node.found).", at: node.position)
        }
        return hasHost
    }
}
