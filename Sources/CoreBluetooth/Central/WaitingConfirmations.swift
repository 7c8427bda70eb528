import BLEAdapter

#if !canImport(Darwin)
internal import BLERuntime

/// The confirmations of indications whose callbacks have not run. The manager keeps them rather than the callbacks, so that peers
/// get them when the manager ends, whatever becomes of its queue.
struct WaitingConfirmations {
    private var entries: [Int: IndicationConfirmation] = [:]
    private var next = 0

    mutating func add(_ confirmation: IndicationConfirmation) -> Int {
        next += 1
        entries[next] = confirmation
        return next
    }

    /// To be released outside any lock.
    mutating func remove(_ number: Int) -> IndicationConfirmation? { entries.removeValue(forKey: number) }

    mutating func removeAll() -> [IndicationConfirmation] {
        defer { entries = [:] }
        return Array(entries.values)
    }
}
#endif
