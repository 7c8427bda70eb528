import Foundation
internal import Logging

/// The lowest level of messages that reach the terminal: the environment variable BLUETOOTH_LOG, or `warning` without it.
struct LogThreshold {
    /// The value of the variable for this process. The first message reports an unknown value once.
    static let ofProcess: LogThreshold = {
        let (threshold, complaint) = parse(ProcessInfo.processInfo.environment["BLUETOOTH_LOG"])
        if let complaint { Logging.Logger(label: "os").warning("\(complaint)") }
        return threshold
    }()

    /// The lowest level; nil drops everything.
    var level: Logging.Logger.Level? = .warning
    /// Whether the variable sets the level.
    var isChosen = false

    /// Reads the value of the variable.
    static func parse(_ value: String?) -> (LogThreshold, complaint: String?) {
        guard let value, !value.isEmpty else { return (LogThreshold(), nil) }
        let name = value.lowercased()
        if name == "off" { return (LogThreshold(level: nil, isChosen: true), nil) }
        if let level = Logging.Logger.Level(rawValue: name) { return (LogThreshold(level: level, isChosen: true), nil) }
        let names = (Logging.Logger.Level.allCases.map(\.rawValue) + ["off"]).joined(separator: ", ")
        return (
            LogThreshold(), "BLUETOOTH_LOG=\(value) names no level, so the level is warning; the names are \(names)"
        )
    }

    /// The logger with this threshold; nil if it drops every message.
    ///
    /// Without the variable, a swift-log handler or a level that the program sets has precedence.
    func applied(to logger: Logging.Logger) -> Logging.Logger? {
        let isOwn = !(logger.handler is StreamLogHandler) || logger.logLevel != .info
        if isOwn && !isChosen { return logger }
        guard let level else { return nil }
        var logger = logger
        logger.logLevel = level
        return logger
    }
}
