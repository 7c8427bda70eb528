internal import BLEWire

extension PairingKeypress {
    /// Nil for a number that the specification reserves.
    init?(_ kind: SMP.KeypressNotification.Kind) {
        switch kind {
        case .entryStarted: self = .started
        case .digitEntered: self = .digitEntered
        case .digitErased: self = .digitErased
        case .cleared: self = .cleared
        case .entryCompleted: self = .completed
        default: return nil
        }
    }

    var kind: SMP.KeypressNotification.Kind {
        switch self {
        case .started: .entryStarted
        case .digitEntered: .digitEntered
        case .digitErased: .digitErased
        case .cleared: .cleared
        case .completed: .entryCompleted
        }
    }
}
