import BLEAdapter
import Foundation

/// Output for a terminal, with the colours and characters that it supports.
package struct Terminal: Sendable {
    package let isColored: Bool
    package let isUnicode: Bool
    /// Whether lines go to the error stream, because the output carries other data.
    package let usesErrorStream: Bool

    /// Reads the environment. Colours need a terminal that is not dumb, and no `NO_COLOR`. Characters outside ASCII need a UTF-8
    /// locale.
    package init(
        allowsColor: Bool = true, environment: [String: String] = ProcessInfo.processInfo.environment,
        usesErrorStream: Bool = false, isTerminal: Bool? = nil
    ) {
        self.usesErrorStream = usesErrorStream
        let isTerminal = isTerminal ?? (isatty(usesErrorStream ? STDERR_FILENO : STDOUT_FILENO) == 1)
        let forbidsColor = environment["NO_COLOR"]?.isEmpty == false || environment["TERM"] == "dumb"
        isColored = allowsColor && isTerminal && !forbidsColor
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].lazy.compactMap { environment[$0] }.first { !$0.isEmpty } ?? ""
        isUnicode = locale.lowercased().replacing("-", with: "").contains("utf8")
    }

    package enum Style: String {
        case bold = "1", faint = "2", red = "31", green = "32", yellow = "33", blue = "34", magenta = "35", cyan = "36"
    }

    package func styled(_ text: String, _ styles: Style...) -> String {
        guard isColored else { return text }
        return "\u{1B}[" + styles.map(\.rawValue).joined(separator: ";") + "m" + text + "\u{1B}[0m"
    }

    /// The octets that draw `text` on a terminal at once: the terminal shows nothing of it before all of it has arrived, if it knows
    /// synchronized updates (DEC private mode 2026). It truncates lines at its edge instead of wrapping them.
    package static func frame(_ text: String) -> String {
        "\u{1B}[?2026h\u{1B}[?7l" + text + "\u{1B}[?7h\u{1B}[?2026l"
    }

    /// Prints one line. Lines of several threads do not mix.
    package func print(_ line: String) {
        Self.output.withLock { _ in
            if usesErrorStream { printError(line) } else { Swift.print(line) }
        }
    }

    /// Flushes the output. Returns false if the reader has closed it, for example `head`.
    @discardableResult
    package func flush() -> Bool {
        Self.output.withLock { _ in fflush(nil) == 0 || errno != EPIPE }
    }

    private static let output = Lock(())
}

/// Prints to the error stream.
package func printError(_ line: String) {
    // Unlike `FileHandle`, this does not trap if the reader has closed the stream.
    var octets = Array((line + "\n").utf8)[...]
    while !octets.isEmpty {
        let count = octets.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        octets.removeFirst(count)
    }
}
