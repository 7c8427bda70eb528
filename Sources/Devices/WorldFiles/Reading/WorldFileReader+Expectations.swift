import DeviceFiles

extension WorldFileReader {
    static let expectationKeys = [
        "link", "no-link", "state", "is", "line", "contains", "within", "after", "at", "during",
    ]

    mutating func expectations(_ node: YAMLNode) -> [WorldFile.Expectation] {
        guard let elements = yaml.list(node, "a list of expectations") else { return [] }
        guard elements.count <= WorldFile.Limit.expectations else {
            yaml.complain(
                "expected at most \(WorldFile.Limit.expectations) expectations, found \(elements.count).",
                at: node.position)
            return []
        }
        var expectations: [WorldFile.Expectation] = []
        for element in elements { if let expectation = expectation(element) { expectations.append(expectation) } }
        return expectations
    }

    private mutating func expectation(_ node: YAMLNode) -> WorldFile.Expectation? {
        guard let mapping = yaml.mapping(node, "an expectation", keys: Self.expectationKeys),
            let condition = condition(mapping), let window = window(mapping)
        else { return nil }
        if case .line = condition {
            guard case .within = window else {
                yaml.complain("expected the key \"within\" beside \"line\", found none.", at: node.position)
                return nil
            }
        }
        let place = WorldFile.Place(line: node.position.line, column: node.position.column)
        return WorldFile.Expectation(condition, window, place: place)
    }

    private mutating func condition(_ mapping: YAMLMapping) -> WorldFile.Expectation.Condition? {
        let kinds = ["link", "no-link", "state", "line"].filter { mapping[$0] != nil }
        guard kinds.count == 1, let kind = kinds.first, let node = mapping[kind] else {
            let found = kinds.isEmpty ? "none" : kinds.joined(separator: " and ")
            yaml.complain("expected one of link, no-link, state and line, found \(found).", at: mapping.position)
            return nil
        }
        // Keys that belong to another kind of condition.
        for (key, owner) in [("is", "state"), ("contains", "line")] where owner != kind {
            guard let other = mapping[key] else { continue }
            yaml.complain("expected the key \"\(owner)\" beside \"\(key)\", found \(kind).", at: other.position)
            return nil
        }
        switch kind {
        case "state":
            guard let id = anyDevice(node), let word = yaml.required("is", of: mapping),
                let state = yaml.choice(word, of: WorldDeviceState.allCases.map(\.rawValue))
                    .flatMap(WorldDeviceState.init)
            else { return nil }
            return .state(device: id, state)
        case "line":
            guard let id = anyDevice(node),
                let text = yaml.required("contains", of: mapping).flatMap({ yaml.string($0) })
            else { return nil }
            return .line(device: id, contains: text)
        default:
            guard let ends = node.elements, ends.count == 2 else {
                yaml.expected("two devices such as [phone, band]", found: node)
                return nil
            }
            guard let first = anyDevice(ends[0]), let second = anyDevice(ends[1]) else { return nil }
            return .link(first, second, isOpen: kind == "link")
        }
    }

    /// A device that exists at some time.
    private mutating func anyDevice(_ node: YAMLNode) -> String? {
        if let id = node.text, scene.names.contains(id) { return id }
        return device(node)
    }

    private mutating func window(_ mapping: YAMLMapping) -> WorldFile.Expectation.Window? {
        let kinds = ["within", "at", "during"].filter { mapping[$0] != nil }
        guard kinds.count == 1, let kind = kinds.first, let node = mapping[kind] else {
            let found = kinds.isEmpty ? "none" : kinds.joined(separator: " and ")
            yaml.complain("expected one of within, at and during, found \(found).", at: mapping.position)
            return nil
        }
        if let after = mapping["after"], kind != "within" {
            yaml.complain("expected the key \"within\" beside \"after\", found \(kind).", at: after.position)
            return nil
        }
        switch kind {
        case "within":
            guard let length = time(node) else { return nil }
            guard let after = mapping["after"] else { return .within(length, after: .zero) }
            return time(after).map { .within(length, after: $0) }
        case "at": return time(node).map { .at($0) }
        default:
            guard let ends = node.elements, ends.count == 2 else {
                yaml.expected("two times such as [5 s, 10 s]", found: node)
                return nil
            }
            guard let start = time(ends[0]), let end = time(ends[1]) else { return nil }
            guard start <= end else {
                yaml.complain("expected the earlier time first, found the later one.", at: node.position)
                return nil
            }
            return .during(from: start, to: end)
        }
    }
}
