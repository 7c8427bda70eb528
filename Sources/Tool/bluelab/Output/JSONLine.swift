import BLETransport
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
    return JSONString.escaping(String(decoding: data, as: UTF8.self))
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
