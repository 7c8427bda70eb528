import BLEWire

/// The one radio of a controller: its user, and the timers in the queue of the medium.
struct ControllerRadio {
    /// The user of the radio. The scanner and the initiator listen in the background while it is free.
    enum Owner: Hashable {
        case free
        case advertiser
        case scanner
        case initiator
        case link(Int)
    }

    let index: Int32
    var owner = Owner.free
    /// Whether a user has released the radio in the current call. At the end of the call the controller gives it to another user.
    var isReleased = false
    var timers: ControllerTimers

    init(index: Int32) {
        self.index = index
        timers = ControllerTimers(controller: index)
    }

    /// Waits for a PDU that starts after an inter frame space (Vol 6, Part B, 4.1.1). Both active clocks may deviate by
    /// 2 µs (4.2.1).
    mutating func awaitAnswer(on phy: LL.PHY, _ medium: inout Medium) {
        let slack = TimeSpan.microseconds(4)
        timers.arm(.radio, at: medium.now + LL.interFrameSpace + phy.synchronisationTime + slack, &medium)
    }

    mutating func release(_ medium: inout Medium) {
        owner = .free
        isReleased = true
        timers.cancel(.radio, &medium)
        medium.stopListening(index)
    }

    /// Stops everything, as at a reset.
    mutating func reset(_ medium: inout Medium) {
        medium.cutTransmission(of: index)
        medium.stopListening(index)
        for timer in ControllerTimer.own { timers.cancel(timer, &medium) }
        owner = .free
    }
}
