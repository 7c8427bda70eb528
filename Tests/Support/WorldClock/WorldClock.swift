import BLESimulator
import Foundation
import QueueClocks

/// The virtual time of a world, for libraries whose programs wait. The test calls `fire` between the steps of the world.
package final class WorldClock: QueueClock, @unchecked Sendable {
    private let world: World
    private let lock = NSLock()
    private var entries: [(deadline: Duration, queue: DispatchQueue, body: @Sendable () -> Void)] = []

    package init(_ world: World) { self.world = world }

    package var now: Duration { world.now }

    package func schedule(at deadline: Duration, on queue: DispatchQueue, _ body: @escaping @Sendable () -> Void) {
        lock.withLock { entries.append((deadline, queue, body)) }
    }

    /// Runs what is due.
    package func fire() {
        let now = world.now
        let due = lock.withLock {
            defer { entries.removeAll { $0.deadline <= now } }
            return entries.filter { $0.deadline <= now }
        }
        for entry in due { entry.queue.sync(execute: entry.body) }
    }
}
