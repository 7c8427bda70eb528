import BLEAdapter

/// The output of a command that runs inside another one, such as `bluelab mcp`.
final class CollectedOutput: Sendable {
    /// Receives what `emit` prints; nil: the standard output. Delegate callbacks print as well, so it belongs to the process and not to a
    /// task.
    static let current = Lock<CollectedOutput?>(nil)

    private let text = Lock("")

    /// The longest output in octets.
    private static let limit = 1 << 20

    func append(_ more: String) throws {
        let fits = text.withLock { text in
            guard text.utf8.count + more.utf8.count <= Self.limit else { return false }
            text += more
            return true
        }
        guard fits else {
            throw ToolError(.failed, "the output would be longer than 1 MiB.", "Try: a shorter time or a filter.")
        }
    }

    /// Returns the output and empties it.
    func take() -> String {
        text.withLock { text in
            defer { text = "" }
            return text
        }
    }
}
