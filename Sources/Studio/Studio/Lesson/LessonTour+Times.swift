import StudioRoom

extension LessonTour {
    /// The time range of a step's packets: later than `begin`, up to and including `end`.
    struct Window: Hashable, Sendable {
        var begin: Int64
        var end: Int64
    }

    /// When the steps of a run were reached.
    struct Times: Sendable {
        var steps: [Int: RoomTimeline.Step]
        /// When the last step was over; nil if it is not.
        var end: Int64?

        init(_ timeline: RoomTimeline, _ tour: LessonTour) {
            steps = Dictionary(
                timeline.steps(of: tour.device).map { ($0.step, $0) }, uniquingKeysWith: { first, _ in first })
            end =
                timeline.happened(from: 0).events.last {
                    $0.device == tour.device && $0.step == nil && $0.text.description.hasPrefix(tour.lastLine)
                }?.time
        }
    }

    /// The packets of a step; nil if they are not complete yet.
    func window(of step: Step, in times: Times) -> Window? {
        guard let own = times.steps[step.number]?.time else { return nil }
        if step.looksAhead {
            let isLast = step.number == steps.count
            return (isLast ? times.end : times.steps[step.number + 1]?.time).map { Window(begin: own, end: $0) }
        }
        return Window(begin: times.steps[step.number - 1]?.time ?? 0, end: own)
    }
}
