import Foundation

/// One JSON object on one line, its keys in alphabetical order. Keys without a value are left out.
func jsonLine(_ value: some Encodable) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    // Strings and numbers alone are encoded, which cannot fail.
    guard let data = try? encoder.encode(value) else { return "{}" }
    return String(decoding: data, as: UTF8.self).unicodeScalars.reduce(into: "") { text, scalar in
        // The encoder leaves C1 controls and the marks of text direction as they are, which a terminal obeys.
        switch scalar.value {
        case 0x7F...0x9F, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069:
            text += "\\u" + hexadecimal(scalar.value, 4).lowercased()
        default: text.unicodeScalars.append(scalar)
        }
    }
}
