import BLEAdapter

/// The recorded events of a demo. Delegate callbacks write it on their queues; the summary reads it.
final class DemoRecord: Sendable {
    struct State {
        /// The count of each step, by its number minus one.
        var steps = [Int](repeating: 0, count: 23)
        var notifications: [Int] = []
        /// Whether the central has finished.
        var isFinished = false
        var failure: String?
        var packets = 0
        var heardPackets = 0
        var lostPackets = 0
        var airTime: Duration = .zero
    }

    private let state = Lock(State())

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    var current: State { state.withLock { $0 } }

    var isFinished: Bool { state.withLock { $0.isFinished } }
}

extension DemoRecord.State {
    /// The numbers of the missing steps. A step counts with its callback or its call; the disconnection counts if it completed without
    /// an error.
    var missingSteps: [Int] {
        (1...steps.count).filter { number in
            if number == steps.count { return steps[number - 1] == 0 || !isFinished || failure != nil }
            return steps[number - 1] == 0
        }
    }
}
