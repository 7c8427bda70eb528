/// The controllers that have packets for their hosts, in the order of their first packets.
struct OutputQueue {
    /// The controllers from `first` on. One that is removed out of turn leaves `vacant`.
    private var entries: [ControllerIdentifier] = []
    private var first = 0
    private static let vacant = ControllerIdentifier(rawValue: -1)

    var identifiers: [ControllerIdentifier] { entries[first...].filter { $0 != Self.vacant } }
    var next: ControllerIdentifier? { first < entries.count ? entries[first] : nil }

    mutating func append(_ identifier: ControllerIdentifier) { entries.append(identifier) }

    /// Removes a controller of the queue. Removing the first one needs no search.
    mutating func remove(_ identifier: ControllerIdentifier) {
        if entries[first] == identifier {
            first += 1
        } else if let index = entries[first...].firstIndex(of: identifier) {
            entries[index] = Self.vacant
        }
        while first < entries.count, entries[first] == Self.vacant { first += 1 }
        if first == entries.count {
            entries.removeAll(keepingCapacity: true)
            first = 0
        }
    }
}
