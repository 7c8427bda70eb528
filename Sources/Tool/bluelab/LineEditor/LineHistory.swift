/// The lines that were entered before, the oldest first.
struct LineHistory: Hashable, Sendable {
    private(set) var lines: [String] = []

    /// The largest number of lines, and of octets in a line.
    static let limit = 1000
    static let lineLimit = 1024

    init() {}

    /// Reads the text of a history file.
    init(text: String) {
        for line in text.split(separator: "\n") { add(String(line)) }
    }

    /// The text of a history file.
    var text: String { lines.map { $0 + "\n" }.joined() }

    /// Adds a line without the spaces at its end. A blank line, a long one, one that starts with a space, and a repetition of the
    /// previous one are not added.
    ///
    /// - Returns: The line that was added.
    @discardableResult
    mutating func add(_ line: String) -> String? {
        var line = line
        while line.last?.isWhitespace == true { line.removeLast() }
        guard let first = line.first, first != " ", line.utf8.count <= Self.lineLimit, line != lines.last,
            !line.contains("\n")
        else { return nil }
        lines.append(line)
        if lines.count > Self.limit { lines.removeFirst(lines.count - Self.limit) }
        return line
    }

    /// The index of the last line before `index` that contains `text`. Ignores case.
    func index(of text: String, before index: Int) -> Int? {
        guard !text.isEmpty else { return nil }
        let wanted = text.lowercased()
        return lines[..<min(max(index, 0), lines.count)].lastIndex { $0.lowercased().contains(wanted) }
    }
}
