extension RoomTimeline {
    /// The step of a program, and when it was first reported.
    package struct Step: Codable, Hashable, Sendable {
        package var step: Int
        /// Virtual nanoseconds.
        package var time: Int64
        package var text: String
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

    /// Advances until a device reports a step, or until it reports `lastLine` after the last step. Stops at the very moment.
    ///
    /// - Returns: Whether the event came within `limit`.
    package func advance(
        untilStep step: Int?, orLine lastLine: String? = nil, of device: String, within limit: Duration
    ) -> Bool {
        let happened = run.happened
        @Sendable func isMet(from number: Int) -> Bool {
            happened.content.events(from: number).contains { event in
                event.device == device
                    && (event.step != nil && event.step == step || lastLine.map(event.text.hasPrefix) == true)
            }
        }
        if isMet(from: 0) { return true }
        let count = happened.count
        let seen = StepWatch(count)
        advance(to: now + limit.wholeNanoseconds) { _ in
            // Looks only when something has happened.
            guard happened.count != seen.count else { return false }
            seen.count = happened.count
            return isMet(from: count)
        }
        return isMet(from: count)
    }
}

/// `@unchecked Sendable`: only the world's queue uses it while the room's thread waits.
private final class StepWatch: @unchecked Sendable {
    var count: Int
    init(_ count: Int) { self.count = count }
}
