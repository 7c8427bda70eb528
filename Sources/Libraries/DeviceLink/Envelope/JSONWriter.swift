import BLETransport

/// Writes a value as JSON without spaces, with the members of objects in the order of their names.
enum JSONWriter {
    static func octets(of value: LinkValue) -> [UInt8] {
        var result: [UInt8] = []
        append(value, to: &result)
        return result
    }

    private static func append(_ value: LinkValue, to result: inout [UInt8]) {
        switch value {
        case .null: result += "null".utf8
        case .bool(let bool): result += (bool ? "true" : "false").utf8
        case .integer(let integer): result += String(integer).utf8
        // JSON has no text for infinity and for what is no number.
        case .number(let number): result += (number.isFinite ? "\(number)" : "null").utf8
        case .text(let text): JSONString.append(text, to: &result)
        case .list(let elements):
            result.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { result.append(UInt8(ascii: ",")) }
                append(element, to: &result)
            }
            result.append(UInt8(ascii: "]"))
        case .object(let members):
            result.append(UInt8(ascii: "{"))
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { result.append(UInt8(ascii: ",")) }
                JSONString.append(member.key, to: &result)
                result.append(UInt8(ascii: ":"))
                append(member.value, to: &result)
            }
            result.append(UInt8(ascii: "}"))
        }
    }
}
