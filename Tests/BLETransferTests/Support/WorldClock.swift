import BLESimulator
import BLETransfer
import Foundation

/// The virtual time of a world. The test calls `fire` between the steps of the world.
final class WorldClock: TransferClock, @unchecked Sendable {
    private let world: World
    private let lock = NSLock()
    private var entries: [(deadline: Duration, queue: DispatchQueue, body: @Sendable () -> Void)] = []

    init(_ world: World) { self.world = world }

    var now: Duration { world.now }

    func schedule(at deadline: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        lock.withLock { entries.append((deadline, queue, body)) }
    }

    /// Runs what is due.
    func fire() {
        let now = world.now
        let due = lock.withLock {
            defer { entries.removeAll { $0.deadline <= now } }
            return entries.filter { $0.deadline <= now }
        }
        for entry in due { entry.queue.sync(execute: entry.body) }
    }
}
