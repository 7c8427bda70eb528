@_exported import QueueClocks

/// The earlier name of `QueueClock`.
@available(*, deprecated, renamed: "QueueClock")
public typealias TransferClock = QueueClock

/// The earlier name of `SystemQueueClock`.
@available(*, deprecated, renamed: "SystemQueueClock")
public typealias TransferSystemClock = SystemQueueClock
