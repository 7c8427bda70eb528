@preconcurrency import Glibc

/// Flushes the standard output, also what a `Terminal` printed.
///
/// - Throws: `readerHasGone` if the reader closed the pipe, or a failure with the reason.
func flushOutput() throws {
    if fflush(nil) == 0 {
        guard ferror(stdout) != 0 else { return }
        // An earlier part is lost, and its reason with it. Another line has the same one, unless that has passed.
        putchar(10)
        if fflush(nil) == 0 { errno = EIO }
    }
    if errno == EPIPE { throw ToolError(.readerHasGone) }
    throw ToolError(.failed, "the output cannot be written: \(String(cString: strerror(errno))).")
}
