/// Writes a message with interpolated values.
///
/// - Parameter message: The message.
@_disfavoredOverload
public func os_log(_ message: @autoclosure () -> OSLogMessage) {
    os_log(.default, log: .default, message())
}

/// Writes a message with interpolated values.
///
/// - Parameters:
///   - type: The level.
///   - log: The log.
///   - message: The message.
@_disfavoredOverload
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: @autoclosure () -> OSLogMessage) {
    log.write(type.level, message().text)
}

/// Writes a message with arguments in the manner of printf.
///
/// - Parameters:
///   - message: The message, with `%@`, `%d`, `%{public}s` and similar specifiers.
///   - dso: Not used on Linux.
///   - log: The log.
///   - type: The level.
///   - args: The values. Linux accepts any type, because strings are not `CVarArg` there.
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
    _ args: Any?...
) {
    log.write(type.level, LogFormat.text(message.description, args))
}

/// Writes a message with arguments in the manner of printf.
///
/// - Parameters:
///   - type: The level.
///   - dso: Not used on Linux.
///   - log: The log.
///   - message: The message, with `%@`, `%d`, `%{public}s` and similar specifiers.
///   - args: The values.
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString, _ args: Any?...
) {
    log.write(type.level, LogFormat.text(message.description, args))
}
