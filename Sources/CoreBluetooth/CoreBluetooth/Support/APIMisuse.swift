internal import BLERuntime
import BLEAdapter
import Logging

/// Reports incorrect use of the module to the program.
package enum APIMisuse {
    /// Receives the lines in tests; nil writes them to the log.
    @TaskLocal package static var sink: (@Sendable (String) -> Void)?

    private static let logger = LibraryLog.logger("CoreBluetooth")

    /// Logs a call that is dropped.
    static func log(_ message: @autoclosure () -> String) {
        write("API MISUSE: " + message())
    }

    /// Logs a call that has another effect than its arguments suggest.
    ///
    /// - Parameter sink: Receives the line if the current task has no sink.
    static func warn(_ message: @autoclosure () -> String, to sink: (@Sendable (String) -> Void)? = nil) {
        write("WARNING: " + message(), to: sink)
    }

    /// Ends the program where Apple's framework raises an exception for a programming error.
    static func trap(_ sentence: String) -> Never {
        fatalError(sentence)
    }

    private static func write(_ line: String, to other: (@Sendable (String) -> Void)? = nil) {
        if let sink = sink ?? other { sink(line) } else { logger.warning("\(line)") }
    }
}
