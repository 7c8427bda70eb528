/// The discoveries of services that have not completed, oldest first.
///
/// A discovery takes several requests (Vol 3, Part G, 4.4.1), so the results of one that runs during a Service Changed indication can be those of before
/// the change. It is carried out again: the program's delegate hears of its services once, as they are after the change.
struct ServiceDiscoveries {
    private var outstanding = 0
    /// The oldest ones, which began before the last change.
    private var stale = 0

    mutating func begin() { outstanding += 1 }

    /// Takes a change of the peer's services.
    mutating func invalidate() { stale = outstanding }

    /// Ends the oldest discovery. Returns whether it began before the last change.
    mutating func end() -> Bool {
        outstanding = max(0, outstanding - 1)
        guard stale > 0 else { return false }
        stale -= 1
        return true
    }
}
