import Foundation
internal import Logging

/// Which messages reach the terminal: the environment variable BLUETOOTH_LOG names the lowest level, and without it that is `warning`.
struct LogThreshold {
    /// What the variable says for this process. An unknown value is told once, the first time anything is logged.
    static let ofProcess: LogThreshold = {
        let (threshold, complaint) = parse(ProcessInfo.processInfo.environment["BLUETOOTH_LOG"])
        if let complaint { Logging.Logger(label: "os").warning("\(complaint)") }
        return threshold
    }()

    /// The lowest level; nil drops everything.
    var level: Logging.Logger.Level? = .warning
    /// Whether the variable names it.
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

    /// The logger with this threshold; nil if it would drop everything.
    ///
    /// A program that gives swift-log a handler of its own, or a level, has said what it wants to read. That holds unless the variable
    /// is set.
    func applied(to logger: Logging.Logger) -> Logging.Logger? {
        let isOwn = !(logger.handler is StreamLogHandler) || logger.logLevel != .info
        if isOwn && !isChosen { return logger }
        guard let level else { return nil }
        var logger = logger
        logger.logLevel = level
        return logger
    }
}
