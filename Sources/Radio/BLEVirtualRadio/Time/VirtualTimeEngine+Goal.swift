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

extension VirtualTimeEngine {
    func finishGoals() {
        guard !goals.isEmpty else { return }
        var finished: [(goal: Goal, isMet: Bool)] = []
        goals.removeAll { goal in
            if goal.isMet {
                finished.append((goal, true))
            } else if let deadline = goal.deadline, deadline <= now {
                finished.append((goal, goal.condition == nil))
            } else {
                return false
            }
            return true
        }
        for (goal, isMet) in finished { goal.finish(isMet) }
    }

    /// Starts the evaluation of the condition of the first goal without an answer. Returns false if there is none. The
    /// model stands still until the answer.
    func evaluateElsewhere() -> Bool {
        for goal in goals where goal.answer == nil {
            guard case .elsewhere(let ask) = goal.condition else { continue }
            let number = goal.number
            askingGoal = number
            clock.hold()
            ask { [self] answer in
                submitControl { engine in
                    guard engine.askingGoal == number else { return }
                    if let index = engine.goals.firstIndex(where: { $0.number == number }) {
                        engine.goals[index].answer = answer
                    }
                    engine.stopAsking(number)
                }
            }
            return true
        }
        return false
    }

    /// Lets the model continue if it stands still for this goal's answer.
    func stopAsking(_ goal: UInt64) {
        guard askingGoal == goal else { return }
        askingGoal = nil
        clock.release()
    }

    func forgetAnswers() {
        for index in goals.indices where goals[index].answer != nil { goals[index].answer = nil }
    }
}
