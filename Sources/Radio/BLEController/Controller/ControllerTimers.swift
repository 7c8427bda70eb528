import BLEWire

/// The timers of one controller in the queue of the medium.
struct ControllerTimers {
    private let controller: Int32
    /// By `ControllerTimer.index`. A timer is created when it is first armed.
    private var identifiers: [TimerID] = []

    init(controller: Int32) { self.controller = controller }

    mutating func arm(_ timer: ControllerTimer, at time: Instant, _ medium: inout Medium) {
        let position = timer.index
        while identifiers.count <= position { identifiers.append(.none) }
        if identifiers[position] == .none {
            identifiers[position] = medium.scheduler.makeTimer(for: .controller(controller, timer))
        }
        medium.scheduler.arm(identifiers[position], at: time)
    }

    func cancel(_ timer: ControllerTimer, _ medium: inout Medium) {
        let position = timer.index
        if position < identifiers.count, identifiers[position] != .none {
            medium.scheduler.cancel(identifiers[position])
        }
    }

    /// Cancels the timers of a link.
    func cancel(ofLink slot: Int, _ medium: inout Medium) {
        cancel(.event(Int32(slot)), &medium)
        cancel(.supervision(Int32(slot)), &medium)
        cancel(.procedure(Int32(slot)), &medium)
        cancel(.payload(Int32(slot)), &medium)
    }

    mutating func release(_ medium: inout Medium) {
        for timer in identifiers { medium.scheduler.release(timer) }
        identifiers.removeAll()
    }
}
