import BLEWire

/// When the simulated devices advertise: all devices in turn, at an even rate. The first advertisements are one of each gateway, the next ones
/// one of each gateway again.
struct AdvertisementSchedule: Sendable {
    let devices: Int
    private(set) var rate: Double
    /// Advertisements that could not be made in time.
    private(set) var skipped = 0
    private var next = 0
    private var origin = Instant.zero
    /// Those since `origin`.
    private var taken = 0

    /// - Parameters:
    ///   - devices: All devices of this schedule.
    ///   - rate: Advertisements in a second.
    init(devices: Int, rate: Double) { (self.devices, self.rate) = (max(1, devices), max(0, rate)) }

    /// Begins a new rate.
    mutating func begin(_ rate: Double, at now: Instant) {
        self.rate = max(0, rate)
        origin = now
        taken = 0
    }

    /// How many advertisements are due. A driver that is late by more than a second skips what is older, so that it does not fall behind for ever.
    mutating func takeDue(at now: Instant) -> Int {
        let due = Int(rate * Double((now - origin).nanoseconds) / 1e9) - taken
        guard due > 0 else { return 0 }
        let count = min(due, max(1, Int(rate)))
        skipped += due - count
        taken += due
        return count
    }

    /// The number of the device that advertises next.
    mutating func takeDevice() -> Int {
        defer { next = (next + 1) % devices }
        return next
    }
}
