import BLEWire
import Foundation

/// A JSON object on one line with its keys in alphabetical order. Keys without a value are omitted.
func jsonLine(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // The encoding of strings and numbers does not fail.
    guard let data = try? encoder.encode(value) else { return "{}" }
    return String(decoding: data, as: UTF8.self).unicodeScalars.reduce(into: "") { text, scalar in
        // The encoder does not escape C1 controls and marks of text direction, which a terminal interprets.
        switch scalar.value {
        case 0x7F...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069:
            text += "\\u" + hexadecimal(scalar.value, digits: 4).lowercased()
        default: text.unicodeScalars.append(scalar)
        }
    }
}
