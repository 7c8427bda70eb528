import BLEAdapter
import Phrases

extension RoomTimeline {
    /// The step of a program, and when it was first reported.
    package struct Step: Codable, Hashable, Sendable {
        package var step: Int
        /// Virtual nanoseconds.
        package var time: Int64
        package var text: Phrase
    }

    /// The steps that a device has reported so far, each with its first report, in the order of their numbers.
    package func steps(of device: String) -> [Step] {
        var found: [Int: Step] = [:]
        for event in happened(from: 0).events where event.device == device {
            guard let step = event.step, found[step] == nil else { continue }
            found[step] = Step(step: step, time: event.time, text: event.text)
        }
        return found.values.sorted { $0.step < $1.step }
    }

    /// A condition that is met when a program has heard a callback after this moment.
    package func callbackCondition() -> @Sendable () -> Bool {
        let happened = run.happened
        let watch = Lock((seen: happened.count, isMet: false))
        return {
            let count = happened.count
            let (seen, wasMet) = watch.withLock { $0 }
            guard count != seen else { return wasMet }
            let isMet = wasMet || happened.content.events(from: seen).contains { $0.kind == .callback }
            watch.withLock { $0 = (count, isMet) }
            return isMet
        }
    }

    /// A condition that is met when a device has reported a step, or `lastLine` after the last step. A seek stops at that moment.
    ///
    /// - Parameter step: The step; nil waits for the line only.
    package func stepCondition(
        _ step: Int?, orLine lastLine: String? = nil, of device: String
    ) -> @Sendable () -> Bool {
        let happened = run.happened
        // How many events were looked at, and whether one of them met the condition.
        let watch = Lock((seen: 0, isMet: false))
        return {
            // Looks only when something has happened.
            let count = happened.count
            let (seen, wasMet) = watch.withLock { $0 }
            guard count != seen else { return wasMet }
            let isMet =
                wasMet
                || happened.content.events(from: seen).contains { event in
                    event.device == device
                        && (event.step != nil && event.step == step
                            || lastLine.map(event.text.description.hasPrefix) == true)
                }
            watch.withLock { $0 = (count, isMet) }
            return isMet
        }
    }
}
