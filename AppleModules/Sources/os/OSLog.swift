import Foundation
internal import Logging

/// The log of one part of a program: a swift-log logger whose label is the subsystem and whose metadata contains the category.
public final class OSLog: NSObject, Sendable {
    /// Named categories of Apple's.
    public struct Category: Sendable {
        let name: String

        /// For signposts in Instruments. It has no special meaning on Linux.
        public static let pointsOfInterest = Category(name: "PointsOfInterest")
    }

    /// The log for messages without a log.
    public static let `default` = OSLog(logger: LogThreshold.ofProcess.applied(to: Logging.Logger(label: "default")))

    /// Drops every message.
    public static let disabled = OSLog(logger: nil)

    /// Nil: drops everything.
    let logger: Logging.Logger?

    /// Makes a log.
    ///
    /// - Parameters:
    ///   - subsystem: The program or library, in reverse domain form.
    ///   - category: The part of it.
    public convenience init(subsystem: String, category: String) {
        let logger = Logging.Logger(subsystem: subsystem, category: category)
        self.init(logger: LogThreshold.ofProcess.applied(to: logger))
    }

    /// Makes a log of a named category.
    ///
    /// - Parameters:
    ///   - subsystem: The program or library, in reverse domain form.
    ///   - category: The category.
    public convenience init(subsystem: String, category: Category) {
        self.init(subsystem: subsystem, category: category.name)
    }

    init(logger: Logging.Logger?) {
        self.logger = logger
        super.init()
    }

    /// Whether the log writes messages of this level.
    ///
    /// - Parameter type: The level.
    public func isEnabled(type: OSLogType) -> Bool {
        guard let logger else { return false }
        return logger.logLevel <= type.level
    }

    func write(_ level: Logging.Logger.Level, _ text: @autoclosure () -> String) {
        logger?.log(level: level, "\(text())")
    }
}

extension Logging.Logger {
    init(subsystem: String, category: String) {
        self.init(label: subsystem.isEmpty ? "default" : subsystem)
        if !category.isEmpty { self[metadataKey: "category"] = "\(category)" }
    }
}
