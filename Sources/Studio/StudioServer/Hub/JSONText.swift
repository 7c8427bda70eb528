import BLETransport
import Foundation

/// A JSON value as text.
package struct JSONText: Hashable, Sendable {
    package let text: String

    /// - Parameter text: Valid JSON.
    package init(_ text: String) { self.text = text }

    /// Encodes a value. Keys are sorted, so equal values give equal texts.
    package init(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        text = JSONString.escaping(String(decoding: try encoder.encode(value), as: UTF8.self))
    }
}
