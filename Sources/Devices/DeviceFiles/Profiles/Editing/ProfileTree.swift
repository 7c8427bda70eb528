/// The keys and texts of a profile file as a tree without places, for editors that show forms instead of text.
///
/// In JSON it is the file with texts in the place of numbers and words. A JSON number or Boolean decodes as its text.
package indirect enum ProfileTree: Hashable, Sendable {
    case nothing
    case text(String)
    case list([ProfileTree])
    case mapping([String: ProfileTree])

    /// The tree of a YAML node.
    package init(_ node: YAMLNode) {
        switch node.content {
        case .scalar(let text, _): self = node.isNull ? .nothing : .text(text)
        case .sequence(let elements): self = .list(elements.map { ProfileTree($0) })
        case .mapping(let entries):
            self = .mapping(
                Dictionary(entries.map { ($0.key, ProfileTree($0.value)) }, uniquingKeysWith: { first, _ in first }))
        }
    }
}

extension ProfileTree: Codable {
    package init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        // A limit here bounds the recursion before the tree exists.
        guard decoder.codingPath.count <= YAMLDocument.Limit.depth + 8 else {
            throw DecodingError.dataCorruptedError(in: container, debugDescription: "The profile has too many levels.")
        }
        if let text = try? container.decode(String.self) {
            self = .text(text)
        } else if container.decodeNil() {
            self = .nothing
        } else if let flag = try? container.decode(Bool.self) {
            self = .text(flag ? "true" : "false")
        } else if let value = try? container.decode(Int.self) {
            self = .text(String(value))
        } else if let value = try? container.decode(Double.self) {
            self = .text(String(value))
        } else if let elements = try? container.decode([ProfileTree].self) {
            self = .list(elements)
        } else {
            self = .mapping(try container.decode([String: ProfileTree].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .nothing: try container.encodeNil()
        case .text(let text): try container.encode(text)
        case .list(let elements): try container.encode(elements)
        case .mapping(let members): try container.encode(members)
        }
    }
}
