/// Why a command ends without its result: what happened, what was tried, and a command to try next.
struct ToolFailure: Error, Hashable {
    /// The exit codes that `bluelab` documents.
    enum Kind: Int32 {
        case failed = 1
        case usage = 2
        case noAdapter = 3
        case notFound = 4
        case timeout = 5
        /// The device answered with an error.
        case refused = 6
        /// The device requires pairing or encryption.
        case security = 7
        /// Ctrl-C.
        case interrupted = 130
        case hungUp = 129
        case terminated = 143
        /// The reader of the output has gone, as `head` does.
        case readerHasGone = 0
    }

    let kind: Kind
    /// Sentences, one a line; empty if there is nothing to say.
    let lines: [String]

    /// The device answered, and refused.
    var isRefusal: Bool { kind == .refused || kind == .security }

    init(_ kind: Kind, _ lines: String...) {
        self.kind = kind
        self.lines = lines
    }
}
