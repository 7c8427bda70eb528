/// The latest numbers of a source with their times, for a graph.
struct TimeSeries {
    /// The most points.
    let limit: Int
    /// The least time between two points in nanoseconds.
    let step: Int64

    /// Nanoseconds and numbers in turn, oldest first.
    private(set) var points: [Double] = []

    init(limit: Int, step: Int64 = 0) {
        self.limit = limit
        self.step = step
    }

    var count: Int { points.count / 2 }

    mutating func add(_ number: Double, at time: Int64) {
        if count > 0, Double(time) - points[points.count - 2] < Double(step) { return }
        // Removing a quarter at a time keeps the cost of a point constant.
        if count >= limit { points.removeFirst(limit / 4 * 2) }
        points.append(Double(time))
        points.append(number)
    }
}
