internal import Logging

/// The level of a message.
public struct OSLogType: RawRepresentable, Hashable, Sendable {
    /// Apple's number for the level.
    public let rawValue: UInt8

    /// A level by its number. An unknown number is ``default``.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// A level by its number.
    public init(_ rawValue: UInt8) { self.rawValue = rawValue }

    /// Worth keeping.
    public static let `default` = OSLogType(rawValue: 0)
    /// Helpful, not essential.
    public static let info = OSLogType(rawValue: 1)
    /// For development.
    public static let debug = OSLogType(rawValue: 2)
    /// Something in this process failed.
    public static let error = OSLogType(rawValue: 16)
    /// A bug, or a failure of the system.
    public static let fault = OSLogType(rawValue: 17)

    var level: Logging.Logger.Level {
        switch self {
        case .debug: .debug
        case .info: .info
        case .error: .error
        case .fault: .critical
        default: .notice
        }
    }
}
