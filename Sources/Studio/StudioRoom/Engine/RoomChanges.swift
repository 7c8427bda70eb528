/// What has changed in the room since the last report.
package struct RoomChanges: Hashable, Sendable {
    package var time = false
    package var room = false
    package var flight = false
    package var counts = false
    package var packets = false
    package var happened = false
    /// The identifiers of devices whose programs have a new snapshot.
    package var snapshots: Set<String> = []
    /// The room went back in time, or another scene began: the numbers of the first packet and the first event that are not valid any more.
    package var reset: Reset?

    package struct Reset: Hashable, Sendable {
        package var packets: Int
        package var happened: Int
    }

    package init() {}

    /// A report that everything has changed.
    static var all: RoomChanges {
        var changes = RoomChanges()
        changes.time = true
        changes.room = true
        changes.flight = true
        changes.counts = true
        changes.packets = true
        changes.happened = true
        return changes
    }

    var isEmpty: Bool { self == RoomChanges() }

    /// Adds what only waits for the next report.
    mutating func formUnion(_ other: RoomChanges) {
        time = time || other.time
        room = room || other.room
        flight = flight || other.flight
        counts = counts || other.counts
        packets = packets || other.packets
        happened = happened || other.happened
        snapshots.formUnion(other.snapshots)
        guard let added = other.reset else { return }
        reset = Reset(
            packets: min(reset?.packets ?? .max, added.packets), happened: min(reset?.happened ?? .max, added.happened))
    }
}
