/// A JSON value: the arguments of a request or an event, and the result of a request.
public enum LinkValue: Hashable, Sendable {
    /// No value.
    case null
    /// True or false.
    case bool(Bool)
    /// A number without a fraction and an exponent.
    case integer(Int64)
    /// Any other number. It is finite.
    case number(Double)
    /// A text.
    case text(String)
    /// Values in an order.
    case list([LinkValue])
    /// Values with names.
    case object([String: LinkValue])

    /// The member of an object with this name; nil if there is none.
    public subscript(name: String) -> LinkValue? {
        if case .object(let members) = self { members[name] } else { nil }
    }

    /// The text; nil for other values.
    public var text: String? { if case .text(let text) = self { text } else { nil } }
    /// The truth value; nil for other values.
    public var bool: Bool? { if case .bool(let bool) = self { bool } else { nil } }
    /// The integer; nil for other values.
    public var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }
    /// The number, also of an integer; nil for other values.
    public var number: Double? {
        switch self {
        case .integer(let integer): Double(integer)
        case .number(let number): number
        default: nil
        }
    }

    /// The value as JSON on one line, with the members of objects in the order of their names.
    public var json: String { String(decoding: JSONWriter.octets(of: self), as: UTF8.self) }

    /// Reads one JSON text.
    ///
    /// - Throws: `LinkFormatError` if the octets are no JSON text within the limits of an envelope: 8,192 octets and 16 levels of nesting.
    public init(json octets: [UInt8]) throws(LinkFormatError) { self = try JSONReader.value(of: octets) }

    /// Reads one JSON text with other limits than those of an envelope. A level of nesting takes some hundred octets of the stack.
    package init(json octets: [UInt8], longest: Int, deepest: Int) throws(LinkFormatError) {
        self = try JSONReader.value(of: octets, longest: longest, deepest: deepest)
    }
}

extension LinkValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral, ExpressibleByNilLiteral
{
    /// A text.
    public init(stringLiteral value: String) { self = .text(value) }
    /// An integer.
    public init(integerLiteral value: Int64) { self = .integer(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .number(value) }
    /// A truth value.
    public init(booleanLiteral value: Bool) { self = .bool(value) }
    /// A list.
    public init(arrayLiteral elements: LinkValue...) { self = .list(elements) }
    /// An object. The last of several members with the same name counts.
    public init(dictionaryLiteral elements: (String, LinkValue)...) {
        self = .object(Dictionary(elements) { $1 })
    }
    /// No value.
    public init(nilLiteral: ()) { self = .null }
}

extension LinkValue: Encodable {
    /// Encodes the value as it is, not as one of several cases.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .null: try container.encodeNil()
        case .bool(let value): try container.encode(value)
        case .integer(let value): try container.encode(value)
        case .number(let value): try container.encode(value)
        case .text(let value): try container.encode(value)
        case .list(let value): try container.encode(value)
        case .object(let value): try container.encode(value)
        }
    }
}

/// Why octets are no envelope.
public enum LinkFormatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// More than 8,192 octets.
    case tooLong
    /// More than 16 levels of lists and objects.
    case tooDeep
    /// The text is no JSON (RFC 8259).
    case notJSON
    /// The text is not UTF-8.
    case notUTF8
    /// An object has two members with the same name.
    case duplicateName
    /// A number is too great for this program.
    case number
    /// The version is another one.
    case version
    /// A field is missing, or its value is outside of its bounds.
    case field(String)

    /// A sentence about the error.
    public var description: String {
        switch self {
        case .tooLong: "The envelope has more than \(LinkEnvelope.longest) octets. Send less at once."
        case .tooDeep: "The envelope has more than \(JSONReader.deepest) levels of lists and objects."
        case .notJSON: "The envelope is no JSON."
        case .notUTF8: "The envelope is not UTF-8."
        case .duplicateName: "An object of the envelope has two members with the same name."
        case .number: "A number of the envelope is too great."
        case .version: "The envelope has another version. This program speaks version \(LinkEnvelope.version)."
        case .field(let name): "The field \"\(name)\" of the envelope is missing or outside of its bounds."
        }
    }
}
