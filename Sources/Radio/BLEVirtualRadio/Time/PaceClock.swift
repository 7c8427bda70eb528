import BLEWire
import Dispatch

/// The virtual time that corresponds to the present real time: it advances at a constant factor from its start, and
/// stands still while it is held.
struct PaceClock {
    private var origin: (real: UInt64, virtual: Instant)?
    private var factor = 1.0
    private var heldSince: UInt64?

    private static var real: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Starts the clock at `virtual` unless it is running.
    mutating func start(at virtual: Instant, factor: Double) {
        guard origin == nil else { return }
        origin = (Self.real, virtual)
        self.factor = max(factor, 1e-6)
    }

    mutating func stop() {
        origin = nil
        heldSince = nil
    }

    mutating func hold() { heldSince = Self.real }

    /// Continues from the time at which `hold` stopped the clock.
    mutating func release() {
        guard let heldSince, let origin else { return }
        self.origin = (origin.real &+ (Self.real &- heldSince), origin.virtual)
        self.heldSince = nil
    }

    var now: Instant {
        guard let origin else { return .zero }
        let passed = Double((heldSince ?? Self.real) &- origin.real) * factor
        return origin.virtual + TimeSpan(nanoseconds: Int64(min(passed, 9e18)))
    }

    /// The real time of an instant, in nanoseconds of the monotonic clock.
    func uptime(of instant: Instant) -> UInt64 {
        guard let origin else { return Self.real }
        let length = max(0, Double((instant - origin.virtual).nanoseconds) / factor)
        return origin.real &+ UInt64(min(length, 9e18))
    }
}
