@_exported import QueueClocks

/// The earlier name of `QueueClock`.
public typealias LinkClock = QueueClock

/// The earlier name of `SystemQueueClock`.
public typealias LinkSystemClock = SystemQueueClock
