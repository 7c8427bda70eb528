import BLEValues

extension ScriptReader {
    mutating func action(_ kind: StepKind, _ node: YAMLNode) -> ScriptAction? {
        switch kind {
        case .scan: scan(node)
        case .connect: connect(node)
        case .expectName: expectName(node)
        case .disconnect: plain(.disconnect, node)
        case .expectDisconnect: within(node).map { .expectDisconnect(within: $0) }
        case .discover: plain(.discover, node)
        case .read: read(node)
        case .write: write(node)
        case .subscribe: subscribe(node)
        case .unsubscribe: yaml.string(node, "a characteristic").map { .unsubscribe(characteristic: $0) }
        case .waitForNotification: waitForNotification(node)
        case .repeat: repetition(node)
        case .sleep: yaml.duration(node, in: Self.limits).map { .sleep($0) }
        case .rssi: bounds(node, -127...20).map { .rssi($0) }
        // The smallest ATT_MTU is 23 octets (Vol 3, Part G, 5.2.1).
        case .mtu: bounds(node, 23...65_535).map { .mtu($0) }
        case .pair: pair(node)
        case .expectBond: plain(.expectBond, node)
        case .serve: yaml.string(node, "the path of a profile file").map { .serve(profile: $0) }
        case .stopServing: plain(.stopServing, node)
        case .waitForRead: limited(node, "a read").map { .waitForRead(characteristic: $0.0, within: $0.1) }
        case .waitForWrite: waitForWrite(node)
        case .waitForSubscription:
            limited(node, "a subscription").map { .waitForSubscription(characteristic: $0.0, within: $0.1) }
        }
    }

    // MARK: Devices

    private mutating func plain(_ action: ScriptAction, _ node: YAMLNode) -> ScriptAction? {
        if node.isNull { return action }
        yaml.expected("nothing after this action", found: node)
        return nil
    }

    private mutating func scan(_ node: YAMLNode) -> ScriptAction? {
        if let name = node.text { return .scan(AdvertisementPattern(name: name), within: timeout) }
        guard let mapping = yaml.mapping(node, "a scan", keys: ["name", "service", "minimum-rssi", "absent", "within"])
        else { return nil }
        let pattern = AdvertisementPattern(
            name: mapping["name"].flatMap { yaml.string($0) }, service: mapping["service"].flatMap { yaml.string($0) },
            minimumRSSI: mapping["minimum-rssi"].flatMap { yaml.integer($0, in: -127...20) })
        let isAbsent = mapping["absent"].flatMap { yaml.boolean($0) } ?? false
        return .scan(pattern, isAbsent: isAbsent, within: limit(mapping))
    }

    private mutating func connect(_ node: YAMLNode) -> ScriptAction? {
        if node.isNull { return .connect(device: nil, within: timeout) }
        if let device = node.text { return .connect(device: device, within: timeout) }
        guard let mapping = yaml.mapping(node, "a connection", keys: ["device", "connected", "within"]) else {
            return nil
        }
        if let service = mapping["connected"] {
            if mapping.contains("device") {
                yaml.complain("expected either \"device\" or \"connected\", found both.", at: service.position)
            }
            return yaml.service(service).map { .connectToConnected(service: $0, within: limit(mapping)) }
        }
        return .connect(device: mapping["device"].flatMap { yaml.string($0) }, within: limit(mapping))
    }

    private mutating func expectName(_ node: YAMLNode) -> ScriptAction? {
        if let name = node.text { return .expectName(name, within: timeout) }
        guard let mapping = yaml.mapping(node, "a name", keys: ["name", "within"]) else { return nil }
        let name = yaml.required("name", of: mapping).flatMap { yaml.string($0) }
        return name.map { .expectName($0, within: limit(mapping)) }
    }

    /// An action with a time limit and nothing else.
    private mutating func within(_ node: YAMLNode) -> Duration? {
        if node.isNull { return timeout }
        guard let mapping = yaml.mapping(node, "a wait", keys: ["within"]) else { return nil }
        return limit(mapping)
    }

