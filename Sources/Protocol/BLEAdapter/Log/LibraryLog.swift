import Glibc
import Logging
import Synchronization

/// Creates the loggers of the library. `BLUETOOTH_LOG` sets their level, whatever handler the program installs with
/// `LoggingSystem.bootstrap`. The handler decides where lines go. The program's own loggers keep the handler's level.
package enum LibraryLog {
    /// The setting in `BLUETOOTH_LOG`.
    enum Choice: Equatable {
        case level(Logger.Level)
        case off
        /// The variable is unset or empty.
        case unset
        case unknown(String)

        init(_ variable: String?) {
            guard let variable, !variable.isEmpty else {
                self = .unset
                return
            }
            let name = variable.lowercased()
            if name == "off" {
                self = .off
            } else if let level = Logger.Level(rawValue: name) {
                self = .level(level)
            } else {
                self = .unknown(variable)
            }
        }

        /// A sentence for the log if the variable has an unknown value, otherwise nil.
        func complaint(default level: Logger.Level) -> String? {
            guard case .unknown(let text) = self else { return nil }
            let names = Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
            return "BLUETOOTH_LOG=\(text) is not a log level; the level is \(level). Set it to one of \(names), off."
        }

        /// A logger of this level.
        func logger(label: String, default level: Logger.Level) -> Logger {
            var logger: Logger
            switch self {
            case .off: logger = Logger(label: label) { _ in SwiftLogNoOpLogHandler() }
            case .level(let level):
                logger = Logger(label: label)
                logger.logLevel = level
            case .unset, .unknown:
                logger = Logger(label: label)
                logger.logLevel = level
            }
            return logger
        }
    }

    private static let choice = Choice(getenv("BLUETOOTH_LOG").map { String(cString: $0) })
    private static let defaultLevel = Lock(Logger.Level.warning)
    private static let hasComplained = Atomic(false)

    /// Logs lines of the level `info` as well unless `BLUETOOTH_LOG` sets a level, for a tool whose user follows
    /// events. Call it before the first logger is created.
    package static func showInformation() { defaultLevel.withLock { $0 = .info } }

    /// A logger for a part of the library.
    package static func logger(_ label: String = "bluetooth") -> Logger {
        let level = defaultLevel.withLock { $0 }
        let logger = choice.logger(label: label, default: level)
        if let complaint = choice.complaint(default: level), !hasComplained.exchange(true, ordering: .relaxed) {
            logger.warning("\(complaint)")
        }
        return logger
    }
}
