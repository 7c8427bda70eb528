/// The error that ends a command: what happened, what was tried, and what to do next.
struct ToolError: Error, Hashable {
    /// The exit codes that `bluelab` documents.
    enum Kind: Int32, CaseIterable {
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
        /// The reader of the output has closed it, for example `head`.
        case readerHasGone = 0
    }

    let kind: Kind
    /// The message, one sentence per line. Empty for signals.
    let lines: [String]

    /// Whether the device answered with an error.
    var isRefusal: Bool { kind == .refused || kind == .security }

    init(_ kind: Kind, _ lines: String?...) {
        self.kind = kind
        self.lines = lines.compactMap(\.self)
    }

    init(_ kind: Kind, _ lines: [String]) {
        self.kind = kind
        self.lines = lines
    }
}

extension ToolError.Kind {
    /// The meaning of the exit code, in the help and the manual page.
    var meaning: String {
        switch self {
        case .readerHasGone: "success"
        case .failed: "failure"
        case .usage: "invalid arguments"
        case .noAdapter: "no usable adapter"
        case .notFound: "device or characteristic not found"
        case .timeout: "timeout"
        case .refused: "refused by the device"
        case .security: "pairing or encryption required"
        case .hungUp: "after SIGHUP"
        case .interrupted: "after Ctrl-C"
        case .terminated: "after SIGTERM"
        }
    }

    /// All exit codes with their meanings, in ascending order.
    static var documentation: String {
        allCases.sorted { $0.rawValue < $1.rawValue }.map { "\($0.rawValue) \($0.meaning)" }.joined(separator: ", ")
            + "."
    }
}
