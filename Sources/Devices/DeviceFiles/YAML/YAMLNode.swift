/// A place in a file. Lines and columns start at 1; a column counts Unicode scalars.
package struct YAMLPosition: Hashable, Sendable, Comparable {
    package let line: Int
    package let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    package static func < (left: YAMLPosition, right: YAMLPosition) -> Bool {
        (left.line, left.column) < (right.line, right.column)
    }
}

/// One value of a YAML file with its place.
///
/// Scalars keep their text as it is written: `01` and `0x10` are not converted to numbers.
package struct YAMLNode: Hashable, Sendable {
    package indirect enum Content: Hashable, Sendable {
        /// `isQuoted` is false for a plain scalar, which may be null.
        case scalar(String, isQuoted: Bool)
        case sequence([YAMLNode])
        case mapping([YAMLEntry])
    }

    package let content: Content
    package let position: YAMLPosition

    package init(_ content: Content, at position: YAMLPosition) {
        self.content = content
        self.position = position
    }

    /// Whether the node is an empty plain scalar, `~` or `null`.
    package var isNull: Bool {
        guard case .scalar(let text, isQuoted: false) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// The text of a scalar; nil for lists, mappings and null.
    package var text: String? {
        guard case .scalar(let text, _) = content, !isNull else { return nil }
        return text
    }

    /// The entries of a mapping; nil for other nodes.
    package var entries: [YAMLEntry]? {
        guard case .mapping(let entries) = content else { return nil }
        return entries
    }

    /// The elements of a list; nil for other nodes.
    package var elements: [YAMLNode]? {
        guard case .sequence(let elements) = content else { return nil }
        return elements
    }

    /// The node in words, for the second half of an error: `"abc"`, `a list`.
    package var found: String {
        if isNull { return "nothing" }
        switch content {
        case .scalar(let text, _):
            let shown = text.count > 40 ? text.prefix(37) + "..." : text[...]
            return "\"" + shown.map { $0.isNewline ? " " : String($0) }.joined() + "\""
        case .sequence: return "a list"
        case .mapping: return "a mapping"
        }
    }
}

/// A key of a mapping with its value.
package struct YAMLEntry: Hashable, Sendable {
    package let key: String
    package let keyPosition: YAMLPosition
    package let value: YAMLNode

    package init(key: String, at keyPosition: YAMLPosition, value: YAMLNode) {
        self.key = key
        self.keyPosition = keyPosition
        self.value = value
    }
}
