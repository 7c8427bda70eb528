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

    /// The runs that have not ended.
    struct GoalList {
        private var goals: [Goal] = []
        /// The run whose condition is being evaluated elsewhere. The model stands still meanwhile.
        private(set) var asking: UInt64?

        var isEmpty: Bool { goals.isEmpty }
        var hasConditions: Bool { goals.contains { $0.condition != nil } }

        /// The earliest deadline.
        var first: Instant? {
            var first: Instant?
            for goal in goals {
                guard let deadline = goal.deadline else { continue }
                first = first.map { min($0, deadline) } ?? deadline
            }
            return first
        }

        mutating func add(_ goal: Goal) { goals.append(goal) }

        mutating func remove(_ number: UInt64) -> Goal? {
            goals.firstIndex { $0.number == number }.map { goals.remove(at: $0) }
        }

        /// Removes and returns the runs that end now, with whether their conditions are met.
        mutating func takeFinished(at now: Instant) -> [(goal: Goal, isMet: Bool)] {
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
            return finished
        }

        mutating func removeAll() -> [Goal] {
            defer { goals.removeAll() }
            return goals
        }

        // MARK: Conditions that are evaluated elsewhere

        /// The first run without an answer. The list waits for the answer from now on.
        mutating func nextQuestion() -> (
            number: UInt64, ask: @Sendable (_ answer: @escaping @Sendable (Bool) -> Void) -> Void
        )? {
            for goal in goals where goal.answer == nil {
                guard case .elsewhere(let ask) = goal.condition else { continue }
                asking = goal.number
                return (goal.number, ask)
            }
            return nil
        }

        /// Takes an answer. Returns false if the list does not wait for it.
        mutating func take(_ answer: Bool, of number: UInt64) -> Bool {
            guard stopAsking(number) else { return false }
            if let index = goals.firstIndex(where: { $0.number == number }) { goals[index].answer = answer }
            return true
        }

        /// Waits no longer for the answer of a run. Returns false if the list does not wait for it.
        mutating func stopAsking(_ number: UInt64) -> Bool {
            guard asking == number else { return false }
            asking = nil
            return true
        }

        mutating func forgetAnswers() {
            for index in goals.indices where goals[index].answer != nil { goals[index].answer = nil }
        }
    }
}

extension VirtualTimeEngine.Goal {
    fileprivate var isMet: Bool {
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
        for (goal, isMet) in goals.takeFinished(at: now) { goal.finish(isMet) }
    }

    /// Starts the evaluation of the condition of the first goal without an answer. Returns false if there is none. The
    /// model stands still until the answer.
    func evaluateElsewhere() -> Bool {
        guard let (number, ask) = goals.nextQuestion() else { return false }
        clock.hold()
        ask { [self] answer in
            submitControl { engine in
                if engine.goals.take(answer, of: number) { engine.clock.release() }
            }
        }
        return true
    }

    /// Lets the model continue if it stands still for this goal's answer.
    func stopAsking(_ goal: UInt64) {
        if goals.stopAsking(goal) { clock.release() }
    }
}
