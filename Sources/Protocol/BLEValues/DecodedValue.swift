/// A decoded value of an adopted characteristic with its fields.
package struct DecodedValue: Hashable, Sendable {
    package struct Entry: Hashable, Sendable {
        package let name: String
        /// The value as text without the unit.
        package let text: String
        package let unit: String
        /// The value as a number; nil for text, times, flags and unknown values.
        package let number: Double?
        /// Whether the text consists of words of the schema, such as the names of flags, and not of what the octets hold.
        package var hasWords = false
    }

    package let entries: [Entry]
    /// The octets of each entry.
    package let ranges: [Range<Int>]
    /// The octets after the last field of the schema.
    package let rest: [UInt8]

    /// The fields in one line: "72 bpm, RR interval 0.83 s". The name of the first field is omitted. Flags appear only if there is
    /// no other field.
    package var summary: String {
        let shown = entries.count > 1 ? entries.filter { $0.name != "Flags" } : entries
        let parts = shown.enumerated().map { index, entry in
            let value = entry.unit.isEmpty ? entry.text : "\(entry.text) \(entry.unit)"
            return index == 0 ? value : "\(entry.name) \(value)"
        }
        return parts.joined(separator: ", ")
    }

    /// The first numeric field.
    package var number: Double? { entries.lazy.compactMap(\.number).first }
}

/// The reason why octets are not a value of their characteristic.
package enum ValueDecodingError: Error, Hashable, Sendable {
    /// The octets end inside this field.
    case endsWithin(field: String)
    /// The text of the field is not UTF-8.
    case notText(field: String)
}

extension Schema {
    /// Decodes a value. `rest` receives fields that later versions of the specification append.
    package func decode(_ octets: [UInt8]) throws(ValueDecodingError) -> DecodedValue {
        var reader = FieldReader(octets)
        var entries: [DecodedValue.Entry] = []
        var ranges: [Range<Int>] = []
        for field in fields where reader.has(field) && !(field.isOptional && reader.isAtEnd) {
            repeat {
                if field.isRepeated, reader.isAtEnd { break }
                let start = reader.position
                entries.append(try reader.read(field))
                ranges.append(start..<reader.position)
            } while field.isRepeated
        }
        return DecodedValue(entries: entries, ranges: ranges, rest: reader.rest)
    }
}
