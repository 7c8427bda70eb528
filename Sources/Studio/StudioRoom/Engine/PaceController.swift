/// Relates virtual time to the real clock at a speed. All times are nanoseconds.
///
/// A room that falls behind by more than `tolerance` of real time does not catch up: its time continues from where it is, so the user sees a lower
/// speed instead of bursts.
struct PaceController: Sendable {
    static let tolerance: Int64 = 100_000_000
    /// As fast as possible is at most this number of virtual seconds in a real second, so that a room in which nothing happens does not run to its end.
    static let highestSpeed = 1000.0
    /// The real time over which the actual speed is measured.
    private static let window: Int64 = 1_000_000_000

    /// Virtual seconds in a real second; 0 is as fast as possible.
    private(set) var speed = 1.0
    private var anchor: (real: Int64, virtual: Int64)?
    private var measurement: (real: Int64, virtual: Int64)?
    /// The virtual seconds in a real second that the room has reached lately; nil until they are measured.
    private(set) var actualSpeed: Double?

    private var factor: Double { speed == 0 ? Self.highestSpeed : speed }

    /// The virtual time at a real time. The first call after `stop` is the start.
    mutating func goal(real: Int64, virtual: Int64) -> Int64 {
        guard let anchor else {
            self.anchor = (real, virtual)
            measurement = (real, virtual)
            return virtual
        }
        return anchor.virtual + Int64(Double(real - anchor.real) * factor)
    }

    /// Takes the virtual time that was reached.
    mutating func reached(virtual: Int64, real: Int64) {
        guard let anchor, let measurement else { return }
        let goal = anchor.virtual + Int64(Double(real - anchor.real) * factor)
        if Double(goal - virtual) > Double(Self.tolerance) * factor {
            // Half of the tolerance stays, so that the next slice has a goal.
            self.anchor = (real - Self.tolerance / 2, virtual)
        }
        if real - measurement.real >= Self.window {
            actualSpeed = Double(virtual - measurement.virtual) / Double(real - measurement.real)
            self.measurement = (real, virtual)
        }
    }

    mutating func setSpeed(_ speed: Double) {
        self.speed = speed
        stop()
    }

    mutating func stop() {
        anchor = nil
        measurement = nil
        actualSpeed = nil
    }
}
