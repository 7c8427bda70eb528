#if !canImport(Darwin)
import Logging

/// What the module tells a program that uses it wrongly.
package enum APIMisuse {
    /// Where tests read the lines; nil: the log.
    @TaskLocal package static var sink: (@Sendable (String) -> Void)?

    private static let logger = Logger(label: "CoreBluetooth")

    /// Notes a call that is dropped.
    static func log(_ message: @autoclosure () -> String) {
        write("API MISUSE: " + message())
    }

    /// Notes something that is carried out, but not as the program may think.
    static func warn(_ message: @autoclosure () -> String) {
        write("WARNING: " + message())
    }

    /// Ends the program, where Apple's framework raises an exception for a programming error.
    static func trap(_ sentence: String) -> Never {
        fatalError(sentence)
    }

    private static func write(_ line: String) {
        if let sink { sink(line) } else { logger.warning("\(line)") }
    }
}
#endif
