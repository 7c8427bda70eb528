import BLEAdapter

/// The recorded events of a demo. Delegate callbacks write it on their queues; the summary reads it.
package final class DemoRecord: Sendable {
    package struct State {
        /// The count of each step, by its number minus one.
        package var steps = [Int](repeating: 0, count: 23)
        package var notifications: [Int] = []
        /// Whether the central has finished.
        package var isFinished = false
        package var failure: String?
        package var packets = 0
        package var heardPackets = 0
        package var lostPackets = 0
        package var airTime: Duration = .zero
    }

    private let state = Lock(State())

    package init() {}

    func change(_ body: (inout State) -> Void) { state.withLock { body(&$0) } }

    package var current: State { state.withLock { $0 } }

    var isFinished: Bool { state.withLock { $0.isFinished } }
}

extension DemoRecord.State {
    /// The numbers of the missing steps. A step counts with its callback or its call; the disconnection counts if it completed without
    /// an error.
    package var missingSteps: [Int] {
        (1...steps.count).filter { number in
            if number == steps.count { return steps[number - 1] == 0 || !isFinished || failure != nil }
            return steps[number - 1] == 0
        }
    }
}
