internal import Synchronization

/// Distinguishes intervals of the same name.
public struct OSSignpostID: RawRepresentable, Hashable, Sendable {
    /// The number.
    public let rawValue: UInt64

    /// An identifier by its number.
    public init(_ value: UInt64) { rawValue = value }

    /// An identifier by its number.
    public init(rawValue: UInt64) { self.rawValue = rawValue }

    /// A unique identifier.
    public init(log: OSLog) { rawValue = Self.last.add(1, ordering: .relaxed).newValue }

    /// For intervals that never overlap.
    public static let exclusive = OSSignpostID(rawValue: 0xEEEE_B0B5_B2B2_EEEE)
    /// An invalid identifier.
    public static let invalid = OSSignpostID(rawValue: .max)
    /// An invalid identifier.
    public static let null = OSSignpostID(rawValue: 0)

    private static let last = Atomic<UInt64>(0)
}

/// An interval that has begun and not ended.
public final class OSSignpostIntervalState: Sendable {
    /// The identifier of the interval.
    public let signpostID: OSSignpostID
    let start = ContinuousClock.now

    init(_ signpostID: OSSignpostID) { self.signpostID = signpostID }
}

/// Marks intervals and events. Linux has no Instruments: they become trace messages of swift-log, with the duration at the end.
public struct OSSignposter: Sendable {
    private let log: OSLog

    /// Makes a signposter.
    ///
    /// - Parameters:
    ///   - subsystem: The program or library, in reverse domain form.
    ///   - category: The part of it.
    public init(subsystem: String, category: String) { log = OSLog(subsystem: subsystem, category: category) }

    /// Makes a signposter of a named category.
    public init(subsystem: String, category: OSLog.Category) {
        log = OSLog(subsystem: subsystem, category: category)
    }

    /// Makes a signposter that writes to the log of a logger.
    public init(logger: Logger) { log = logger.log }

    /// Makes a signposter that writes to a log.
    public init(logHandle: OSLog) { log = logHandle }

    /// Makes a signposter that writes to the default log.
    public init() { log = .default }

    /// Whether the log writes signposts.
    public var isEnabled: Bool { log.logger.map { $0.logLevel <= .trace } ?? false }

    /// A unique identifier.
    public func makeSignpostID() -> OSSignpostID { OSSignpostID(log: log) }

    /// An identifier for an object.
    public func makeSignpostID(from object: AnyObject) -> OSSignpostID {
        OSSignpostID(UInt64(UInt(bitPattern: ObjectIdentifier(object))))
    }

    /// Begins an interval. Pass the state to ``endInterval(_:_:)``.
    public func beginInterval(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: @autoclosure () -> OSLogMessage = ""
    ) -> OSSignpostIntervalState {
        log.write(.trace, "begin \(name) \(message().text)")
        return OSSignpostIntervalState(id)
    }

    /// Ends an interval.
    public func endInterval(
        _ name: StaticString, _ state: OSSignpostIntervalState, _ message: @autoclosure () -> OSLogMessage = ""
    ) {
        log.write(.trace, "end \(name) after \(state.start.duration(to: .now)) \(message().text)")
    }

    /// Marks an event.
    public func emitEvent(
        _ name: StaticString, id: OSSignpostID = .exclusive, _ message: @autoclosure () -> OSLogMessage = ""
    ) {
        log.write(.trace, "event \(name) \(message().text)")
    }

    /// Runs `task` within an interval.
    public func withIntervalSignpost<Result>(
        _ name: StaticString, id: OSSignpostID = .exclusive, around task: () throws -> Result
    ) rethrows -> Result {
        let state = beginInterval(name, id: id)
        defer { endInterval(name, state) }
        return try task()
    }
}
