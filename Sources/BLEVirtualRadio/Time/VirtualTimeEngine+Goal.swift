import BLEWire

extension VirtualTimeEngine {
    /// The condition that ends a run.
    package enum Condition: Sendable {
        /// Evaluated on the engine's queue.
        case onEngineQueue(@Sendable () -> Bool)
        /// Evaluated on another queue, thread or actor: the model stands still until `answer` is called.
        case elsewhere(@Sendable (_ answer: @escaping @Sendable (Bool) -> Void) -> Void)
    }

    struct Goal {
        var number: UInt64
        var deadline: Instant?
        var condition: Condition?
        var finish: @Sendable (Bool) -> Void
        /// The answer of a condition that is evaluated elsewhere, since the model last advanced.
        var answer: Bool?
    }
}

extension VirtualTimeEngine.Goal {
    var isMet: Bool {
        switch condition {
        case .onEngineQueue(let evaluate): evaluate()
        case .elsewhere: answer == true
        case nil: false
        }
    }
}
