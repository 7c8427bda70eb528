import BLEAdapter

internal import BLERuntime

/// The confirmations of indications with pending callbacks. The manager keeps them, not the callbacks, so that its release sends
/// them even if its queue never runs.
struct WaitingConfirmations {
    private var entries: [Int: IndicationConfirmation] = [:]
    private var next = 0

    mutating func add(_ confirmation: IndicationConfirmation) -> Int {
        next += 1
        entries[next] = confirmation
        return next
    }

    /// Removes a confirmation. Release the result outside any lock.
    mutating func remove(_ number: Int) -> IndicationConfirmation? { entries.removeValue(forKey: number) }

    mutating func removeAll() -> [IndicationConfirmation] {
        defer { entries = [:] }
        return Array(entries.values)
    }
}
