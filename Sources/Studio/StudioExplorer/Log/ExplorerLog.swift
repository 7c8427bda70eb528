import Phrases

/// A line of the explorer's log.
package struct ExplorerLogEntry: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable {
        /// The explorer called CoreBluetooth.
        case call
        /// CoreBluetooth called the explorer's delegate.
        case callback
        case note
        case error
    }

    /// The number of the entry, from 0 on.
    package let n: Int
    /// Nanoseconds.
    package let time: Int64
    /// The identifier of the device; nil for entries about the adapter.
    package let device: String?
    package let kind: Kind
    /// A word for programs, such as `read-failed`.
    package let key: String
    package let text: Phrase
    /// The line of code, or the delegate's method.
    package let swift: String?
}

/// The last entries.
package struct ExplorerLog: Hashable, Sendable {
    package static let limit = 2000

    /// The entries that are kept, oldest first. Their numbers have no gaps.
    package private(set) var entries: [ExplorerLogEntry] = []
    /// The number of the next entry.
    package private(set) var next = 0

    package init() {}

    mutating func add(
        _ kind: ExplorerLogEntry.Kind, _ key: String, _ text: Phrase, swift: String?,
        device: String?, at time: Int64
    ) -> ExplorerLogEntry {
        let entry = ExplorerLogEntry(
            n: next, time: time, device: device, kind: kind, key: key, text: text, swift: swift)
        next += 1
        // Removing an eighth at a time keeps the cost of an entry constant.
        if entries.count >= Self.limit { entries.removeFirst(Self.limit / 8) }
        entries.append(entry)
        return entry
    }

    mutating func clear() { entries = [] }

    /// The log as text: a line for each entry.
    package var text: String {
        var lines: [String] = []
        lines.reserveCapacity(entries.count)
        for entry in entries {
            lines.append(
                "\(Self.seconds(entry.time))  \(entry.kind.rawValue)  \(entry.text)"
                    + (entry.swift.map { "  | \($0)" } ?? ""))
        }
        return lines.joined(separator: "\n") + "\n"
    }

    /// Nanoseconds as `1.234 s`.
    static func seconds(_ time: Int64) -> String {
        let milliseconds = time / 1_000_000
        let fraction = String(milliseconds % 1000)
        return "\(milliseconds / 1000)." + String(repeating: "0", count: 3 - fraction.count) + fraction + " s"
    }
}
