import Foundation

/// The progress on the error stream: one line that changes on a terminal, else a line now and then.
@MainActor
final class TransferDisplay {
    /// The time between two lines without a terminal.
    private static let plainInterval = Duration.seconds(2)
    /// The time between two pictures on a terminal.
    private static let interval = Duration.milliseconds(100)

    let isUnicode: Bool
    private let isTerminal: Bool
    private let isQuiet: Bool
    private var last: Duration?
    private var isShown = false

    /// - Parameter isQuiet: Whether only notes appear, because records carry the progress.
    init(isQuiet: Bool) {
        self.isQuiet = isQuiet
        isTerminal = isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
        isUnicode = Terminal(usesErrorStream: true).isUnicode
    }

    private var columns: Int {
        var size = winsize()
        guard isTerminal, ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 100 }
        return Int(size.ws_col)
    }

    /// Shows the progress unless the last picture is too young.
    func show(at now: Duration, _ text: (_ columns: Int, _ isUnicode: Bool) -> String) {
        guard !isQuiet else { return }
        let interval = isTerminal ? Self.interval : Self.plainInterval
        if let last, now - last < interval { return }
        last = now
        let line = text(columns, isUnicode)
        guard isTerminal else { return printError(line) }
        isShown = true
        write("\r\(line)\u{1B}[K")
    }

    /// Prints a line above the progress.
    func note(_ line: String) {
        if isShown { write("\r\u{1B}[K") }
        isShown = false
        last = nil
        printError(line)
    }

    /// Keeps the last picture and continues on a new line.
    func clear() {
        if isShown { write("\n") }
        isShown = false
    }

    private func write(_ text: String) {
        var octets = Array(text.utf8)[...]
        while !octets.isEmpty {
            let count = octets.withUnsafeBytes { Foundation.write(STDERR_FILENO, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            octets.removeFirst(count)
        }
    }
}
