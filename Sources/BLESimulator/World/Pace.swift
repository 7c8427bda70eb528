import BLEAdapter
import BLEVirtualRadio

/// How the virtual time of a world follows real time while the world runs.
public enum Pace: Hashable, Sendable {
    /// As fast as the machine can: ten virtual minutes take milliseconds. For code that does its work in delegate callbacks.
    case unlimited
    /// A virtual second takes a real one. For programs that use timers, tasks or threads of their own.
    case realTime
    /// So many virtual seconds pass in one real second; more than 0.
    case multiple(Double)

    var enginePace: VirtualTimeEngine.Pace {
        switch self {
        case .unlimited: .unlimited
        case .realTime: .multiple(1)
        case .multiple(let factor): .multiple(factor)
        }
    }
}
