@_exported import QueueClocks

/// The earlier name of `QueueClock`.
public typealias ImprovClock = QueueClock

/// The earlier name of `SystemQueueClock`.
public typealias ImprovSystemClock = SystemQueueClock
