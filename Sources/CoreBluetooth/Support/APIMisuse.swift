#if !canImport(Darwin)
internal import BLERuntime
import BLEAdapter
import Logging

/// What the module tells a program that uses it wrongly.
package enum APIMisuse {
    /// Where tests read the lines; nil: the log.
    @TaskLocal package static var sink: (@Sendable (String) -> Void)?

    private static let logger = LibraryLog.logger("CoreBluetooth")

    /// Notes a call that is dropped.
    static func log(_ message: @autoclosure () -> String) {
        write("API MISUSE: " + message())
    }

    /// Notes something that is carried out, but not as the program may think.
    ///
    /// - Parameter sink: where the line goes if the calling task has no sink of its own.
    static func warn(_ message: @autoclosure () -> String, to sink: (@Sendable (String) -> Void)? = nil) {
        write("WARNING: " + message(), to: sink)
    }

    /// Ends the program, where Apple's framework raises an exception for a programming error.
    static func trap(_ sentence: String) -> Never {
        fatalError(sentence)
    }

    private static func write(_ line: String, to other: (@Sendable (String) -> Void)? = nil) {
        if let sink = sink ?? other { sink(line) } else { logger.warning("\(line)") }
    }
}
#endif
