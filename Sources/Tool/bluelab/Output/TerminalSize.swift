import Foundation

/// The size of the terminal.
struct TerminalSize {
    let rows: Int
    let columns: Int

    /// 24 rows of 80 columns if the output is not a terminal.
    static var current: TerminalSize {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_row > 0, size.ws_col > 0 else {
            return TerminalSize(rows: 24, columns: 80)
        }
        return TerminalSize(rows: Int(size.ws_row), columns: Int(size.ws_col))
    }
}
