import BLEVirtualRadio

/// The ratio of a world's virtual time to real time while the world runs.
public enum Pace: Hashable, Sendable {
    /// As fast as possible: ten virtual minutes take milliseconds. For programs that work in delegate callbacks.
    case unlimited
    /// One virtual second in one real second. For programs with timers, tasks or threads of their own.
    case realTime
    /// A number of virtual seconds in one real second, above 0.
    case multiple(Double)

    var enginePace: VirtualTimeEngine.Pace {
        switch self {
        case .unlimited: .unlimited
        case .realTime: .multiple(1)
        case .multiple(let factor): .multiple(factor)
        }
    }
}
