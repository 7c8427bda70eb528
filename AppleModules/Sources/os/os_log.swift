/// Writes a message whose values stand in it.
///
/// - Parameter message: The message.
@_disfavoredOverload
public func os_log(_ message: @autoclosure () -> OSLogMessage) {
    os_log(.default, log: .default, message())
}

/// Writes a message whose values stand in it.
///
/// - Parameters:
///   - type: How important it is.
///   - log: Where it goes.
///   - message: The message.
@_disfavoredOverload
public func os_log(_ type: OSLogType, log: OSLog = .default, _ message: @autoclosure () -> OSLogMessage) {
    log.write(type.level, message().text)
}

/// Writes a message whose values follow it, as printf does.
///
/// - Parameters:
///   - message: The message, with `%@`, `%d`, `%{public}s` and the like where values stand.
///   - dso: Not used on Linux.
///   - log: Where it goes.
///   - type: How important it is.
///   - args: The values. Any type will do on Linux, where strings are no `CVarArg`.
public func os_log(
    _ message: StaticString, dso: UnsafeRawPointer? = nil, log: OSLog = .default, type: OSLogType = .default,
    _ args: Any?...
) {
    log.write(type.level, LogFormat.text(message.description, args))
}

/// Writes a message whose values follow it, as printf does.
///
/// - Parameters:
///   - type: How important it is.
///   - dso: Not used on Linux.
///   - log: Where it goes.
///   - message: The message, with `%@`, `%d`, `%{public}s` and the like where values stand.
///   - args: The values.
public func os_log(
    _ type: OSLogType, dso: UnsafeRawPointer? = nil, log: OSLog = .default, _ message: StaticString, _ args: Any?...
) {
    log.write(type.level, LogFormat.text(message.description, args))
}
