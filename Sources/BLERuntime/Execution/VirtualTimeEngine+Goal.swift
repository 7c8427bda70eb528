import BLEAdapter
import BLEWire

extension VirtualTimeEngine {
    /// What a run waits for.
    package enum Condition: Sendable {
        /// Evaluated on the engine's queue.
        case here(@Sendable () -> Bool)
        /// Evaluated elsewhere: the scene stands still until `answer` is called.
        case elsewhere(@Sendable (_ answer: @escaping @Sendable (Bool) -> Void) -> Void)
    }

    struct Goal {
        var number: UInt64
        var deadline: Instant?
        var condition: Condition?
        var finish: @Sendable (Bool) -> Void
        /// What a condition that is evaluated elsewhere answered since the scene last moved.
        var answer: Bool?
    }
}

extension VirtualTimeEngine.Goal {
    var isMet: Bool {
        switch condition {
        case .here(let evaluate): evaluate()
        case .elsewhere: answer == true
        case nil: false
        }
    }
}