    private mutating func limit(_ mapping: YAMLMapping) -> Duration {
        mapping["within"].flatMap { yaml.duration($0, in: Self.limits) } ?? timeout
    }

    private mutating func bounds(_ node: YAMLNode, _ range: ClosedRange<Int>) -> Bounds? {
        if node.isNull { return Bounds() }
        guard let mapping = yaml.mapping(node, "limits", keys: ["minimum", "maximum"]) else { return nil }
        let bounds = Bounds(
            minimum: mapping["minimum"].flatMap { yaml.integer($0, in: range) },
            maximum: mapping["maximum"].flatMap { yaml.integer($0, in: range) })
        if let minimum = bounds.minimum, let maximum = bounds.maximum, minimum > maximum {
            yaml.complain("expected a minimum of at most \(maximum), found \(minimum).", at: mapping.position)
        }
        return bounds
    }

    private mutating func pair(_ node: YAMLNode) -> ScriptAction? {
        if node.isNull { return .pair(.encrypted) }
        let word = yaml.choice(node, of: ScriptSecurity.allCases.map(\.rawValue))
        return word.flatMap(ScriptSecurity.init(rawValue:)).map { .pair($0) }
    }

    private mutating func repetition(_ node: YAMLNode) -> ScriptAction? {
        guard let mapping = yaml.mapping(node, "a repetition", keys: ["times", "steps"]),
            let count = yaml.required("times", of: mapping), let list = yaml.required("steps", of: mapping)
        else { return nil }
        let times = yaml.integer(count, in: 1...100_000)
        let steps = self.steps(list)
        return times.map { .repeated(times: $0, steps) }
    }

    // MARK: Values

    private static let expectationKeys = ["equals", "matches", "in", "format"]

    private mutating func read(_ node: YAMLNode) -> ScriptAction? {
        if let name = node.text { return .read(characteristic: name, ValueExpectation(), isRefused: false) }
        let keys = ["characteristic"] + Self.expectationKeys + ["refused"]
        guard let mapping = yaml.mapping(node, "a read", keys: keys),
            let expectation = expectation(mapping), let name = characteristic(mapping)
        else { return nil }
        return .read(characteristic: name, expectation, isRefused: isRefused(mapping, expectation))
    }

    private mutating func write(_ node: YAMLNode) -> ScriptAction? {
        let keys = ["characteristic", "value", "format", "response", "refused", "count"]
        guard let mapping = yaml.mapping(node, "a write", keys: keys) else { return nil }
        let name = characteristic(mapping)
        let format = self.format(mapping) ?? ValueFormat(.hexadecimal)
        guard let place = yaml.required("value", of: mapping) else { return nil }
        // An empty text is a value without octets.
        guard let text = yaml.string(place, "a value"), let value = value(text, format, at: place.position) else {
            return nil
        }
        let response = mapping["response"].flatMap { yaml.boolean($0) }
        let isRefused = mapping["refused"].flatMap { yaml.boolean($0) } ?? false
        let count = count(mapping)
        return name.map { .write(characteristic: $0, value, response: response, isRefused: isRefused, count: count) }
    }

    private mutating func subscribe(_ node: YAMLNode) -> ScriptAction? {
        if let name = node.text { return .subscribe(characteristic: name, isRefused: false) }
        guard let mapping = yaml.mapping(node, "a subscription", keys: ["characteristic", "refused"]),
            let name = characteristic(mapping)
        else { return nil }
        let isRefused = mapping["refused"].flatMap { yaml.boolean($0) } ?? false
        return .subscribe(characteristic: name, isRefused: isRefused)
    }

    private mutating func waitForNotification(_ node: YAMLNode) -> ScriptAction? {
        if let name = node.text {
            return .waitForNotification(characteristic: name, ValueExpectation(), count: 1, within: timeout)
        }
        let keys = ["characteristic"] + Self.expectationKeys + ["count", "within"]
        guard let mapping = yaml.mapping(node, "a wait for notifications", keys: keys),
            let expectation = expectation(mapping), let name = characteristic(mapping)
        else { return nil }
        return .waitForNotification(characteristic: name, expectation, count: count(mapping), within: limit(mapping))
    }

