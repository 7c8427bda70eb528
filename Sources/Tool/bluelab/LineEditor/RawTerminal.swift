import BLEAdapter
import Foundation

/// The terminal of the standard input without line editing, echo and signals of its own. The end of the program restores it.
@MainActor
final class RawTerminal {
    private var raw: termios

    /// Nil if the standard input or the standard output is not a terminal that can move its cursor.
    init?() {
        guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1, getenv("TERM").map({ strcmp($0, "dumb") }) != 0
        else { return nil }
        raw = termios()
        guard tcgetattr(STDIN_FILENO, &raw) == 0 else { return nil }
        raw.c_lflag &= ~tcflag_t(ICANON | ECHO | ISIG | IEXTEN)
        raw.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR | IGNCR | ISTRIP)
        // VMIN and VTIME: a read returns as soon as there is one octet.
        withUnsafeMutableBytes(of: &raw.c_cc) { octets in
            octets[Int(VMIN)] = 1
            octets[Int(VTIME)] = 0
        }
        atexit { restoreTerminal() }
        guard begin() else { return nil }
    }

    /// Takes the terminal. Returns whether it accepted the settings.
    private func begin() -> Bool {
        var original = termios()
        guard tcgetattr(STDIN_FILENO, &original) == 0 else { return false }
        saved.withLock { $0 = original }
        guard tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0 else { return false }
        // The terminal marks pasted text.
        write("\u{1B}[?2004h")
        return true
    }

    func restore() { restoreTerminal() }

    /// Stops the program, and takes the terminal again when the program continues.
    func suspend() {
        restore()
        raise(SIGTSTP)
        _ = begin()
    }

    func write(_ text: String) {
        print(text, terminator: "")
        fflush(nil)
    }
}

/// The settings to restore. An exit in a signal handler's queue restores them as well.
private let saved = Lock(termios?.none)

private func restoreTerminal() {
    saved.withLock { settings in
        guard var settings = settings.take() else { return }
        print("\u{1B}[?2004l", terminator: "")
        fflush(nil)
        tcsetattr(STDIN_FILENO, TCSADRAIN, &settings)
    }
}
