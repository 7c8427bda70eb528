import BLEAdapter
import BLEWire

/// Reads typed values from a tree and collects the errors, so that one run reports all errors of a file.
///
/// Each method returns nil after it recorded an error. `finish()` throws the collected errors.
package struct YAMLReader {
    package let file: String
    private var problems: [YAMLDiagnostic] = []
    private let limit: Int

    /// - Parameter limit: The number of errors that `finish()` lists.
    package init(file: String, limit: Int = 20) {
        self.file = file
        self.limit = limit
    }

    package var hasProblems: Bool { !problems.isEmpty }

    /// Whether there are as many errors as `finish()` lists.
    package var isFull: Bool { problems.count >= limit }

    /// Throws the errors in the order of their places, if there are any.
    package func finish() throws(YAMLError) {
        guard !problems.isEmpty else { return }
        let sorted = problems.enumerated().sorted {
            ($0.element.position ?? .start, $0.offset) < ($1.element.position ?? .start, $1.offset)
        }.map(\.element)
        throw YAMLError(Array(sorted.prefix(limit)), omitted: max(0, sorted.count - limit))
    }

    // MARK: Errors

    /// Records that `expected` should be in the place of `node`.
    package mutating func expected(_ expected: String, found node: YAMLNode) {
        complain("expected \(expected), found \(node.found).", at: node.position)
    }

    /// Records an error with a complete sentence.
    package mutating func complain(_ message: String, at position: YAMLPosition) {
        problems.append(YAMLDiagnostic(file: file, at: position, message))
    }

    /// Records an error of another file that this file names.
    package mutating func complain(_ problem: YAMLDiagnostic) { problems.append(problem) }

    // MARK: Mappings and lists

    /// A mapping with these keys. Other keys are errors; the message suggests the nearest known key.
    package mutating func mapping(_ node: YAMLNode, _ what: String, keys: [String]) -> YAMLMapping? {
        guard let entries = node.entries else {
            expected("\(what) (a mapping with \(Self.list(keys)))", found: node)
            return nil
        }
        for entry in entries where !keys.contains(entry.key) { unknown(entry, keys) }
        return YAMLMapping(entries: entries, position: node.position, what: what)
    }

    /// The value of a required key. Records an error if it is missing.
    package mutating func required(_ key: String, of mapping: YAMLMapping) -> YAMLNode? {
        if let node = mapping[key] { return node }
        complain("expected the key \"\(key)\" in \(mapping.what), found none.", at: mapping.position)
        return nil
    }

    /// The elements of a list. `what` describes the list: "a list of services".
    package mutating func list(_ node: YAMLNode, _ what: String) -> [YAMLNode]? {
        guard let elements = node.elements else {
            expected(what, found: node)
            return nil
        }
        return elements
    }

    /// The elements of a list, or a single scalar in its place.
    package mutating func listOrOne(_ node: YAMLNode, _ what: String) -> [YAMLNode]? {
        node.text == nil ? list(node, what) : [node]
    }

    // MARK: Scalars

    package mutating func string(_ node: YAMLNode, _ what: String = "a text") -> String? {
        guard let text = node.text else {
            expected(what, found: node)
            return nil
        }
        return text
    }

    /// A whole number, decimal or hexadecimal with the prefix 0x.
    package mutating func integer(
        _ node: YAMLNode, in range: ClosedRange<Int> = .min ... .max, _ what: String = "a whole number"
    ) -> Int? {
        guard let text = node.text, let value = Self.integer(text), range.contains(value) else {
            let bounds = range == .min ... .max ? "" : " from \(range.lowerBound) to \(range.upperBound)"
            expected(what + bounds, found: node)
            return nil
        }
        return value
    }

    package mutating func number(
        _ node: YAMLNode, in range: ClosedRange<Double>? = nil, _ what: String = "a number"
    ) -> Double? {
        guard let text = node.text, let value = Double(text), value.isFinite, range?.contains(value) ?? true else {
            let bounds = range.map { " from \($0.lowerBound) to \($0.upperBound)" } ?? ""
            expected(what + bounds, found: node)
            return nil
        }
        return value
    }

    package mutating func boolean(_ node: YAMLNode) -> Bool? {
        switch node.text {
        case "true", "yes", "on": return true
        case "false", "no", "off": return false
        default:
            expected("true or false", found: node)
            return nil
        }
    }

    /// A duration with its unit: `100 ms`, `1.5 s`, `2 min`, `1 h`.
    package mutating func duration(
        _ node: YAMLNode, in range: ClosedRange<Duration> = .zero ... .seconds(86_400 * 365)
    ) -> Duration? {
        guard let text = node.text, let value = Self.duration(text) else {
            expected("a duration such as \"100 ms\", \"1.5 s\" or \"2 min\"", found: node)
            return nil
        }
        guard range.contains(value) else {
            expected("a duration from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound))", found: node)
            return nil
        }
        return value
    }

    /// Octets as pairs of hexadecimal digits, with or without spaces, colons or hyphens between them.
    package mutating func octets(_ node: YAMLNode, count: ClosedRange<Int> = 0...512) -> [UInt8]? {
        guard let text = node.text, let octets = Self.octets(text) else {
            expected("octets as hexadecimal digits such as \"01 ff\"", found: node)
            return nil
        }
        guard count.contains(octets.count) else {
            complain(
                "expected \(count.lowerBound) to \(count.upperBound) octets, found \(octets.count).", at: node.position)
            return nil
        }
        return octets
    }

    /// One of these words.
    package mutating func choice(_ node: YAMLNode, of words: [String]) -> String? {
        guard let text = node.text, words.contains(text) else {
            let hint =
                node.text.flatMap { Spelling.nearest(to: $0, in: words) }.map { " (did you mean \"\($0)\"?)" } ?? ""
            complain("expected \(Self.alternatives(words)), found \(node.found)\(hint).", at: node.position)
            return nil
        }
        return text
    }

    /// Reads the word of a PHY.
    package mutating func phy(_ node: YAMLNode, of phys: [HCI.PHY] = HCI.PHY.all) -> HCI.PHY? {
        choice(node, of: phys.map(\.word)).flatMap { HCI.PHY(word: $0) }
    }

    private mutating func unknown(_ entry: YAMLEntry, _ keys: [String]) {
        let found = "found \(YAMLNode(.scalar(entry.key, isQuoted: true), at: entry.keyPosition).found)"
        let hint = Spelling.nearest(to: entry.key, in: keys).map { " (did you mean \"\($0)\"?)" } ?? ""
        complain("expected one of the keys \(Self.list(keys)), \(found)\(hint).", at: entry.keyPosition)
    }
}

/// A mapping whose keys were checked.
package struct YAMLMapping: Sendable {
    package let entries: [YAMLEntry]
    package let position: YAMLPosition
    /// The mapping in words: "a service".
    package let what: String

    package init(entries: [YAMLEntry], position: YAMLPosition, what: String) {
        self.entries = entries
        self.position = position
        self.what = what
    }

    /// The value of a key; nil if the key is missing or its value is null.
    package subscript(_ key: String) -> YAMLNode? {
        entries.first { $0.key == key }.flatMap { $0.value.isNull ? nil : $0.value }
    }

    /// Whether the key is present, with or without a value.
    package func contains(_ key: String) -> Bool { entries.contains { $0.key == key } }
}

extension YAMLPosition {
    fileprivate static let start = YAMLPosition(line: 0, column: 0)
}
