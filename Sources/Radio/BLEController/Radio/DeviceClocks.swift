import BLEWire

/// A clock that is fast or slow against the time of the medium. It shows whole nanoseconds.
struct DriftingClock: Hashable {
    /// In parts per million; a positive one makes the clock fast.
    private var error: Int64 = 0
    /// A time of the medium, and what the clock showed then.
    private var origin = Instant.zero
    private var shown = Instant.zero

    private static let million: Int64 = 1_000_000

    /// Whether it shows the time of the medium from now on.
    var isExact: Bool { error == 0 && origin == shown }

    /// Runs with another error from `time` on, without a leap.
    mutating func set(error: Int, at time: Instant) {
        (shown, origin) = (reading(at: time), time)
        self.error = Int64(error)
    }

    /// What the clock shows at a time of the medium: floor(t * (10^6 + error) / 10^6), from `origin` on. Whole millions are multiplied apart from the
    /// rest, so that no product exceeds 64 bits.
    func reading(at time: Instant) -> Instant {
        let (millions, rest) = Self.divide((time - origin).nanoseconds, by: Self.million)
        let rate = Self.million + error
        return shown + TimeSpan(nanoseconds: millions &* rate &+ Self.divide(rest &* rate, by: Self.million).quotient)
    }

    /// The first time of the medium at which the clock shows `reading` or more: ceil(t * 10^6 / (10^6 + error)). A slow clock shows `reading` then. A
    /// fast one leaves out some nanoseconds, so it shows one nanosecond more at most.
    func time(showing reading: Instant) -> Instant {
        let rate = Self.million + error
        let (whole, rest) = Self.divide((reading - shown).nanoseconds, by: rate)
        let part = Self.divide(rest &* Self.million &+ (rate - 1), by: rate).quotient
        return origin + TimeSpan(nanoseconds: whole &* Self.million &+ part)
    }

    /// Division by a positive number with a remainder that is not negative.
    private static func divide(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// The clocks of those devices of a medium whose clocks are not exact. Without any, all controllers read the time of the medium.
///
/// A controller reads its own clock (`Medium.now`) and gives all times by it; `ControllerRadio.arm` and `Medium.transmit` are where they become times of
/// the medium, and `ReceivedPacket.start` is where they come back.
struct DeviceClocks {
    private var clocks: [Int32: DriftingClock] = [:]

    @inline(__always)
    var isEmpty: Bool { clocks.isEmpty }

    func isExact(_ device: Int32) -> Bool { clocks[device] == nil }

    subscript(device: Int32) -> DriftingClock { clocks[device] ?? DriftingClock() }

    /// Runs the clock of a device with another error from `time` on.
    mutating func set(error: Int, of device: Int32, at time: Instant) {
        guard error != 0 || !isExact(device) else { return }
        var clock = self[device]
        clock.set(error: error, at: time)
        clocks[device] = clock.isExact ? nil : clock
    }

    mutating func remove(_ device: Int32) { clocks[device] = nil }

    func reading(of device: Int32, at time: Instant) -> Instant {
        clocks.isEmpty ? time : clocks[device]?.reading(at: time) ?? time
    }

    func time(of device: Int32, showing reading: Instant) -> Instant {
        clocks.isEmpty ? reading : clocks[device]?.time(showing: reading) ?? reading
    }

    /// The same for a time that is not past: the clock may have shown `reading` for two nanoseconds.
    func time(of device: Int32, showing reading: Instant, notBefore now: Instant) -> Instant {
        clocks[device].map { max(now, $0.time(showing: reading)) } ?? reading
    }
}
