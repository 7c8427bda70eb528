import BLEWire
import Foundation

/// The version of the record formats, the value of the key `v`. Documentation/JSON.md states when it changes.
let jsonVersion = 1

/// A JSON object on one line with its keys in alphabetical order and the version of the format. Keys without a value are omitted.
///
/// - Parameter type: The type of a value that does not encode one.
func jsonLine(_ value: some Encodable, type: String? = nil) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // The encoding of strings and numbers does not fail.
    guard let data = try? encoder.encode(VersionedRecord(value: value, type: type)) else { return "{}" }
    return escapingControls(String(decoding: data, as: UTF8.self))
}

/// Escapes C1 controls and marks of text direction, which the encoder keeps and a terminal interprets.
func escapingControls(_ json: String) -> String {
    json.unicodeScalars.reduce(into: "") { text, scalar in
        switch scalar.value {
        case 0x7F...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069:
            text += "\\u" + hexadecimal(scalar.value, digits: 4).lowercased()
        default: text.unicodeScalars.append(scalar)
        }
    }
}

/// A record with the keys that all records have.
private struct VersionedRecord<Value: Encodable>: Encodable {
    let value: Value
    let type: String?

    enum CodingKeys: String, CodingKey { case v, type }

    func encode(to encoder: any Encoder) throws {
        try value.encode(to: encoder)
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(jsonVersion, forKey: .v)
        try container.encodeIfPresent(type, forKey: .type)
    }
}
