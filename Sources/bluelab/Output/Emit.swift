import Foundation

/// Prints to the standard output at once.
///
/// - Throws: `readerHasGone` if a pipe is closed, and a failure with the reason if the output cannot be written.
func emit(_ text: String, terminator: String = "\n") throws {
    print(text, terminator: terminator)
    guard fflush(nil) != 0 else { return }
    if errno == EPIPE { throw ToolFailure(.readerHasGone) }
    throw ToolFailure(.failed, "the output cannot be written: \(String(cString: strerror(errno))).")
}
