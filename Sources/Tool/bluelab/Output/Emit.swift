import Foundation

/// Prints to the standard output and flushes it.
///
/// - Parameter collects: Whether the text belongs to the output of the current command, which a command around it collects.
/// - Throws: `readerHasGone` if the reader closed the pipe, or a failure with the reason.
func emit(_ text: String, terminator: String = "\n", collects: Bool = true) throws {
    if collects, let output = CollectedOutput.current.withLock({ $0 }) { return try output.append(text + terminator) }
    print(text, terminator: terminator)
    try flushOutput()
}
