import BLEAdapter
import BLEValues

extension DeviceScript {
    /// The most steps that a run may execute, with the repetitions.
    package static let limit = 100_000

    /// Reads and validates a script.
    ///
    /// - Parameter variables: Values that replace those of the file.
    /// - Throws: `YAMLError` with all errors of the file.
    package init(_ document: YAMLDocument, variables: [String: String] = [:]) throws(YAMLError) {
        var reader = ScriptReader(file: document.file)
        let script = reader.script(document.root, variables)
        try reader.yaml.finish()
        self = script ?? DeviceScript(name: nil, steps: [])
    }
}

/// Reads the values of a script. Each method returns nil after it recorded an error.
struct ScriptReader {
    var yaml: YAMLReader
    /// The octets that variables added. Short references can multiply a long value.
    private var expanded = 0
    private var isTooLong = false
    /// The time limit of steps without their own.
    private(set) var timeout = Duration.seconds(10)

    static let scriptKeys = ["name", "variables", "timeout", "steps"]
    static let limits = Duration.milliseconds(1)...Duration.seconds(86_400)

    init(file: String) { yaml = YAMLReader(file: file) }

    mutating func script(_ root: YAMLNode, _ replaced: [String: String]) -> DeviceScript? {
        guard let top = yaml.mapping(root, "a script", keys: Self.scriptKeys) else { return nil }
        var variables: [String: String] = [:]
        if let node = top["variables"] { variables = self.variables(node) }
        for (name, value) in replaced.sorted(by: { $0.key < $1.key }) {
            if variables[name] == nil {
                let hint = Spelling.nearest(to: name, in: variables.keys.sorted()).map {
                    " (did you mean \"\($0)\"?)"
                }
                yaml.complain(
                    "expected a variable of the script after --set, found \"\(name)\"\(hint ?? "").",
                    at: top["variables"]?.position ?? root.position)
            }
            variables[name] = value
        }
        let name = top["name"].map { substituted($0, variables) }.flatMap { yaml.string($0) }
        if let node = top["timeout"] { timeout = yaml.duration(node, in: Self.limits) ?? timeout }
        guard let node = yaml.required("steps", of: top) else { return nil }
        let steps = self.steps(substituted(node, variables))
        let script = DeviceScript(name: name, steps: steps)
        if script.count > DeviceScript.limit {
            yaml.complain(
                "expected at most \(DeviceScript.limit) steps with all repetitions, found more.", at: node.position)
        }
        return script
    }

    // MARK: Variables

    private mutating func variables(_ node: YAMLNode) -> [String: String] {
        guard let entries = node.entries else {
            yaml.expected("a mapping of names and values", found: node)
            return [:]
        }
        var variables: [String: String] = [:]
        for entry in entries {
            guard let first = entry.key.first, first.isLetter,
                entry.key.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" })
            else {
                yaml.complain(
                    "expected a name of letters, digits, - and _, found \"\(entry.key)\".", at: entry.keyPosition)
                continue
            }
            variables[entry.key] = yaml.string(entry.value, "the text or number of a variable")
        }
        return variables
    }

    /// The node with the values of variables in place of `${name}`, in texts, not in keys.
    private mutating func substituted(_ node: YAMLNode, _ variables: [String: String]) -> YAMLNode {
        switch node.content {
        case .scalar(let text, let isQuoted):
            guard text.contains("${") else { return node }
            return YAMLNode(
                .scalar(substituted(text, variables, at: node.position), isQuoted: isQuoted), at: node.position)
        case .sequence(let elements):
            var all: [YAMLNode] = []
            for element in elements { all.append(substituted(element, variables)) }
            return YAMLNode(.sequence(all), at: node.position)
        case .mapping(let entries):
            var all: [YAMLEntry] = []
            for entry in entries {
                let value = substituted(entry.value, variables)
                all.append(YAMLEntry(key: entry.key, at: entry.keyPosition, value: value))
            }
            return YAMLNode(.mapping(all), at: node.position)
        }
    }

    private mutating func substituted(_ text: String, _ variables: [String: String], at position: YAMLPosition)
        -> String
    {
        if isTooLong { return "" }
        var result = ""
        var rest = text[...]
        while let start = rest.firstRange(of: "${") {
            result += rest[..<start.lowerBound]
            rest = rest[start.upperBound...]
            guard let end = rest.firstIndex(of: "}") else {
                yaml.complain("expected } after ${, found \"\(rest)\".", at: position)
                return result
            }
            let name = String(rest[..<end])
            rest = rest[rest.index(after: end)...]
            if let value = variables[name] {
                expanded += value.utf8.count
                guard expanded <= YAMLDocument.Limit.size else {
                    if !isTooLong {
                        isTooLong = true
                        yaml.complain(
                            "expected at most \(YAMLDocument.Limit.size) octets from variables, found more.",
                            at: position)
                    }
                    return ""
                }
                result += value
            } else {
                let hint = Spelling.nearest(to: name, in: variables.keys.sorted()).map {
                    " (did you mean \"\($0)\"?)"
                }
                yaml.complain("expected a variable of the script, found \"\(name)\"\(hint ?? "").", at: position)
            }
        }
        return result + rest
    }

    // MARK: Steps

    mutating func steps(_ node: YAMLNode) -> [ScriptStep] {
        guard let elements = yaml.list(node, "a list of steps") else { return [] }
        if elements.isEmpty { yaml.expected("at least one step", found: node) }
        var steps: [ScriptStep] = []
        for element in elements { if let step = step(element) { steps.append(step) } }
        return steps
    }

    private mutating func step(_ node: YAMLNode) -> ScriptStep? {
        if let word = node.text {
            let nothing = YAMLNode(.scalar("", isQuoted: false), at: node.position)
            return action(word, at: node.position, nothing).map { ScriptStep(line: node.position.line, $0) }
        }
        guard let entries = node.entries, entries.count == 1 else {
            if let second = node.entries?.dropFirst().first {
                yaml.complain(
                    "expected one action in a step, found \"\(second.key)\" as well. Each step starts with \"- \".",
                    at: second.keyPosition)
            } else {
                yaml.expected("a step such as \"- connect: Wristband\"", found: node)
            }
            return nil
        }
        let entry = entries[0]
        return action(entry.key, at: entry.keyPosition, entry.value).map {
            ScriptStep(line: entry.keyPosition.line, $0)
        }
    }

    private mutating func action(_ word: String, at position: YAMLPosition, _ node: YAMLNode) -> ScriptAction? {
        guard let kind = StepKind(rawValue: word) else {
            let words = StepKind.allCases.map(\.rawValue)
            let hint = Spelling.nearest(to: word, in: words).map { "did you mean \"\($0)\"?" }
            let known = hint ?? "the actions are \(words.joined(separator: ", "))"
            yaml.complain("expected an action, found \"\(word)\" (\(known)).", at: position)
            return nil
        }
        return action(kind, node)
    }
}

/// The words of a script's actions.
package enum StepKind: String, CaseIterable, Sendable {
    case scan, connect
    case expectName = "expect-name"
    case disconnect
    case expectDisconnect = "expect-disconnect"
    case discover, read, write, subscribe, unsubscribe
    case waitForNotification = "wait-for-notification"
    case `repeat`
    case sleep, rssi, mtu, pair
    case expectBond = "expect-bond"
    case serve
    case stopServing = "stop-serving"
    case waitForRead = "wait-for-read"
    case waitForWrite = "wait-for-write"
    case waitForSubscription = "wait-for-subscription"
}
