import BLEAdapter

/// The events of a run, and the reports of changed snapshots. Programs add to it on their queue.
final class RoomEventCollector: Sendable {
    private let log = Lock(RoomEventLog())
    private let changed: @Sendable (String) -> Void

    /// - Parameter changed: Called with the identifier of a device when its program has a new snapshot.
    init(changed: @escaping @Sendable (String) -> Void) { self.changed = changed }

    func append(_ happening: ProgramEvent, device: String?, at time: Int64) {
        log.withLock { $0.append(happening, device: device, at: time) }
    }

    func reportChange(of device: String) { changed(device) }

    var content: RoomEventLog { log.withLock { $0 } }
    var count: Int { log.withLock { $0.count } }
}
