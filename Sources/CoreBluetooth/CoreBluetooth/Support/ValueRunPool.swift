import BLEAdapter

/// Empty runs with storage for the next values.
struct ValueRunPool {
    /// The octets of all runs: sixteen full ones with long values.
    private static let capacity = 131_072
    private static let limit = 40

    private var runs: [ValueRun] = []
    private var octets = 0

    mutating func take() -> ValueRun {
        guard let run = runs.popLast() else { return ValueRun() }
        octets -= run.capacity
        return run
    }

    /// A run for the values after those of `former`: after a full run another one often follows.
    mutating func take(toFollow former: ValueRun) -> ValueRun {
        runs.isEmpty && former.isFull ? ValueRun(like: former) : take()
    }

    /// Keeps an empty run, if it has storage and there is room for it.
    mutating func keep(_ run: ValueRun) {
        guard run.capacity > 0, runs.count < Self.limit, octets + run.capacity <= Self.capacity else { return }
        octets += run.capacity
        runs.append(run)
    }
}
