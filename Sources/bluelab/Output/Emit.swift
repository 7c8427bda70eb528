import Foundation

/// Prints to the standard output and flushes it.
///
/// - Throws: `readerHasGone` if the reader closed the pipe, or a failure with the reason.
/// - Parameter collects: Whether the text belongs to the output of the current command, which a session collects.
func emit(_ text: String, terminator: String = "\n", collects: Bool = true) throws {
    if collects, let session = ToolSession.current { return try session.output.append(text + terminator) }
    print(text, terminator: terminator)
    guard fflush(nil) != 0 else { return }
    if errno == EPIPE { throw ToolFailure(.readerHasGone) }
    throw ToolFailure(.failed, "the output cannot be written: \(String(cString: strerror(errno))).")
}
