/// A value of D-Bus (D-Bus Specification, "Type System").
package enum BusValue: Hashable, Sendable {
    case byte(UInt8)
    case bool(Bool)
    case int16(Int16)
    case uint16(UInt16)
    case int32(Int32)
    case uint32(UInt32)
    case int64(Int64)
    case uint64(UInt64)
    /// The bits of a number of double precision.
    case double(UInt64)
    case string(String)
    case path(String)
    case signature(String)
    /// The index of a file descriptor in `BusMessage.descriptors`.
    case descriptor(UInt32)
    /// An array of bytes.
    case octets([UInt8])
    /// The signature of the elements, and the elements. A dictionary is an array of entries. An array of bytes that was received is `octets`.
    case array(String, [BusValue])
    indirect case entry(BusValue, BusValue)
    case structure([BusValue])
    indirect case variant(BusValue)

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
        case .descriptor: "h"
        case .octets: "ay"
        case .array(let element, _): "a" + element
        case .entry(let key, let value): "{" + key.signature + value.signature + "}"
        case .structure(let values): "(" + values.map(\.signature).joined() + ")"
        case .variant: "v"
        }
    }

    // MARK: The content, also of a value in a variant

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

    /// A signed number, such as an RSSI.
    package var signed: Int64? {
        switch self {
        case .int16(let number): Int64(number)
        case .int32(let number): Int64(number)
        case .int64(let number): number
        case .variant(let value): value.signed
        default: nil
        }
    }

    package var flag: Bool? {
        switch self {
        case .bool(let flag): flag
        case .variant(let value): value.flag
        default: nil
        }
    }

    /// The content of an array of bytes.
    package var bytes: [UInt8]? {
        switch self {
        case .octets(let octets): octets
        case .variant(let value): value.bytes
        default: nil
        }
    }

    /// The elements of an array that is no array of bytes.
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
            if case .entry(.string(let name), let value) = element, name.utf8.elementsEqual(key.utf8) { return value }
        }
        return nil
    }
}
