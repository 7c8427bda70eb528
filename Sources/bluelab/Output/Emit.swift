import Foundation

/// Prints to the standard output and flushes it.
///
/// - Throws: `readerHasGone` if the reader closed the pipe, or a failure with the reason.
func emit(_ text: String, terminator: String = "\n") throws {
    print(text, terminator: terminator)
    guard fflush(nil) != 0 else { return }
    if errno == EPIPE { throw ToolFailure(.readerHasGone) }
    throw ToolFailure(.failed, "the output cannot be written: \(String(cString: strerror(errno))).")
}
