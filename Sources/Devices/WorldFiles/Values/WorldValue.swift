import Foundation

/// A value of JSON: the arguments and answers of actions, and the parameters of scenes and programs.
package indirect enum WorldValue: Hashable, Sendable {
    case null
    case bool(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([WorldValue])
    case object([String: WorldValue])

    /// The member of an object; nil for another value and for a missing member.
    package subscript(_ name: String) -> WorldValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    package var string: String? { if case .string(let text) = self { text } else { nil } }
    package var bool: Bool? { if case .bool(let flag) = self { flag } else { nil } }

    package var integer: Int? {
        switch self {
        case .integer(let value): value
        case .number(let value): Int(exactly: value)
        default: nil
        }
    }

    package var number: Double? {
        switch self {
        case .integer(let value): Double(value)
        case .number(let value): value
        default: nil
        }
    }

    /// Decodes the value as a type. `.null` decodes as an empty object.
    package func decoded<Value: Decodable>(as type: Value.Type = Value.self) throws -> Value {
        let value = self == .null ? WorldValue.object([:]) : self
        return try JSONDecoder().decode(type, from: JSONEncoder().encode(value))
    }

    /// The JSON value of an encodable value.
    package init(encoding value: some Encodable) throws {
        self = try JSONDecoder().decode(WorldValue.self, from: JSONEncoder().encode(value))
    }
}

extension WorldValue {
    /// The integer nearest to this one in a range; nil if this is no integer.
    package func clamped(to range: ClosedRange<Int>) -> Int? {
        integer.map { Swift.min(Swift.max($0, range.lowerBound), range.upperBound) }
    }

    /// The number nearest to this one in a range; nil if this is no finite number.
    package func clamped(to range: ClosedRange<Double>) -> Double? {
        number.flatMap { $0.isFinite ? Swift.min(Swift.max($0, range.lowerBound), range.upperBound) : nil }
    }
}

extension WorldValue {
    /// Whether a world file can have the value: at most 24 levels, and no NUL. A key, with its escapes, is shorter than 1,024 characters.
    package var isWritable: Bool { isWritable(levels: 24) }

    private func isWritable(levels: Int) -> Bool {
        switch self {
        case .string(let text): !text.utf8.contains(0)
        case .array(let elements): levels > 0 && elements.allSatisfy { $0.isWritable(levels: levels - 1) }
        case .object(let members):
            levels > 0
                && members.allSatisfy {
                    $0.key.utf8.count <= 100 && !$0.key.utf8.contains(0) && $0.value.isWritable(levels: levels - 1)
                }
        case .null, .bool, .integer, .number: true
        }
    }
}

extension WorldValue: Codable {
    /// The most arrays and objects inside each other. Values are encoded and decoded recursively, on threads with small stacks.
    private static let depthLimit = 64

    package init(from decoder: any Decoder) throws {
        guard decoder.codingPath.count <= Self.depthLimit else {
            throw DecodingError.dataCorrupted(
                DecodingError.Context(codingPath: [], debugDescription: "more than \(Self.depthLimit) levels"))
        }
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let flag = try? container.decode(Bool.self) {
            self = .bool(flag)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let text = try? container.decode(String.self) {
            self = .string(text)
        } else if let elements = try? container.decode([WorldValue].self) {
            self = .array(elements)
        } else {
            self = .object(try container.decode([String: WorldValue].self))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let flag): try container.encode(flag)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .string(let text): try container.encode(text)
        case .array(let elements): try container.encode(elements)
        case .object(let members): try container.encode(members)
        }
    }
}

extension WorldValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    package init(stringLiteral value: String) { self = .string(value) }
    package init(integerLiteral value: Int) { self = .integer(value) }
    package init(floatLiteral value: Double) { self = .number(value) }
    package init(booleanLiteral value: Bool) { self = .bool(value) }
    package init(arrayLiteral elements: WorldValue...) { self = .array(elements) }
    package init(dictionaryLiteral elements: (String, WorldValue)...) {
        self = .object(Dictionary(elements, uniquingKeysWith: { _, last in last }))
    }
}
