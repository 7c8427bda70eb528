/// Bounds the lines of the log about devices that a scan finds: a device may change its address with each packet.
struct FoundDevices {
    /// The most lines in a second.
    static let limit = 20
    private static let period: Int64 = 1_000_000_000

    /// The beginning of the present second, in nanoseconds.
    private var start: Int64 = 0
    private var count = 0
    private var unnamed = 0

    /// Counts a device. Returns whether it gets a line.
    mutating func admits(at now: Int64) -> Bool {
        if now - start >= Self.period { (start, count) = (now, 0) }
        guard count < Self.limit else {
            unnamed += 1
            return false
        }
        count += 1
        return true
    }

    /// The devices without a line, once a second; nil if there are none.
    mutating func takeUnnamed(at now: Int64) -> Int? {
        guard unnamed > 0, now - start >= Self.period else { return nil }
        defer { unnamed = 0 }
        return unnamed
    }
}
