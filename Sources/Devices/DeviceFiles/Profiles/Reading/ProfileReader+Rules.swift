import BLEAdapter
import BLEAssignedNumbers
import BLEValues
import BLEWire

extension ProfileReader {
    mutating func readRule(_ node: YAMLNode) -> ReadRule {
        guard let mapping = yaml.mapping(node, "rules of reads", keys: ["error", "delay"]) else { return ReadRule() }
        return ReadRule(
            error: mapping["error"].flatMap { errorCode($0) },
            // A client ends its link after 30 s without an answer (Vol 3, Part F, 3.3.3).
            delay: mapping["delay"].flatMap { yaml.duration($0, in: .zero ... .seconds(60)) })
    }

    mutating func writeRule(_ node: YAMLNode, _ format: ValueFormat) -> (WriteRule, effects: YAMLNode?) {
        let keys = ["length", "minimum", "maximum", "allowed", "error", "then"]
        guard let mapping = yaml.mapping(node, "rules of writes", keys: keys) else { return (WriteRule(), nil) }
        var rule = WriteRule()
        rule.length = mapping["length"].flatMap { length($0) }
        let minimum = mapping["minimum"].flatMap { yaml.number($0) }
        let maximum = mapping["maximum"].flatMap { yaml.number($0) }
        if let bound = mapping["minimum"] ?? mapping["maximum"] {
            requiresNumbers(format, bound)
            let (low, high) = (minimum ?? -.greatestFiniteMagnitude, maximum ?? .greatestFiniteMagnitude)
            if low <= high {
                rule.range = low...high
            } else {
                yaml.complain("expected a minimum up to the maximum, found \(low) and \(high).", at: bound.position)
            }
        }
        let allowed = mapping["allowed"].flatMap { yaml.listOrOne($0, "a list of values") } ?? []
        rule.allowed = allowed.compactMap { octets($0, format) }
        rule.error = mapping["error"].flatMap { errorCode($0) }
        return (rule, mapping["then"])
    }

    /// A number of octets, or a range such as 1-20.
    private mutating func length(_ node: YAMLNode) -> ClosedRange<Int>? {
        let parts = (node.text ?? "").split(separator: "-", omittingEmptySubsequences: false).map {
            YAMLReader.integer(String($0).trimmingSpaces)
        }
        if parts.count <= 2, let low = parts.first ?? nil, let high = parts.last ?? nil,
            0 <= low, low <= high, high <= CharacteristicProfile.longestValue
        {
            return low...high
        }
        yaml.expected("a number of octets up to 512 such as 2, or a range such as 1-20", found: node)
        return nil
    }

    private mutating func errorCode(_ node: YAMLNode) -> ErrorCode? {
        if let code = node.text.flatMap({ ErrorCode(word: $0) }) { return code }
        let words = ErrorCode.words.map(\.word)
        let hint =
            node.text.flatMap { Spelling.nearest(to: $0, in: words) }.map { " (did you mean \"\($0)\"?)" } ?? ""
        yaml.complain(
            "expected an ATT error such as value-not-allowed or 0x80, found \(node.found)\(hint).", at: node.position)
        return nil
    }

    mutating func requiresNumbers(_ format: ValueFormat, _ node: YAMLNode) {
        guard !format.hasNumbers else { return }
        yaml.complain(
            "expected a format with numbers such as \"format: u8\" in the characteristic, found \(format.name).",
            at: node.position)
    }

    // MARK: Effects

    mutating func effects(_ node: YAMLNode, of index: CharacteristicIndex, in profile: DeviceProfile) -> [WriteEffect] {
        let list = yaml.list(node, "a list of effects") ?? []
        limit(list.count, 16, "effects", node)
        return list.prefix(16).compactMap { effect($0, of: index, in: profile) }
    }

    private mutating func effect(
        _ node: YAMLNode, of index: CharacteristicIndex, in profile: DeviceProfile
    ) -> WriteEffect? {
        let keys = ["characteristic", "echo", "value", "factor", "offset"]
        guard let mapping = yaml.mapping(node, "an effect of a write", keys: keys),
            let target = yaml.required("characteristic", of: mapping).flatMap({ reference($0, in: profile) })
        else { return nil }
        let isEcho = mapping["echo"].flatMap { yaml.boolean($0) } ?? false
        let kinds = [isEcho, mapping.contains("value"), mapping["factor"] != nil || mapping["offset"] != nil]
        guard kinds.count(where: { $0 }) == 1 else {
            yaml.complain(
                "expected exactly one of \"echo: true\", \"value\", and \"factor\" with \"offset\".",
                at: mapping.position)
            return nil
        }
        if isEcho {
            if !profile[target].properties.allowsSubscriptions {
                yaml.complain(
                    "expected a characteristic with the property notify or indicate, found \(profile[target].uuid).",
                    at: mapping.position)
            }
            return WriteEffect(target: target, change: .echo)
        }
        if let value = mapping["value"] {
            return octets(value, profile[target].format).map { WriteEffect(target: target, change: .value($0)) }
        }
        requiresNumbers(profile[index].format, mapping["factor"] ?? mapping["offset"] ?? node)
        requiresNumbers(profile[target].format, mapping["factor"] ?? mapping["offset"] ?? node)
        let factor = mapping["factor"].flatMap { yaml.number($0) } ?? 1
        let offset = mapping["offset"].flatMap { yaml.number($0) } ?? 0
        return WriteEffect(target: target, change: .linear(factor: factor, offset: offset))
    }

    /// The characteristic with a UUID or a name, or SERVICE/CHARACTERISTIC.
    private mutating func reference(_ node: YAMLNode, in profile: DeviceProfile) -> CharacteristicIndex? {
        let parts = (node.text ?? "").split(separator: "/", maxSplits: 1).map { String($0).trimmingSpaces }
        func part(_ text: String) -> YAMLNode { YAMLNode(.scalar(text, isQuoted: true), at: node.position) }
        guard let last = parts.last else {
            yaml.expected("a characteristic", found: node)
            return nil
        }
        guard let wanted = uuid(part(last), in: .characteristics) else { return nil }
        let service = parts.count == 2 ? uuid(part(parts[0]), in: .services) : nil
        if parts.count == 2, service == nil { return nil }
        let found = profile.characteristics.filter { index in
            profile[index].uuid == wanted && (service == nil || profile.services[index.service].uuid == service)
        }
        if found.count == 1 { return found[0] }
        yaml.expected(
            found.isEmpty
                ? "a characteristic of this profile" : "one characteristic (SERVICE/CHARACTERISTIC selects it)",
            found: node)
        return nil
    }
}

extension String {
    var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
