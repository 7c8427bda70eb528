/// A value of D-Bus (D-Bus Specification, "Type system").
package indirect enum BusValue: Hashable, Sendable {
    case byte(UInt8)
    case bool(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    case double(UInt64)
    case string(String)
    case path(String)
    case signature(String)
    /// The signature of the elements, and the elements. A dictionary is an array of entries.
    case array(String, [BusValue])
    case entry(BusValue, BusValue)
    case structure([BusValue])
    case variant(BusValue)

    /// A dictionary of texts and variants.
    package static func properties(_ values: [String: BusValue]) -> BusValue {
        .array("{sv}", values.sorted { $0.key < $1.key }.map { .entry(.string($0.key), .variant($0.value)) })
    }

    /// An array of octets.
    package static func octets(_ octets: some Sequence<UInt8>) -> BusValue { .array("y", octets.map { .byte($0) }) }

    package var signature: String {
        switch self {
        case .byte: "y"
        case .bool: "b"
        case .int16: "n"
        case .uint16: "q"
        case .int32: "i"
        case .uint32: "u"
        case .int64: "x"
        case .uint64: "t"
        case .double: "d"
        case .string: "s"
        case .path: "o"
        case .signature: "g"
        case .array(let element, _): "a" + element
        case .entry(let key, let value): "{" + key.signature + value.signature + "}"
        case .structure(let values): "(" + values.map(\.signature).joined() + ")"
        case .variant: "v"
        }
    }

    /// The text of a string or an object path.
    package var text: String? {
        switch self {
        case .string(let text), .path(let text): text
        case .variant(let value): value.text
        default: nil
        }
    }

    /// An unsigned number.
    package var number: UInt64? {
        switch self {
        case .byte(let number): UInt64(number)
        case .uint16(let number): UInt64(number)
        case .uint32(let number): UInt64(number)
        case .uint64(let number): number
        case .variant(let value): value.number
        default: nil
        }
    }

    /// The elements of an array.
    package var elements: [BusValue]? {
        switch self {
        case .array(_, let elements): elements
        case .variant(let value): value.elements
        default: nil
        }
    }

    /// The value of a key of a dictionary with texts as keys.
    package subscript(key: String) -> BusValue? {
        for element in elements ?? [] {
            if case .entry(.string(key), let value) = element { return value }
        }
        return nil
    }
}