    private mutating func waitForWrite(_ node: YAMLNode) -> ScriptAction? {
        if let name = node.text { return .waitForWrite(characteristic: name, ValueExpectation(), within: timeout) }
        let keys = ["characteristic"] + Self.expectationKeys + ["count", "within"]
        guard let mapping = yaml.mapping(node, "a wait for a write", keys: keys),
            let expectation = expectation(mapping), let name = characteristic(mapping)
        else { return nil }
        return .waitForWrite(characteristic: name, expectation, count: count(mapping), within: limit(mapping))
    }

    /// A wait for a characteristic.
    private mutating func limited(_ node: YAMLNode, _ what: String) -> (String, Duration)? {
        if let name = node.text { return (name, timeout) }
        guard let mapping = yaml.mapping(node, "a wait for \(what)", keys: ["characteristic", "within"]),
            let name = characteristic(mapping)
        else { return nil }
        return (name, limit(mapping))
    }

    private mutating func characteristic(_ mapping: YAMLMapping) -> String? {
        yaml.required("characteristic", of: mapping).flatMap { yaml.string($0, "a characteristic") }
    }

    private mutating func count(_ mapping: YAMLMapping) -> Int {
        mapping["count"].flatMap { yaml.integer($0, in: 1...100_000) } ?? 1
    }

    private mutating func isRefused(_ mapping: YAMLMapping, _ expectation: ValueExpectation) -> Bool {
        guard let node = mapping["refused"], yaml.boolean(node) == true else { return false }
        if !expectation.isAny {
            yaml.complain("expected either an expected value or \"refused\", found both.", at: node.position)
        }
        return true
    }

    private mutating func format(_ mapping: YAMLMapping) -> ValueFormat? {
        guard let node = mapping["format"] else { return nil }
        return yaml.choice(node, of: ValueFormat.all.map(\.name)).flatMap { ValueFormat(name: $0) }
    }

    private mutating func value(_ text: String, _ format: ValueFormat, at position: YAMLPosition) -> ScriptValue? {
        do throws(ValueError) {
            return try ScriptValue(text, format)
        } catch {
            yaml.complain("expected a value of the format \(format.name), found \"\(text)\".", at: position)
            return nil
        }
    }

    /// At most one of the keys `equals`, `matches` and `in`, with the format.
    private mutating func expectation(_ mapping: YAMLMapping) -> ValueExpectation? {
        let format = self.format(mapping)
        let present = ["equals", "matches", "in"].filter { mapping[$0] != nil }
        if present.count > 1, let second = mapping[present[1]] {
            yaml.complain(
                "expected one of equals, matches and in, found \(present.joined(separator: " and ")).",
                at: second.position)
            return nil
        }
        if let node = mapping["equals"] {
            guard let text = yaml.string(node, "a value") else { return nil }
            if let format, value(text, format, at: node.position) == nil { return nil }
            return ValueExpectation(.equals(text), format: format)
        }
        if let node = mapping["matches"] {
            guard let pattern = yaml.string(node, "a regular expression") else { return nil }
            guard (try? Regex(pattern)) != nil else {
                yaml.expected("a regular expression", found: node)
                return nil
            }
            return ValueExpectation(.matches(pattern), format: format)
        }
        if let node = mapping["in"] {
            guard let ends = node.elements, ends.count == 2 else {
                yaml.expected("two numbers such as [60, 90]", found: node)
                return nil
            }
            guard let low = yaml.number(ends[0]), let high = yaml.number(ends[1]) else { return nil }
            guard low <= high else {
                yaml.complain("expected the smaller number first, found \(low) before \(high).", at: node.position)
                return nil
            }
            return ValueExpectation(.range(low...high), format: format)
        }
        return ValueExpectation(format: format)
    }
}
