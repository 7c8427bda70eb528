import Phrases

/// The latest values of a characteristic.
package struct ValueHistoryPage: Codable, Hashable, Sendable {
    /// The newest first.
    package var values: [ValueHistoryEntry]
    /// The number of the oldest value that the history keeps.
    package var first: Int
    /// The number of values that arrived.
    package var count: Int
}

/// A value that a characteristic had.
package struct ValueHistoryEntry: Codable, Hashable, Sendable {
    /// The number of the value, from 0 on.
    package var n: Int
    /// Hexadecimal digits.
    package var octets: String
    /// In a fitting format.
    package var text: Phrase
    /// Nanoseconds.
    package var time: Int64
    package var source: ValueState.Source
}
