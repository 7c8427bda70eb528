internal import Logging

/// Writes messages of one subsystem and category. On Linux, they go to swift-log and the handler that the program installed there.
/// Without a handler, they go to standard error from the level in the environment variable BLUETOOTH_LOG, or `warning` without it.
public struct Logger: Sendable {
    let log: OSLog

    /// Makes a logger.
    ///
    /// - Parameters:
    ///   - subsystem: The program or library, in reverse domain form. It becomes swift-log's label.
    ///   - category: The part of it. It becomes metadata.
    public init(subsystem: String, category: String) {
        log = OSLog(subsystem: subsystem, category: category)
    }

    /// Makes a logger that writes to an ``OSLog``.
    ///
    /// - Parameter logObj: The log.
    public init(_ logObj: OSLog) { log = logObj }

    /// Makes a logger that writes to the default log.
    public init() { log = .default }

    /// Writes at the default level.
    public func log(_ message: @autoclosure () -> OSLogMessage) { write(.notice, message()) }

    /// Writes at the given level.
    public func log(level: OSLogType, _ message: @autoclosure () -> OSLogMessage) { write(level.level, message()) }

    /// Writes a message for developers at Apple's level debug.
    public func trace(_ message: @autoclosure () -> OSLogMessage) { write(.trace, message()) }

    /// Writes a message for development.
    public func debug(_ message: @autoclosure () -> OSLogMessage) { write(.debug, message()) }

    /// Writes a helpful, not essential message.
    public func info(_ message: @autoclosure () -> OSLogMessage) { write(.info, message()) }

    /// Writes at the default level.
    public func notice(_ message: @autoclosure () -> OSLogMessage) { write(.notice, message()) }

    /// Writes a warning.
    public func warning(_ message: @autoclosure () -> OSLogMessage) { write(.warning, message()) }

    /// Writes a failure.
    public func error(_ message: @autoclosure () -> OSLogMessage) { write(.error, message()) }

    /// Writes a critical failure.
    public func critical(_ message: @autoclosure () -> OSLogMessage) { write(.critical, message()) }

    /// Writes a fault in the program.
    public func fault(_ message: @autoclosure () -> OSLogMessage) { write(.critical, message()) }

    private func write(_ level: Logging.Logger.Level, _ message: @autoclosure () -> OSLogMessage) {
        log.write(level, message().text)
    }
}
