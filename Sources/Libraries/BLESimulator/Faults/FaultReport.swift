import BLEAdapter

/// What the faults of devices did, one line each with its virtual time. Two runs of a program with the same seeds give equal reports.
public final class FaultReport: Sendable, CustomStringConvertible {
    /// The largest number of lines. Further ones are counted.
    public static let limit = 10_000

    private struct Content {
        var lines: [String] = []
        var dropped = 0
    }

    private let content = Lock(Content())
    package typealias Note = @Sendable (_ time: Duration, _ text: String, _ line: String) -> Void
    private let note: Note?

    /// - Parameter note: Called with each line that the report keeps, on a queue of the world.
    package init(note: Note? = nil) { self.note = note }

    /// The lines so far, such as "4.210 s  phone: a notification overtakes the answer to its subscription".
    public var lines: [String] { content.withLock { $0.lines } }

    /// The number of lines beyond ``limit``.
    public var droppedLines: Int { content.withLock { $0.dropped } }

    /// All lines.
    public var description: String { lines.joined(separator: "\n") }

    func add(_ text: String, of device: String, at time: Duration) {
        let line = "\(time.inSeconds)  \(device): \(text)"
        let isKept = content.withLock { content in
            guard content.lines.count < Self.limit else {
                content.dropped += 1
                return false
            }
            content.lines.append(line)
            return true
        }
        if isKept { note?(time, text, line) }
    }
}
