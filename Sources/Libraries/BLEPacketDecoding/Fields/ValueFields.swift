import BLEValues
import BLEWire

/// The fields of attribute values.
enum ValueFields {
    /// Takes the rest as a value: with the fields of its adopted format, as text, or as octets.
    static func value(_ name: String, of type: BluetoothUUID?, _ cursor: inout FieldCursor) {
        guard !cursor.isAtEnd else { return }
        let octets = Array(cursor.peek(cursor.remaining))
        let text = ValueText.describe(octets.span, of: type, in: cursor.language)
        if let short = type?.shortValue, let schema = Schemas.schema(of: short) ?? Schemas.descriptorSchema(of: short),
            let decoded = try? schema.decode(octets)
        {
            // One entry that has all octets needs no children.
            if decoded.entries.count == 1, decoded.rest.isEmpty { return cursor.octets(name) { _ in text } }
            cursor.group(name, nil, text) { inner in
                for (entry, range) in zip(decoded.entries, decoded.ranges) where !range.isEmpty {
                    let value = ValueWords.text(entry, in: inner.language)
                    inner.octets(ValueWords.name(entry, in: inner.language), range.count) { _ in value }
                }
            }
            return
        }
        cursor.octets(name) { _ in text }
    }

    /// A characteristic declaration: properties, value handle, UUID (Vol 3, Part G, 3.3.1).
    static func characteristic(_ cursor: inout FieldCursor) {
        cursor.bits(
            "Properties", 1,
            [
                .flag("Broadcast"), .flag("Read"), .flag("Write without response"), .flag("Write"), .flag("Notify"),
                .flag("Indicate"), .flag("Authenticated signed writes"), .flag("Extended properties"),
            ])
        cursor.number("Value handle", 2) { hexadecimal($0, digits: 4) }
        cursor.uuid("Characteristic", cursor.remaining)
    }

    /// An include declaration: the range of the service, and its UUID if it has 16 bits (Vol 3, Part G, 3.2).
    static func include(_ cursor: inout FieldCursor) {
        cursor.number("First handle", 2) { hexadecimal($0, digits: 4) }
        cursor.number("Last handle", 2) { hexadecimal($0, digits: 4) }
        if !cursor.isAtEnd { cursor.uuid("Service", cursor.remaining) }
    }
}
