import BLEAdapter

/// What really happened in a demo. Delegate callbacks write it, on their queues; the summary reads it.
final class DemoRecord: Sendable {
    struct State {
        /// How often each step was taken, by its number less one.
        var steps = [Int](repeating: 0, count: 23)
        var notifications: [Int] = []
        /// The central has said that it is through.
        var isFinished = false
        var failure: String?
        var packets = 0
        var lostPackets = 0
        var airTime: Duration = .zero
    }

    private let state = Lock(State())

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    var current: State { state.withLock { $0 } }

    var isFinished: Bool { state.withLock { $0.isFinished } }
}

extension DemoRecord.State {
    /// The numbers of the steps that never happened. A step counts when its callback came, or its call was made; the
    /// disconnection counts when it was complete, without an error.
    var missingSteps: [Int] {
        (1...steps.count).filter { number in
            if number == steps.count { return steps[number - 1] == 0 || !isFinished || failure != nil }
            return steps[number - 1] == 0
        }
    }
}
