import Foundation
import BLEAdapter

/// What goes to the person at the terminal: colours only where they are wanted, and characters that the terminal has.
struct Terminal: Sendable {
    let isColored: Bool
    let isUnicode: Bool
    /// Lines go to the error stream: something else has the output.
    let usesErrorStream: Bool

    /// Looks at the environment: colours need a terminal, and neither `NO_COLOR` nor a dumb terminal; characters outside
    /// ASCII need a UTF-8 locale.
    init(
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

    enum Style: String { case bold = "1", faint = "2", red = "31", green = "32", yellow = "33", cyan = "36" }

    func styled(_ text: String, _ styles: Style...) -> String {
        guard isColored else { return text }
        return "\u{1B}[" + styles.map(\.rawValue).joined(separator: ";") + "m" + text + "\u{1B}[0m"
    }

    /// One whole line; lines from several threads do not mix.
    func print(_ line: String) {
        Self.output.withLock { _ in
            if usesErrorStream { printError(line) } else { Swift.print(line) }
        }
    }

    /// Makes what was printed so far reach the reader. Returns false if the reader has gone, as `head` does.
    @discardableResult
    func flush() -> Bool {
        Self.output.withLock { _ in fflush(nil) == 0 || errno != EPIPE }
    }

    private static let output = Lock(())
}

/// Prints to the error stream.
func printError(_ line: String) {
    // Unlike `FileHandle`, this bears a reader that has gone.
    var octets = Array((line + "\n").utf8)[...]
    while !octets.isEmpty {
        let count = octets.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { return }
        octets.removeFirst(count)
    }
}
